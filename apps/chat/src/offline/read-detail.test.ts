import { expect, test } from 'vitest';
import { dayOf } from '../board/day-words.js';
import { detailCommand } from './read-detail.js';
import { readCommands } from './read-commands.js';

test.each([0, 1, 3])(
  'audit-V1 the message that sets a date is read as the same date, %i years from now',
  (years) => {
    const now = new Date();
    const due = dayOf(new Date(now.getFullYear() + years, 11, 31));
    const [command] = readCommands(detailCommand('“Plan”', { due }));
    expect(command).toMatchObject({ type: 'detail', details: { due } });
  },
);
