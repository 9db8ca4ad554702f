import type { ToolCallView } from '@banister/session';
import { isErrorOutcome, isJsonObject } from '@banister/provider';
import type { IconName } from '../view/icons.js';
import type { CallQuestion } from './question-about.js';
import { problemWords } from './result-words.js';
import { isReading } from './tool-verbs.js';

/** The states of a step, the same on the rail of the chat and on the cards of the board. */
export type StepState =
  | 'writing'
  | 'ready'
  | 'waiting'
  | 'running'
  | 'done'
  | 'read'
  | 'staged'
  | 'undone'
  | 'refused'
  | 'failed'
  | 'interrupted'
  | 'unstarted';

/** The icons on the rail. A step that was not started, or only reads, has a mark without an icon. */
export const stepIcons: Readonly<Record<StepState, IconName | null>> = {
  writing: 'writing',
  ready: 'ready',
  waiting: 'waiting',
  running: 'running',
  done: 'done',
  read: null,
  staged: 'staged',
  undone: 'undo',
  refused: 'refused',
  failed: 'failed',
  interrupted: 'interrupted',
  unstarted: null,
};

/** A call as one row: its state, its title, and at the end the change or the word for the state. */
export interface StepWords {
  readonly state: StepState;
  readonly title: string;
  /** The word for the state. A finished step shows `change` instead, if there is one. */
  readonly word: string;
  readonly change: string | null;
  /** Why it failed; null if it did not. */
  readonly reason: string | null;
}

interface Circumstances {
  readonly question: CallQuestion;
  /** Whether the turn of the call has ended, or is interrupted. */
  readonly isOver: boolean;
  /**
   * Whether it is the last part of an answer that continues. If there are several calls, the earlier calls
   * are complete.
   */
  readonly isCurrent: boolean;
  /** Whether the user still decides about its effect. */
  readonly isReviewed: boolean;
  /** Describes the call. */
  readonly title: string;
}

export function stepWords(call: ToolCallView, circumstances: Circumstances): StepWords {
  const [state, word] = stateOf(call, circumstances);
  const { title } = circumstances;
  const isTold = state === 'failed' || (state === 'refused' && isDenied(call));
  const reason = isTold && call.result ? problemWords(call) : null;
  if (state === 'read')
    return { state, title: title.replace(/^Look /, 'Looked '), word: '', change: null, reason };
  const change = state === 'done' || state === 'staged' ? changeOf(call) : null;
  const isAtEnd = change !== null && title.endsWith(` ${change}`);
  return { state, title: isAtEnd ? title.slice(0, -change.length - 1) : title, word, change, reason };
}

/**
 * Returns whether a rule of the page or the tool itself refused the call. Refusals by the user do not count,
 * because the user knows them.
 */
function isDenied({ rejection, result }: ToolCallView): boolean {
  return rejection === 'denied' || result?.outcome === 'denied';
}

/** Returns the column to which a call moves a card; null for a call that clears a column, or only edits. */
function changeOf({ ranWith, arguments: given }: ToolCallView): string | null {
  const args = ranWith ?? given;
  if (!isJsonObject(args) || (args['card'] ?? args['title']) === undefined) return null;
  return typeof args['column'] === 'string' ? `to ${args['column']}` : null;
}

type StateAndWord = readonly [StepState, string];

function stateOf(
  call: ToolCallView,
  { question, isOver, isCurrent, isReviewed }: Circumstances,
): StateAndWord {
  if (call.reverted) return ['undone', 'Undone'];
  if (isReviewed) return ['staged', 'Staged'];
  switch (call.state) {
    case 'assembling':
      if (isOver) return ['unstarted', 'Not started'];
      return isCurrent ? ['writing', 'Writing'] : ['ready', 'Ready'];
    case 'waiting':
      return isOver && question !== 'asked' ? ['unstarted', 'Not started'] : waiting(question);
    case 'executing':
      return isOver ? cut(call) : ['running', 'Running'];
    case 'interrupted':
      return cut(call);
    case 'settled':
      return settled(call);
  }
}

function waiting(question: CallQuestion): StateAndWord {
  switch (question) {
    case 'asked':
      return ['waiting', 'Waiting for you'];
    case 'approved':
      return ['ready', 'Approved'];
    case 'declined':
      return ['refused', 'You refused'];
    case 'not-answered':
      return ['refused', 'No answer'];
    case null:
      return ['ready', 'Ready'];
  }
}

function cut({ late, children }: ToolCallView): StateAndWord {
  // The lanes of its agents say what ran.
  if (children !== undefined) return ['interrupted', 'Interrupted'];
  switch (late?.effect) {
    case 'irreversible':
    case 'revert-failed':
      return ['failed', 'Cut, still in effect'];
    case 'none':
      return ['interrupted', 'Cut before it did anything'];
    default:
      return ['interrupted', 'Not known if it ran'];
  }
}

function settled({ tool, result, ranWith, rejection }: ToolCallView): StateAndWord {
  switch (result?.outcome) {
    case 'success':
    case 'stop':
      if (isReading(tool)) return ['read', ''];
      return ['done', ranWith ? 'Done, as you edited it' : 'Done'];
    case 'rejected':
      return rejected(rejection);
    case 'conflict':
      return ['failed', 'Conflict'];
    case 'interrupted':
      return ['interrupted', 'Not known if it ran'];
    case 'timed-out':
      return ['failed', 'Timed out'];
    case 'denied':
      return ['refused', 'Refused'];
    default:
      return ['failed', 'Did not work'];
  }
}

function rejected(reason: ToolCallView['rejection']): StateAndWord {
  switch (reason) {
    case 'declined':
      return ['refused', 'You refused'];
    case 'denied':
      return ['refused', 'Refused'];
    case 'confirmation-timeout':
      return ['refused', 'No answer'];
    case 'cancelled':
    case 'not-run':
      return ['unstarted', 'Not started'];
    default:
      return ['failed', 'Did not work'];
  }
}

/** Returns whether a call ended normally, with the model's own arguments. */
export function isPlain({ state, result, ranWith }: ToolCallView): boolean {
  return (
    state === 'settled' && result !== undefined && !isErrorOutcome(result.outcome) && ranWith === undefined
  );
}
