import fc from 'fast-check';
import { expect } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import type { MakeBoard } from './boards.js';
import { schedules } from './schedule.js';
import { ScheduledBoard } from './scheduled-board.js';

/** Runs random schedules, and compares the store with the reference after each step. */
export async function proveSchedules(name: string, make: MakeBoard, runs: number): Promise<void> {
  const property = fc.asyncProperty(schedules, async (steps) => {
    await using scheduled = new ScheduledBoard(make(), steps);
    for (const step of steps) {
      await scheduled.run(step);
      expect(scheduled.board).toEqual(scheduled.reference);
      expect(scheduled.order).toEqual(scheduled.referenceOrder);
      expect(scheduled.unreported).toEqual([]);
    }
  });
  await fc.assert(property, propertyRun(`schedules of ${name}`, runs));
}
