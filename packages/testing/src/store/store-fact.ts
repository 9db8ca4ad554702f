import type { StoreStage } from './store-stage.js';

/** The names of the facts that the suite proves, for `skip`. */
export type StoreFact =
  | 'field'
  | 'absent-field'
  | 'added'
  | 'removed'
  | 'neighbours'
  | 'moved'
  | 'plain-list'
  | 'several'
  | 'other-field'
  | 'same-field'
  | 'partly'
  | 'edited-card'
  | 'removed-card'
  | 'redo-edited'
  | 'behind-await'
  | 'unattributed'
  | 'cancel'
  | 'thrown'
  | 'reload'
  | 'reload-partly'
  | 'reload-removed'
  | 'any-turn'
  | 'review'
  | 'in-place'
  | 'not-json'
  | 'subscribe'
  | 'revision';

/** A test of the suite. */
export interface ProvenStoreFact {
  readonly fact: StoreFact;
  readonly description: string;
  prove(stage: StoreStage): Promise<void>;
}
