import { indexedDbLog } from '@banister/storage';
import { expect, test } from 'vitest';
import { spoilTransactions } from './database-faults.js';
import { expectNothingLost, makePage, opened, turn } from './faulty-turns.js';

let count = 0;

/** Runs one turn. From one transaction on, the storage is full. Resolves with the number of transactions. */
async function turnUntilFull(fault: 'quota on put' | 'quota on commit', from: number): Promise<number> {
  const name = `full-${++count}`;
  const page = makePage();
  const transactions = spoilTransactions(fault, (number) => number >= from);
  try {
    const session = page.open(indexedDbLog({ name }), turn());
    const wasAcknowledged = await session.send('Add Plan').then(
      () => true,
      () => false,
    );
    await opened(session);
    if (from <= transactions.count) expect(session.link.value.saved).toBe(false);
    const made = transactions.count;
    // The user frees space, and the next session finds the stored data.
    transactions.end();
    await expectNothingLost(page, session, wasAcknowledged, indexedDbLog({ name }));
    return made;
  } finally {
    transactions.end();
  }
}

test.each(['quota on put', 'quota on commit'] as const)(
  'D1 if the storage becomes full at any transaction of a turn (%s), that is shown, nothing acknowledged is lost, and it is used again when there is room',
  async (fault) => {
    const transactions = await turnUntilFull(fault, Infinity);
    expect(transactions).toBeGreaterThan(5);
    for (let from = 1; from <= transactions; from++) {
      await turnUntilFull(fault, from).catch((error: unknown) => {
        throw new Error(`The storage was full from transaction ${from} of ${transactions} on.`, {
          cause: error,
        });
      });
    }
  },
);
