// `turn$`.
import { firstValueFrom, lastValueFrom, retry as rxRetry, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { callTools, fail, finishWith, gate, gatedTool, say, settle, stall } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, terminals } from './fixture.js';

describe('turn$', () => {
  it('is cold: nothing happens until it is subscribed to', async () => {
    await using f = fixture([say('x')]);
    const turn = f.session.turn$('Go');
    await settle();
    expect(f.observed.operations).toEqual([]);
    expect(f.session.isRunning.value).toBe(false);
    const operations = await lastValueFrom(turn.pipe(toArray()));
    expect(operations).toEqual(f.observed.operations);
    expect(operations[0]?.type).toBe('turnStarted');
    expect(operations.at(-1)?.type).toBe('completed');
  });

  it("delivers its own turn's operations only", async () => {
    const slow = gatedTool('slow');
    await using f = fixture([callTools({ tool: 'board.slow' }), say('x')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    void f.session.send('Go');
    const run = await slow.next();
    await f.session.cancel({ immediate: true });
    const types: string[] = [];
    const turn = lastValueFrom(f.session.turn$('Next').pipe(toArray()));
    run.settle();
    for (const operation of await turn) types.push(operation.type);
    await settle();
    expect(f.observed.types).toContain('lateToolSettled');
    expect(types).not.toContain('lateToolSettled');
  });

  it.each([
    ['failed', fail('auth')],
    ['stopped', finishWith('length', 'x')],
  ] as const)(
    'ends with the terminal operation, then completes without an error (%s)',
    async (type, answer) => {
      await using f = fixture([answer]);
      expect((await lastValueFrom(f.session.turn$('Go'))).type).toBe(type);
    },
  );

  it('completes when the turn is cancelled', async () => {
    await using f = fixture([stall('x')]);
    const last = lastValueFrom(f.session.turn$('Go'));
    await settle();
    void f.session.cancel();
    expect((await last).type).toBe('cancelled');
  });

  it('errors if send would refuse', async () => {
    await using f = fixture([]);
    expect((await rejection(firstValueFrom(f.session.turn$('')))).code).toBe('invalid-input');
    await f.session.dispose();
    expect((await rejection(firstValueFrom(f.session.turn$('x')))).code).toBe('disposed');
    expect(f.observed.types).toEqual(['disposed']);
  });

  it('may be subscribed to again after a refusal, because nothing ran', async () => {
    const more = gate();
    await using f = fixture([say([more, 'x']), say('y')]);
    const turn = f.session.turn$('Next');
    const first = f.session.send('Go');
    expect((await rejection(firstValueFrom(turn))).code).toBe('already-running');
    more.open();
    await first;
    expect((await lastValueFrom(turn)).type).toBe('completed');
  });

  it('runs once: a second subscription and RxJS retry cannot re-run side effects', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('x')], { domains: [board.domain()] });
    const turn = f.session.turn$('Go');
    await lastValueFrom(turn);
    expect((await rejection(lastValueFrom(turn.pipe(rxRetry(2))))).code).toBe('already-running');
    expect(board.titles).toEqual(['A']);
    expect(f.provider.requests).toHaveLength(2);
  });

  it('X11 `take(1)` aborts the turn', async () => {
    await using f = fixture([], { looseScript: true });
    await firstValueFrom(f.session.turn$('Go'));
    await settle();
    expect(terminals(f)).toEqual(['cancelled']);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('X10 a throwing subscriber does not affect the turn', async () => {
    await using f = fixture([say('x')], { reportsErrors: true });
    f.session.turn$('Go').subscribe(() => {
      throw new Error('subscriber');
    });
    await settle();
    expect(terminals(f)).toEqual(['completed']);
    expect(f.reported.length).toBeGreaterThan(0);
  });
});
