// The user's edits survive every undo and redo.
import { describe, it } from 'vitest';
import { boards } from './boards.js';
import { proveSchedules } from './prove-schedules.js';

describe('the edits of the user survive every cancel, rollback, review, undo, redo and reload', () => {
  it.each(Object.keys(boards))(
    'in %s, and the store equals a store in which only the calls in effect have run',
    (name) => proveSchedules(name, boards[name]!, 1_000),
  );
});
