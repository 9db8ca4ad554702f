import type { ToolCallView } from '@handrail/session';

/** How a call is doing: a word for people, and a tone for its mark. */
export interface CallWords {
  readonly text: string;
  readonly tone: 'pending' | 'asking' | 'running' | 'done' | 'refused' | 'failed' | 'reverted';
}

/** @param asked whether the call waits on the user; `over` whether its turn has ended */
export function callWords(call: ToolCallView, { asked, over }: { asked: boolean; over: boolean }): CallWords {
  if (call.reverted) return { text: 'Taken back', tone: 'reverted' };
  switch (call.state) {
    case 'assembling':
      return over ? { text: 'Never ran', tone: 'refused' } : { text: 'Writing arguments…', tone: 'pending' };
    case 'waiting':
      if (over) return { text: 'Never ran', tone: 'refused' };
      return asked ? { text: 'Waiting for you', tone: 'asking' } : { text: 'Up next', tone: 'pending' };
    case 'executing':
      return over ? cutWords(call) : { text: 'Running…', tone: 'running' };
    case 'settled':
      return settledWords(call);
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
      return { text: 'Cut', tone: 'refused' };
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
    case 'timed-out':
      return { text: 'Timed out', tone: 'failed' };
    case 'denied':
      return { text: 'Refused', tone: 'refused' };
    default:
      return { text: 'Failed', tone: 'failed' };
  }
}
