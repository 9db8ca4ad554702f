import { oneLine, quoted } from '@banister/provider/internal/messages/foreign-text';

// What the library tells models about agents, like `model-words.ts`. The lines about a child turn stand behind the text of its agent, each in brackets.
export const childLastLine =
  'You work for another agent. It reads your last message only: put the whole result there. Nobody answers questions.';
export const delegateTool = (agents: readonly { readonly id: string; readonly description: string }[]) =>
  [
    'Gives a task to an agent, which starts without this conversation. Write down everything that it has to know. Agents:',
    ...agents.map(({ id, description }) => oneLine(`${id}: ${description}`)),
  ].join('\n');
export const childCompleted = (agent: string, rounds: string, calls: string) =>
  `[agent ${agent}: completed, ${rounds}, ${calls}]`;
export const childStopped = (agent: string, why: string, wrote: boolean) =>
  `[agent ${agent}: stopped, ${why}. ${wrote ? 'What it wrote so far stands above; what' : 'What'} it changed stays.]`;
export const childCancelled = (agent: string, parts: readonly string[]) =>
  `[agent ${agent}: stopped by the user. ${[...parts, 'Do not start it again unless the user asks.'].join(' ')}]`;
export const childFailed = (agent: string, why: string, parts: readonly string[]) =>
  `[${[`agent ${agent}: failed, ${why}.`, ...parts].join(' ')}]`;
export const childReplaced = (agent: string, parts: readonly string[]) =>
  `[${[`agent ${agent}: this call ran it before with another task. That work does not count.`, ...parts].join(' ')}]`;
export const childLimit = (limit: string) => `its limit of ${limit}`;
export const childChanged = (effects: string) => `[changed: ${effects}]`;
export const childTakenBack = (effects: string) => `Taken back: ${effects}.`;
export const childStillThere = (effects: string) => `Still there: ${effects}.`;
export const childMayBeThere = (effects: string) => `May or may not be there: ${effects}.`;
export const childRefusedByUser = (tools: string) => `[the user refused: ${tools}]`;
export const childRefusedByGuard = (tools: string) => `[not permitted: ${tools}]`;
export const andMore = (count: number) => `and ${count} more`;

/** @param agent the id of an agent; undefined for the agent that answers the user */
export const changedByAgent = (agent: string | undefined, resource: string) =>
  `[${agent === undefined ? 'the main agent' : `agent ${agent}`} changed ${quoted(resource)} since you read it. Read it again.]`;
