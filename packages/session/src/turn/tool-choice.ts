import type { FinishReason, Message, ProviderRequest, ToolChoice, ToolDefinition } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { isOwnCall, messagesWithCalls } from '../conversation/messages-with-calls.js';
import { callsOf } from '../conversation/turn-record.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import type { Turn } from './turn-context.js';

type ChoosingTurn = Pick<Turn, 'options' | 'tools'>;

/** Returns the tools of a request, and the choice among them. */
export function offeredTools(
  turn: ChoosingTurn & Pick<Turn, 'settings' | 'discovery'>,
  round: number,
  messages: readonly Message[],
): Pick<ProviderRequest, 'tools' | 'toolChoice'> {
  const { definitions, get } = turn.tools;
  const choice = choiceOf(turn, round);
  // A resumed turn may name a tool that the app has removed.
  const chosen = typeof choice === 'object' ? [choice.tool] : [];
  const mayCall = choice !== 'none' && definitions.length > 0;
  const named = mayCall ? chosen : [...namedIn(messages), ...chosen];
  const removed = [...new Set(named)].filter((id) => get(id) === undefined);
  const tools =
    removed.length === 0
      ? definitions
      : withinCap(turn, [...definitions, ...removed.map(removedTool)], named);
  // If the session itself has no tool to offer, the model must not call the tools that only the messages name.
  const toolChoice = choice === 'auto' && !mayCall && removed.length > 0 ? 'none' : choice;
  return toolChoice === 'auto' ? { tools } : { tools, toolChoice };
}

/** Returns the ids of the tools that the messages call. Tools of the provider are left out, because they need no definition. */
function namedIn(messages: readonly Message[]): readonly string[] {
  const named: string[] = [];
  for (const index of messagesWithCalls(messages))
    for (const part of messages[index]!.parts) if (isOwnCall(part)) named.push(part.tool);
  return named;
}

/** Returns as many tools as the model accepts. Tools that are named come first. */
function withinCap(
  { settings, discovery }: Pick<Turn, 'settings' | 'discovery'>,
  tools: readonly ToolDefinition[],
  named: readonly string[],
): readonly ToolDefinition[] {
  const cap = discovery?.cap ?? capOf(settings);
  if (tools.length <= cap) return Object.freeze(tools);
  const isNamed = ({ name }: ToolDefinition) => named.includes(name);
  const others = tools.filter((tool) => !isNamed(tool));
  return Object.freeze([...tools.filter(isNamed), ...others].slice(0, cap));
}

function capOf({ provider }: Turn['settings']): number {
  return provider.capabilities?.maxTools ?? Infinity;
}

/** Returns the definitions of the tools that the messages name, including removed tools. One place below the model's maximum stays free. */
export function namedTools(
  { tools, settings }: Pick<Turn, 'tools' | 'settings'>,
  messages: readonly Message[],
): readonly ToolDefinition[] {
  const named = new Set(namedIn(messages));
  const kept = tools.definitions.filter(({ name }) => named.has(name));
  const removed = [...named].filter((id) => tools.get(id) === undefined);
  return [...kept, ...removed.map(removedTool)].slice(0, capOf(settings) - 1);
}

/** Throws `tool-choice-not-honored` for a call inside an answer that the choice of its turn excludes. */
export function checkInnerCall(turn: ChoosingTurn, round: number, tool: string): void {
  const choice = choiceOf(turn, round);
  if (excludes(choice, tool)) throw notHonored(choice, [tool]);
}

/** Throws `tool-choice-not-honored` for an answer that ignores the choice of its turn. An answer that was cut or refused is not checked. */
export function checkAnswer(
  turn: ChoosingTurn & Pick<Turn, 'current'>,
  round: number,
  reason: FinishReason,
): void {
  const choice = choiceOf(turn, round);
  if (choice === 'auto' || stopReasonOf(reason) !== null) return;
  const called = callsOf(turn.current().liveTurn?.rounds.at(-1)).map(({ tool }) => tool);
  const isMissing = choice !== 'none' && called.length === 0;
  if (isMissing || called.some((tool) => excludes(choice, tool))) throw notHonored(choice, called);
}

/** Returns the tool that the answer of a round has to call; null if the answer may call other tools, or none. */
export function requiredTool(turn: Pick<Turn, 'options'>, round: number): string | null {
  const choice = choiceOf(turn, round);
  return typeof choice === 'object' ? choice.tool : null;
}

/** Returns the choice for a round. `none` applies to all rounds; any other choice applies only to the first. */
function choiceOf({ options }: Pick<Turn, 'options'>, round: number): ToolChoice {
  const choice = options?.toolChoice ?? 'auto';
  return round === 1 || choice === 'none' ? choice : 'auto';
}

function excludes(choice: ToolChoice, tool: string): boolean {
  return choice === 'none' || (typeof choice === 'object' && choice.tool !== tool);
}

function notHonored(requested: ToolChoice, called: readonly string[]): AgentSessionError {
  const name = typeof requested === 'object' ? requested.tool : requested;
  return new AgentSessionError(
    'tool-choice-not-honored',
    `The model ignored the tool choice "${name}": it called ${called.join(', ') || 'no tool'}.`,
    { details: { requested, called } },
  );
}

/** Returns a definition for a tool that only the messages name, because servers require a definition. */
function removedTool(name: string): ToolDefinition {
  return Object.freeze({ name, description: '', parameters: { type: 'object', properties: {} } });
}
