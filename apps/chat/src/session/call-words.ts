import type { ToolCallView } from '@handrail/session';
import type { CallQuestion } from './question-about.js';

/** How a call is doing: a word for people, and a tone for its mark. */
export interface CallWords {
  readonly text: string;
  readonly tone: 'pending' | 'asking' | 'running' | 'done' | 'refused' | 'failed' | 'reverted';
}

interface Circumstances {
  readonly question: CallQuestion;
  /** Whether the turn of the call has ended. */
  readonly isOver: boolean;
}

export function callWords(call: ToolCallView, { question, isOver }: Circumstances): CallWords {
  if (call.reverted) return { text: 'Taken back', tone: 'reverted' };
  switch (call.state) {
    case 'assembling':
      return isOver ? { text: 'Not run', tone: 'refused' } : { text: 'Writing arguments…', tone: 'pending' };
    case 'waiting':
      return isOver && question !== 'asked' ? { text: 'Not run', tone: 'refused' } : waitingWords(question);
    case 'executing':
      return isOver ? cutWords(call) : { text: 'Running…', tone: 'running' };
    case 'interrupted':
      return cutWords(call);
    case 'settled':
      return settledWords(call);
  }
}

function waitingWords(question: CallQuestion): CallWords {
  switch (question) {
    case 'asked':
      return { text: 'Waiting for you', tone: 'asking' };
    case 'approved':
      return { text: 'Approved', tone: 'pending' };
    case 'declined':
      return { text: 'Declined', tone: 'refused' };
    case 'not-answered':
      return { text: 'No answer', tone: 'refused' };
    case null:
      return { text: 'Up next', tone: 'pending' };
  }
}

function cutWords({ late }: ToolCallView): CallWords {
  switch (late?.effect) {
    case 'irreversible':
    case 'revert-failed':
      return { text: 'Cut, still in effect', tone: 'failed' };
    case 'none':
      return { text: 'Cut before it did anything', tone: 'refused' };
    default:
      return { text: 'Not known if it ran', tone: 'refused' };
  }
}

function settledWords({ result, ranWith }: ToolCallView): CallWords {
  switch (result?.outcome) {
    case 'success':
    case 'stop':
      return { text: ranWith ? 'Done, as you edited it' : 'Done', tone: 'done' };
    case 'rejected':
      return { text: 'Not run', tone: 'refused' };
    case 'conflict':
      return { text: 'Conflict', tone: 'failed' };
    case 'interrupted':
      return { text: 'Not known if it ran', tone: 'refused' };
    case 'timed-out':
      return { text: 'Timed out', tone: 'failed' };
    case 'denied':
      return { text: 'Refused', tone: 'refused' };
    default:
      return { text: 'Failed', tone: 'failed' };
  }
}
