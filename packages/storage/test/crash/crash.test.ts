// Pages and browsers are killed, in Chromium. `npm run test:exhaustive -- --pages` kills after every record.
import { expect, inject, test } from 'vitest';
import { drawnLives, killEverywhere } from './kill-everywhere.js';

const drawn =
  inject('tier') === 'full' ? { lives: 12, kills: 5, browsers: 4 } : { lives: 1, kills: 2, browsers: 1 };

test('F1 F18 D7 pages and browsers that are killed at random moments of thirty turns lose nothing, and act once', async () => {
  const failures: string[] = [];
  let count = 0;
  await killEverywhere(drawnLives(inject('propertySeed'), drawn), (life, problems) => {
    count++;
    failures.push(...problems.map((problem) => `${problem}, in ${life}`));
  });
  expect(failures).toEqual([]);
  expect(count).toBe(drawn.lives);
});
