import { isJsonObject, strictParse } from '@banister/provider';
import type { JsonObject, JsonValue } from '@banister/session';
import { counted } from '../session/counted.js';
import { releaseSteps, type ReleaseStepId } from '../release/release-steps.js';
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

/** Lets the agents work at the same time, and sums up what each of them did. */
export function* preparePlan(release: string): Plan {
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
  readonly id: ReleaseStepId;
  readonly release: string;
  /** The results of the steps before, by the id of the step. */
  readonly results: JsonObject;
}

const RESULTS = '\n\nThe results of the steps before, as JSON:\n';

/** Returns a message without the results of the steps before. */
export function withoutResults(message: string): string {
  return message.split(RESULTS)[0]!;
}

function readTask(message: string): Task | null {
  const [task = '', json = '{}'] = message.split(RESULTS);
  for (const step of releaseSteps) {
    const [before = '', after = ''] = step.task('\n').split('\n');
    if (!task.startsWith(before) || !task.endsWith(after)) continue;
    const results = strictParse(json);
    return {
      id: step.id,
      release: task.slice(before.length, task.length - after.length),
      results: results.ok && isJsonObject(results.value) ? results.value : {},
    };
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

function planOf({ id, release, results }: Task, wishes: NotesWishes): Plan {
  switch (id) {
    case 'notes':
      return notesPlan(release, wishes);
    case 'announce':
      return announcePlan(release, results['notes']);
    case 'checks':
      return cardsPlan('Four checks belong to each release.', 'Doing', 'Ben', checks);
    case 'rehearse':
      return cardsPlan('Going back is rehearsed once the checks are there.', 'Todo', 'Ben', [
        `Rehearse going back from ${release}`,
      ]);
    case 'publish':
      return launchPlan();
  }
}

function* notesPlan(release: string, wishes: NotesWishes): Plan {
  const outcomes = yield* cardsPlan(
    'The notes need pictures, and a word on what changes for customers.',
    'Todo',
    'Mai',
    ['Take pictures for the notes', 'Say what changes for customers'],
  );
  return [outcomes, writeNotes(release, wishes)].join('\n\n');
}

/** @param notes the text of the step that wrote the notes */
function* announcePlan(release: string, notes: JsonValue | undefined): Plan {
  const told = yield* cardsPlan('The announcement begins with the first line of the notes.', 'Todo', 'Mai', [
    `Post the announcement of ${release}`,
  ]);
  const first = typeof notes === 'string' ? firstLine(notes) : null;
  return first === null ? told : `${told}\n\n> ${first}`;
}

/** Returns the first line below the heading of notes; null if there is none. */
function firstLine(notes: string): string | null {
  return /\*\*Release [^\n]*\*\*\s+(?:- )?([^\n]+)/.exec(notes)?.[1] ?? null;
}

// eslint-disable-next-line require-yield -- an answer needs no tools
function* answerOnly(text: string): Plan {
  return text;
}

const checks = ['Try the update on a copy', 'Read the notes aloud', 'Test on a slow phone', 'Try to go back'];

/** Adds cards, and tells what became of them. */
function* cardsPlan(text: string, column: string, owner: string, titles: readonly string[]): Plan {
  const outcomes = yield { text, calls: titles.map((title) => call('add_card', { column, title, owner })) };
  return tellOutcomes(outcomes);
}

function* launchPlan(): Plan {
  const outcomes = yield {
    text: 'Customers look at the board, so it has to be out. That costs a little, and I ask first.',
    calls: [call('publish_board', { audience: 'everyone' })],
  };
  return tellOutcomes(outcomes);
}
