import type { FaultKind } from '../offline/fault.js';

const faultWords: Readonly<Record<FaultKind, string>> = {
  stall: 'fall silent',
  'stall-thinking': 'fall silent while it thinks',
  'stall-call': 'fall silent in a call',
  cut: 'lose the connection',
  error: 'fail',
  deaf: 'fall silent and not hear Stop',
};

/** The line below the message. */
export function composerHint(fault: FaultKind | null, isCancelling: boolean): string {
  if (isCancelling) return 'Press again to cut it';
  if (fault !== null) return `The model will ${faultWords[fault]}, once.`;
  return 'Enter to send';
}
