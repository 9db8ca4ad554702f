import type { AgentSession } from '@banister/session';
import { planOf } from '@banister/crew/plan';
import { carryOutId } from '../release/release-planning.js';
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
      return writingWords(session);
    case 'confirming':
      return 'Waiting for you';
    case 'executing': {
      // Agents work on while the user is asked about a call of one of them.
      if (isAsked(session)) return 'Waiting for you';
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

function writingWords({ activeToolCalls, currentText }: AgentSession): string {
  const written = activeToolCalls.value.find(({ state }) => state === 'assembling');
  if (written !== undefined) return written.tool === carryOutId ? 'Writing a plan…' : 'Preparing a change…';
  return currentText.value === '' ? 'Thinking…' : 'Writing…';
}

/**
 * Returns how many of the changes of the last round are done, "2 of 5", or how many agents of its only call,
 * or how many steps of its plan have ended; empty if there are fewer than two. Reads a signal.
 */
export function workCount({ liveTurn }: AgentSession): string {
  const calls = liveTurn.value?.rounds.at(-1)?.parts.filter((part) => part.type === 'tool-call') ?? [];
  const steps = calls.flatMap((call) => planOf(call)?.steps ?? []);
  if (steps.length > 1 && steps.every(({ status }) => status !== 'proposed'))
    return `${steps.filter(({ status }) => status !== 'waiting' && status !== 'running').length} of ${steps.length}`;
  const children = calls.flatMap((call) => call.children ?? []);
  if (calls.length === 1 && children.length > 1)
    return `${children.filter(({ outcome }) => outcome !== null).length} of ${children.length}`;
  if (calls.length < 2 || calls.some(({ state }) => state === 'assembling')) return '';
  return `${calls.filter(({ state }) => state === 'settled').length} of ${calls.length}`;
}

/** Returns whether the user is asked about a call. Reads a signal. */
export function isAsked({ pendingConfirmations }: AgentSession): boolean {
  return pendingConfirmations.value.some(({ answeredBy }) => answeredBy === 'signal');
}
