import { isJsonObject } from '@banister/provider';
import { counted } from '../session/counted.js';
import { releaseAgentIds, releaseAgents, type ReleaseAgentId } from '../release/release-agents.js';
import { prepareReleaseId } from '../release/release-domain.js';
import type { Ask } from './read-ask.js';
import {
  isAboutNotes,
  isWish,
  readWishes,
  unknownWish,
  writeNotes,
  type NotesWishes,
} from './release-notes.js';
import { call, type Outcome, type Plan } from './step.js';
import { tellOutcomes } from './tell-outcomes.js';

/** Lets the agents work, and sums up what each of them did. */
export function* releasePlan(release: string): Plan {
  const outcomes = yield {
    thinking: 'Notes, checks and the publication do not need each other, so three agents can work at once.',
    text: `Three agents prepare release ${release} at the same time.`,
    calls: [{ tool: prepareReleaseId, arguments: { release } }],
  };
  const told = outcomes.flatMap(({ result }) => result.content).flatMap(partsIn);
  if (told.length === 0) return tellOutcomes(outcomes);
  const rest = told.some(({ final }) => final > 0) ? 'The rest' : 'All of it';
  return `${told.map(sentenceOf).join(' ')} ${rest} is one turn: Undo takes it back as one.`;
}

/** The part of one agent, as the tool tells it. */
interface Part {
  readonly agent: string;
  readonly status: string;
  readonly changes: number;
  /** How many of the changes cannot be taken back. */
  readonly final: number;
  /** How many other changes were taken back. */
  readonly back: number;
}

function partsIn(content: Outcome['result']['content'][number]): readonly Part[] {
  const list: unknown = content.type === 'json' ? content.value : null;
  return (Array.isArray(list) ? (list as unknown[]) : []).flatMap((part) => {
    if (!isJsonObject(part)) return [];
    const { agent, status, changes, final, back } = part;
    const isPart = typeof agent === 'string' && typeof status === 'string';
    return isPart && typeof changes === 'number' && typeof final === 'number' && typeof back === 'number'
      ? [{ agent, status, changes, final, back }]
      : [];
  });
}

function sentenceOf({ agent, status, changes, final, back }: Part): string {
  const tail = final === 0 ? '' : final === changes ? ', for good' : `, ${final} of them for good`;
  switch (status) {
    case 'completed':
      return changes === 0
        ? `${agent} changed nothing.`
        : `${agent} made ${counted(changes, 'change')}${tail}.`;
    case 'cancelled':
      return [
        `You stopped ${agent}.`,
        ...(back === 0 ? [] : [`Taken back: ${counted(back, 'change')} of it.`]),
        ...(changes === 0 ? [] : [`Still there: ${counted(changes, 'change')}.`]),
      ].join(' ');
    case 'stopped':
      return `${agent} reached a limit after ${counted(changes, 'change')}.`;
    default:
      return `${agent} did not come to its end.`;
  }
}

/** The task of an agent of a release, as its first message states it. */
interface Task {
  readonly id: ReleaseAgentId;
  readonly release: string;
}

function readTask(message: string): Task | null {
  for (const id of releaseAgentIds) {
    const [before = '', after = ''] = releaseAgents[id].task('\n').split('\n');
    if (message.startsWith(before) && message.endsWith(after))
      return { id, release: message.slice(before.length, message.length - after.length) };
  }
  return null;
}

/**
 * Returns the plan of an agent of a release: for its task, or for a message of the user about its notes. Null
 * for any other message.
 */
export function releaseAgentPlan(message: string, { text: first, before, steers }: Ask): Plan | null {
  const task = readTask(message);
  if (task !== null) return planOf(task, readWishes(steers.map(({ text }) => text)));
  const begun = [...before, first].map(readTask).findLast((earlier) => earlier !== null);
  if (begun?.id !== 'notes' || !isAboutNotes(message)) return null;
  const wishes = readWishes([...before, message]);
  return answerOnly(isWish(message) ? writeNotes(begun.release, wishes) : unknownWish);
}

/** Returns a request without the wishes that joined the writing of notes, because its plan heeds them. */
export function withoutNotesWishes(ask: Ask): Ask {
  if (readTask(ask.text)?.id !== 'notes') return ask;
  return { ...ask, steers: ask.steers.filter(({ text }) => !isAboutNotes(text) || !isWish(text)) };
}

function planOf({ id, release }: Task, wishes: NotesWishes): Plan {
  switch (id) {
    case 'notes':
      return notesPlan(release, wishes);
    case 'checks':
      return checksPlan();
    case 'launch':
      return launchPlan();
  }
}

function* notesPlan(release: string, wishes: NotesWishes): Plan {
  const outcomes = yield {
    text: 'The notes need pictures, and a word on what changes for customers.',
    calls: ['Take pictures for the notes', 'Say what changes for customers'].map((title) =>
      call('add_card', { column: 'Todo', title, owner: 'Mai' }),
    ),
  };
  return [tellOutcomes(outcomes), writeNotes(release, wishes)].join('\n\n');
}

// eslint-disable-next-line require-yield -- an answer needs no tools
function* answerOnly(text: string): Plan {
  return text;
}

const checks = ['Try the update on a copy', 'Read the notes aloud', 'Test on a slow phone', 'Try to go back'];

function* checksPlan(): Plan {
  const outcomes = yield {
    text: 'Four checks belong to each release.',
    calls: checks.map((title) => call('add_card', { column: 'Doing', title, owner: 'Ben' })),
  };
  return tellOutcomes(outcomes);
}

function* launchPlan(): Plan {
  const outcomes = yield {
    text: 'Customers look at the board, so it has to be out. That costs a little, and I ask first.',
    calls: [call('publish_board', { audience: 'everyone' })],
  };
  return tellOutcomes(outcomes);
}
