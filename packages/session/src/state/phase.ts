/**
 * The activity of the session. While a confirmation or an extension request is open, the phase is `confirming`, even if calls run. During
 * undo and redo it is `rolling-back`.
 */
export type Phase =
  | 'idle'
  | 'preparing'
  | 'streaming'
  | 'confirming'
  | 'executing'
  | 'retrying'
  | 'compacting'
  | 'reviewing'
  | 'committing'
  | 'cancelling'
  | 'rolling-back';
