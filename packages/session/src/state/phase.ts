/**
 * The activity of the session. While a confirmation or an extension request is open it is `confirming`, also when calls run;
 * `rolling-back` stands for undo and redo too.
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
