import type { AgentSession } from '@handrail/session';
import type { FaultKind } from '../offline/fault.js';

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
export function composerHint(session: AgentSession, fault: FaultKind | null, isEmpty: boolean): string {
  if (session.phase.value === 'cancelling') return 'Press again to cut it';
  if (session.isRunning.value) return isEmpty ? 'Enter to queue' : `Enter to queue, ${steerKey} to steer`;
  if (fault !== null) return `The model will ${faultWords[fault]}, once.`;
  return isEmpty && session.turns.value.length > 0 ? '↑ to edit the last' : 'Enter to send';
}
