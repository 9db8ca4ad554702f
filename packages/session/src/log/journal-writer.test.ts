import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import type { Operation } from '../operations/operation.js';
import { signal } from '../signals/signals-core.js';
import { JournalWriter, type JournalHost } from './journal-writer.js';
import type { Link } from './session-log.js';

/** A write, and the time at which it began. */
interface Begun {
  readonly at: number;
  readonly operations: readonly Operation[];
  readonly barrier: boolean;
}

/**
 * A writer on a virtual clock.
 *
 * @param answersAfter the time that the journal takes for a write, in milliseconds; null for a journal that returns nothing
 */
function writing(answersAfter: number | null = null) {
  const clock = createVirtualClock(1_000);
  const writes: Begun[] = [];
  const link = signal<Link>({ role: 'writer', open: true, saved: true });
  const nothing = () => {};
  const host: JournalHost = { link, fencedBy: null, fenced: nothing, putDown: nothing, savedAgain: nothing };
  const journal = {
    write(operations: readonly Operation[], { barrier }: { readonly barrier: boolean }) {
      writes.push({ at: clock.now(), operations, barrier });
      if (answersAfter === null) return undefined;
      return new Promise<void>((resolve) => void clock.schedule(resolve, answersAfter));
    },
  };
  const writer = new JournalWriter(journal, { clock, reportError: () => {} }, host);
  let sequence = 0;
  const take = (type: 'text' | 'thinking' | 'toolProgress'): Operation => {
    const fact = type === 'toolProgress' ? { callId: 'c', patch: {} } : { delta: 'word ' };
    const operation = { type, ...fact, turnId: 't', at: clock.now(), sequence: ++sequence } as Operation;
    writer.take(operation);
    return operation;
  };
  return { clock, writes, writer, take };
}

describe('text, for which no step waits', () => {
  it('served H12 is written at once after a quiet time', async () => {
    const { clock, writes, take } = writing();
    take('text');
    expect(writes).toHaveLength(1);
    await clock.advance(50);
    take('thinking');
    expect(writes).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('served H12 is written 50 ms after the last text when it follows sooner', async () => {
    const { clock, writes, take } = writing();
    take('text');
    await clock.advance(20);
    take('text');
    await clock.advance(29);
    expect(writes).toHaveLength(1);
    await clock.advance(1);
    expect(writes.map(({ operations }) => operations.length)).toEqual([1, 1]);
  });

  it('served H12 text is written at once also after the clock was set back', async () => {
    const { clock, writes, writer, take } = writing();
    take('text');
    writer.take({ ...take('toolProgress'), type: 'text', delta: 'word', at: 0, sequence: 3 } as Operation);
    expect(writes).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });

  it('served H12 text makes at most one write each 50 ms, and one more', async () => {
    const { clock, writes, take } = writing();
    const begin = clock.now();
    for (let piece = 0; piece < 300; piece++) {
      take('text');
      await clock.advance(7);
    }
    await clock.advance(50);
    expect(writes.flatMap(({ operations }) => operations)).toHaveLength(300);
    expect(writes.length).toBeLessThanOrEqual(1 + (clock.now() - begin) / 50);
  });

  it('served H12 another operation than text waits for the barrier that often follows, so that the barrier waits for one write', () => {
    const { writes, writer, take } = writing(1);
    take('toolProgress');
    void writer.barrier();
    expect(writes.map(({ barrier }) => barrier)).toEqual([true]);
  });

  it('agents C58 the text of child turns is written as text, and the start of a rollback in a child turn at once', async () => {
    const { clock, writes, writer } = writing();
    let sequence = 0;
    const leaf = (inner: object) => {
      const stamp = { turnId: 't', at: clock.now(), sequence: ++sequence };
      writer.take({ type: 'subagent', path: ['x'], inner, ...stamp } as unknown as Operation);
    };
    leaf({ type: 'text', delta: 'word' });
    expect(writes).toHaveLength(1);
    leaf({ type: 'text', delta: 'x'.repeat(16_383) });
    expect(writes).toHaveLength(1);
    leaf({ type: 'text', delta: 'x' });
    expect(writes).toHaveLength(2);
    leaf({ type: 'toolProgress', callId: 'c', patch: 1 });
    await clock.advance(49);
    expect(writes).toHaveLength(2);
    leaf({ type: 'rollbackStarted' });
    expect(writes.map(({ operations }) => operations.length)).toEqual([1, 2, 2]);
  });

  it('served H12 a piece is written within 50 ms, and a barrier waits for one write at most, whenever they come', async () => {
    const steps = fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 120 }),
        what: fc.constantFrom('text', 'text', 'text', 'thinking', 'toolProgress', 'barrier' as const),
      }),
      { minLength: 1, maxLength: 40 },
    );
    const schedule = fc.asyncProperty(
      steps,
      fc.option(fc.integer({ min: 0, max: 90 }), { nil: null }),
      async (given, answersAfter) => {
        const { clock, writes, writer, take } = writing(answersAfter);
        const taken: Operation[] = [];
        const barriers: { readonly begun: number; readonly last: Operation }[] = [];
        for (const { after, what } of given) {
          await clock.advance(after);
          taken.push(take(what === 'barrier' ? 'toolProgress' : what));
          if (what !== 'barrier') continue;
          barriers.push({ begun: writes.length, last: taken.at(-1)! });
          void writer.barrier();
        }
        await clock.advance(1_000);
        const writeOf = (operation: Operation) =>
          writes.findIndex(({ operations }) => operations.includes(operation));
        for (const operation of taken)
          expect(writes[writeOf(operation)]!.at - operation.at).toBeLessThanOrEqual(
            Math.max(50, answersAfter ?? 0),
          );
        // A write that had begun, if it has not been answered, and then its own.
        for (const { begun, last } of barriers) expect(writeOf(last)).toBeLessThanOrEqual(begun);
        expect(writes.flatMap(({ operations }) => operations)).toEqual(taken);
        if (answersAfter !== null) return;
        const ofText = writes.filter(({ barrier, operations }) => !barrier && 'delta' in operations.at(-1)!);
        for (const [index, { at }] of ofText.entries())
          expect(at - (ofText[index - 1]?.at ?? -50)).toBeGreaterThanOrEqual(50);
      },
    );
    await fc.assert(schedule, propertyRun('text and barriers', 1_000));
  });
});

describe('a write without an answer', () => {
  it('is refused after 5 seconds', async () => {
    const { clock, writer, take } = writing(60_000);
    take('text');
    let error: unknown;
    Promise.resolve(writer.barrier()).catch((thrown: unknown) => (error = thrown));
    await clock.advance(4_999);
    expect(error).toBeUndefined();
    await clock.advance(1);
    expect(error).toMatchObject({ code: 'storage' });
  });
});
