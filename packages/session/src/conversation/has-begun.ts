import type { ToolCallView } from './turn-record.js';

/** Returns true for a call whose executor was called: it is not incomplete, waiting or rejected. */
export function hasBegun({ state, rejection }: ToolCallView): boolean {
  return state !== 'assembling' && state !== 'waiting' && rejection === undefined;
}
