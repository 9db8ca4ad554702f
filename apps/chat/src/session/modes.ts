import type { CommitMode } from './composer.js';

/** The ways to send, as the composer offers them. */
export const modes: readonly { readonly mode: CommitMode; readonly label: string }[] = [
  { mode: 'auto', label: 'Act at once' },
  { mode: 'review', label: 'Review first' },
];
