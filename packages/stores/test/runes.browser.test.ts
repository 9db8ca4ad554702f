// Section 15 of the contract, undo without writing undo: with real runes, which are signals in a browser only.
import { storeConformance } from '@handrail/testing';
import { describe, it } from 'vitest';
import { gapsOfRunes, objectBoard } from './boards.js';
import { proveSchedules } from './prove-schedules.js';
import { runesBoard } from './runes-board.svelte.js';

storeConformance('runesState', objectBoard(runesBoard), { describe, it }, { skip: gapsOfRunes });

it('the edits of the user survive whatever is taken back and made again, in an object of runes', () =>
  proveSchedules('runesState', objectBoard(runesBoard), 1_000));
