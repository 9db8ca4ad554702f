import type { AgentSession } from '@banister/session';
import type { FaultKind } from '../offline/fault.js';
import { canRepeat } from './can-repeat.js';
import type { Composer } from './composer.js';

const once = (what: string) => `The model will ${what}, once.`;

const faultWords: Readonly<Record<FaultKind, string>> = {
  stall: once('fall silent'),
  'stall-thinking': once('fall silent while it thinks'),
  'stall-call': once('fall silent in a call'),
  cut: once('lose the connection'),
  error: once('fail'),
  deaf: once('fall silent and not hear Stop'),
  busy: once('ask to wait'),
  down: 'The first of two models is down.',
};

/** The name of the key that, together with Enter, steers. */
export const steerKey = globalThis.navigator?.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl+Enter';

/** Returns the line below the message field. Reads signals. */
export function composerHint(
  session: AgentSession,
  { composer, fault }: { readonly composer: Pick<Composer, 'isEmpty'>; readonly fault: FaultKind | null },
): string {
  const isEmpty = composer.isEmpty.value;
  if (session.phase.value === 'cancelling') return 'Stop now cuts it';
  if (session.isRunning.value) return isEmpty ? 'Enter to queue' : `Enter to queue, ${steerKey} to steer`;
  if (fault !== null) return faultWords[fault];
  const last = session.turns.value.at(-1);
  return isEmpty && last !== undefined && canRepeat(last) ? '↑ to edit the last' : 'Enter to send';
}

/** Returns the placeholder, which names the kind of message that may be written now. Reads signals. */
export function composerPlaceholder({ isRunning, pendingReview }: AgentSession): string {
  if (pendingReview.value !== null) return 'Say what to change';
  return isRunning.value ? 'Ask for more' : 'Ask for a change';
}
