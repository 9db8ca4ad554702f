import type { AgentSession } from '@banister/session';
import { verbsOf } from './tool-verbs.js';

/**
 * Describes the work of a session for users; empty while it does nothing. Reads signals, so an effect that
 * calls it runs again when one changes.
 */
export function workWords(session: AgentSession): string {
  switch (session.phase.value) {
    case 'idle':
      return '';
    case 'preparing':
      return 'Thinking…';
    case 'streaming':
      if (session.partialOutput.value !== null && session.liveTurn.value?.structured)
        return 'Writing a table…';
      return session.activeToolCalls.value.some((call) => call.state === 'assembling')
        ? 'Preparing a change…'
        : session.currentText.value === ''
          ? 'Thinking…'
          : 'Writing…';
    case 'confirming':
      return 'Waiting for you';
    case 'executing': {
      const running = session.activeToolCalls.value.find(({ state }) => state === 'executing');
      return running ? `${verbsOf(running.tool).doing}…` : 'Working…';
    }
    case 'retrying': {
      const next = session.pendingRetry.value;
      return next === null ? 'Trying again…' : `Attempt ${next.attempt} of ${next.of}`;
    }
    case 'compacting':
      return 'Shortening the conversation…';
    case 'reviewing':
      return 'Waiting for your review';
    case 'committing':
      return 'Finishing…';
    case 'cancelling':
      return 'Stopping…';
    case 'rolling-back':
      return 'Taking changes back…';
  }
}

/**
 * Returns how many of the changes of the last round are done, "2 of 5"; empty if there are fewer than two.
 * Reads a signal.
 */
export function workCount({ liveTurn }: AgentSession): string {
  const calls = liveTurn.value?.rounds.at(-1)?.parts.filter((part) => part.type === 'tool-call') ?? [];
  if (calls.length < 2 || calls.some(({ state }) => state === 'assembling')) return '';
  return `${calls.filter(({ state }) => state === 'settled').length} of ${calls.length}`;
}
