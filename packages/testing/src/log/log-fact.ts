import type { LogStage } from './log-stage.js';

/** The names of the facts that the suite proves, for `skip`. */
export type LogFact =
  | 'claim'
  | 'held'
  | 'lease-time'
  | 'renew'
  | 'release'
  | 'steal'
  | 'steal-race'
  | 'freed'
  | 'freed-end'
  | 'fencing'
  | 'conflict'
  | 'one-writer'
  | 'claim-race'
  | 'claim-during-appends'
  | 'snapshot-during-appends'
  | 'remove-during-tail'
  | 'order'
  | 'load'
  | 'tail'
  | 'tail-live'
  | 'two-readers'
  | 'slow-reader'
  | 'tail-end'
  | 'gap'
  | 'snapshot'
  | 'snapshot-refused'
  | 'copies'
  | 'list'
  | 'list-pages'
  | 'list-prefix'
  | 'describe'
  | 'remove'
  | 'orphans'
  | 'orphans-time'
  | 'orphans-end'
  | 'channel'
  | 'channel-end'
  | 'channel-copies'
  | 'hostile-keys'
  | 'hostile-ids'
  | 'revision-back'
  | 'huge-record'
  | 'not-json';

/** A test of the suite. */
export interface ProvenLogFact {
  readonly fact: LogFact;
  readonly description: string;
  prove(stage: LogStage): Promise<void>;
}
