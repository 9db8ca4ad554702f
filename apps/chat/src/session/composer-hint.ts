import type { AgentSession } from '@handrail/session';
import type { FaultKind } from '../offline/fault.js';
import type { Composer } from './composer.js';

const faultWords: Readonly<Record<FaultKind, string>> = {
  stall: 'fall silent',
  'stall-thinking': 'fall silent while it thinks',
  'stall-call': 'fall silent in a call',
  cut: 'lose the connection',
  error: 'fail',
  deaf: 'fall silent and not hear Stop',
};

/** The key that steers beside Enter, as keyboards name it. */
export const steerKey = globalThis.navigator?.platform.startsWith('Mac') ? '⌘ Enter' : 'Ctrl+Enter';

/** The line below the message. Reads signals. */
export function composerHint(
  session: AgentSession,
  { composer, fault }: { readonly composer: Pick<Composer, 'text'>; readonly fault: FaultKind | null },
): string {
  const isEmpty = composer.text.value.trim() === '';
  if (session.phase.value === 'cancelling') return 'Press again to cut it';
  if (session.isRunning.value) return isEmpty ? 'Enter to queue' : `Enter to queue, ${steerKey} to steer`;
  if (fault !== null) return `The model will ${faultWords[fault]}, once.`;
  return isEmpty && session.turns.value.length > 0 ? '↑ to edit the last' : 'Enter to send';
}
