import { indexedDbLog } from '@banister/storage';
import { expect, test } from 'vitest';
import { databaseFaults, spoilTransactions } from './database-faults.js';
import { expectNothingLost, makePage, opened, turn } from './faulty-turns.js';

let count = 0;

/**
 * Runs one turn with a fault in one transaction; 0 means no fault. Resolves with the number of transactions.
 */
async function turnWithFault(fault: (typeof databaseFaults)[number], at: number): Promise<number> {
  const name = `faults-${++count}`;
  const page = makePage();
  const transactions = spoilTransactions(fault, (number) => number === at);
  let made: number;
  try {
    const session = page.open(indexedDbLog({ name }), turn());
    const acknowledged = session.send('Add Plan').then(
      () => true,
      () => false,
    );
    const wasAcknowledged = await acknowledged;
    await opened(session);
    made = transactions.count;
    transactions.end();
    await expectNothingLost(page, session, wasAcknowledged, indexedDbLog({ name }));
  } finally {
    transactions.end();
  }
  return made;
}

test.each(databaseFaults)(
  'D1 D7 F4 a turn loses nothing and acts once if any transaction has the fault "%s"',
  async (fault) => {
    const transactions = await turnWithFault(fault, 0);
    expect(transactions).toBeGreaterThan(5);
    for (let at = 1; at <= transactions; at++) {
      await turnWithFault(fault, at).catch((error: unknown) => {
        throw new Error(`The fault was in transaction ${at} of ${transactions}.`, { cause: error });
      });
    }
  },
);
