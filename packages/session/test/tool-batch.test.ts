// How the calls of one answer run.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  gatedTool,
  say,
  settle,
  spyTool,
  type GatedTool,
  type ScriptedCall,
} from '@banister/testing';
import { stop, type Tool } from '@banister/session';
import { fixture, outline, rejection, resultTexts } from './fixture.js';

const read = (name: string): GatedTool => gatedTool(name, { capabilities: ['readOnly'] });
const call = (tool: string, n: number): ScriptedCall => ({ tool: `board.${tool}`, args: { n } });
const domain = (...tools: readonly Tool[]) => [{ id: 'board', tools }];
const running = (...tools: readonly GatedTool[]) =>
  tools.flatMap((tool) => tool.runs.filter((run) => !run.settled).map((run) => run.args.n));

describe('the order of runs', () => {
  it('T20 consecutive readOnly calls run together, any other call alone, in call order', async () => {
    const [r, w] = [read('read'), gatedTool('write')];
    await using f = fixture(
      [
        callTools(
          call('read', 1),
          call('read', 2),
          call('write', 3),
          call('write', 4),
          call('read', 5),
          call('read', 6),
        ),
        say('Done.'),
      ],
      { domains: domain(r, w) },
    );
    const turn = f.session.send('Go');
    const settleAll = () => {
      for (const run of [...r.runs, ...w.runs]) run.settle(run.args.n);
    };
    const groups: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      await settle();
      groups.push(running(r, w));
      settleAll();
    }
    await turn;
    expect(groups).toEqual([[1, 2], [3], [4], [5, 6]]);
    expect(resultTexts(f.provider.requests[1]!).map((text) => JSON.parse(text).value)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });

  it('at most 8 `readOnly` calls run in parallel; the next call starts when one settles', async () => {
    const r = read('read');
    await using f = fixture(
      [callTools(...Array.from({ length: 11 }, (_, n) => call('read', n))), say('Done.')],
      {
        domains: domain(r),
      },
    );
    const turn = f.session.send('Go');
    await settle();
    expect(running(r)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    r.runs[5]!.settle();
    await settle();
    expect(running(r)).toEqual([0, 1, 2, 3, 4, 6, 7, 8]);
    while (f.session.isRunning.value && r.runs.some((run) => !run.settled)) {
      for (const run of r.runs) run.settle();
      await settle();
    }
    await turn;
  });

  it('a tool without capabilities is mutating: it runs alone', async () => {
    const plain = gatedTool('plain');
    await using f = fixture([callTools(call('plain', 1), call('plain', 2)), say('Done.')], {
      domains: domain(plain),
    });
    const turn = f.session.send('Go');
    await settle();
    expect(running(plain)).toEqual([1]);
    plain.runs[0]!.settle();
    await settle();
    expect(running(plain)).toEqual([2]);
    plain.runs[1]!.settle();
    await turn;
  });

  it('`networking` or `paid` tools also run alone, unless they are `readOnly`', async () => {
    const paid = gatedTool('paid', { capabilities: ['paid', 'networking'] });
    const lookup = gatedTool('lookup', { capabilities: ['readOnly', 'paid'] });
    await using f = fixture(
      [callTools(call('paid', 1), call('paid', 2), call('lookup', 3), call('lookup', 4)), say('Done.')],
      { domains: domain(paid, lookup) },
    );
    const turn = f.session.send('Go');
    for (const expected of [[1], [2], [3, 4]]) {
      await settle();
      expect(running(paid, lookup)).toEqual(expected);
      for (const run of [...paid.runs, ...lookup.runs]) run.settle();
    }
    await turn;
  });

  it('T17 64 parallel calls, one fails: 64 results in the order of the calls (seed 10)', async () => {
    const r = read('read');
    await using f = fixture(
      [callTools(...Array.from({ length: 64 }, (_, n) => call('read', n))), say('Done.')],
      {
        domains: domain(r),
        limits: { maxToolCalls: 64 },
      },
    );
    const turn = f.session.send('Go');
    // The newest settles first, so that nothing completes in call order.
    while (f.session.isRunning.value) {
      await settle();
      const last = r.runs.findLast((run) => !run.settled);
      if (last === undefined) continue;
      if (last.args.n === 20) last.throw(new Error('no'));
      else last.settle(last.args.n);
    }
    expect((await turn).status).toBe('completed');
    const texts = resultTexts(f.provider.requests[1]!);
    expect(texts).toHaveLength(64);
    texts.forEach((text, n) => {
      if (n === 20) expect(text).toMatch(/no/);
      else expect(JSON.parse(text).value).toBe(n);
    });
  });

  it('T7 T6 the same call id twice, in one answer and in a later one, is two calls with two results', async () => {
    const work = spyTool('work', { execute: ({ n }) => n ?? null });
    await using f = fixture(
      [
        callTools({ ...call('work', 1), id: 'same' }, { ...call('work', 2), id: 'same' }),
        callTools({ ...call('work', 3), id: 'same' }),
        say('Done.'),
      ],
      { domains: domain(work) },
    );
    await f.session.send('Go');
    expect(work.runs.map((run) => run.args.n)).toEqual([1, 2, 3]);
    expect(new Set(work.runs.map((run) => run.context.callId)).size).toBe(3);
    expect(new Set(work.runs.map((run) => run.context.idempotencyKey)).size).toBe(3);
  });

  it('T5 fragments of two calls that interleave make two whole calls', async () => {
    const work = spyTool('work');
    await using f = fixture(
      [
        callTools(
          { type: 'tool-call', index: 0, tool: 'board.work', delta: '{"n"' },
          { type: 'tool-call', index: 1, tool: 'board.work', delta: '{"n":' },
          { type: 'tool-call', index: 0, delta: ':1}' },
          { type: 'tool-call', index: 1, delta: '2}' },
        ),
        say('Done.'),
      ],
      { domains: domain(work) },
    );
    await f.session.send('Go');
    expect(work.runs.map((run) => run.args)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('S-18 text, thinking and calls keep their order in the message', async () => {
    await using f = fixture(
      [
        callTools(
          { type: 'thinking', delta: 'a', signature: 's1' },
          call('work', 1),
          { type: 'thinking', delta: 'b', signature: 's2' },
          'text',
          call('work', 2),
        ),
        say('Done.'),
      ],
      { domains: domain(spyTool('work')) },
    );
    await f.session.send('Go');
    expect(outline(f.session.conversation.value.messages)[1]).toBe(
      'assistant: thinking | call board.work | thinking | text | call board.work',
    );
    expect(f.session.conversation.value.messages[1]?.parts[2]).toEqual({
      type: 'thinking',
      text: 'b',
      signature: 's2',
      signedBy: 'scripted',
      owner: { provider: 'scripted', model: 'scripted-1' },
    });
  });

  it('in a mixed batch, rejected calls get results and the other calls run', async () => {
    const work = spyTool('work');
    await using f = fixture(
      [
        callTools(call('nowhere', 1), call('work', 2), { tool: 'board.work', argumentsText: '[' }),
        say('Done.'),
      ],
      { domains: domain(work) },
    );
    await f.session.send('Go');
    expect(outline(f.session.conversation.value.messages)[2]).toBe(
      'user: result rejected | result success | result rejected',
    );
  });

  it('a tool cannot be swapped by changing the domain after the session was created', async () => {
    const tools = [spyTool('work')];
    const late = spyTool('late');
    await using f = fixture([callTools({ tool: 'board.late' }), say('Done.')], {
      domains: [{ id: 'board', tools }],
    });
    tools.push(late);
    await f.session.send('Go');
    expect(late.runs).toEqual([]);
  });
});

describe('a group that runs together', () => {
  const reads = (count: number) => callTools(...Array.from({ length: count }, (_, n) => call('read', n)));

  it('starts no waiting call after the turn is cancelled; running calls finish', async () => {
    const r = gatedTool('read', { parallel: true });
    await using f = fixture([reads(11)], { domains: domain(r) });
    const turn = f.session.send('Go');
    await settle();
    const cancel = f.session.cancel();
    for (const run of r.runs) run.settle();
    await settle();
    expect(r.runs).toHaveLength(8);
    expect((await cancel).completed).toHaveLength(8);
    expect((await cancel).skipped).toHaveLength(3);
    expect((await rejection(turn)).code).toBe('cancelled');
  });

  it('starts no waiting call after a call stopped the turn; the result says that it did not run', async () => {
    const r = read('read');
    await using f = fixture([reads(10)], { domains: domain(r) });
    const turn = f.session.send('Go');
    await settle();
    r.runs[0]!.settle(stop('Enough.'));
    await settle();
    for (const run of r.runs) run.settle();
    await settle();
    expect(r.runs).toHaveLength(8);
    expect((await turn).stop?.kind).toBe('tool');
    const outcomes = f.session.conversation.value.messages[2]?.parts.map(
      (part) => 'outcome' in part && part.outcome,
    );
    expect(outcomes).toEqual(['stop', ...Array.from({ length: 7 }, () => 'success'), 'rejected', 'rejected']);
  });

  it.each(['fail', 'stop'] as const)(
    'starts only as many calls as the limit allows (%s); every call has a result',
    async (onTrip) => {
      const r = read('read');
      await using f = fixture([reads(5), say('Fine.')], {
        domains: domain(r),
        limits: { maxToolCalls: 3, onTrip },
      });
      const turn = f.session.send('Go');
      turn.catch(() => {});
      await settle();
      for (const run of r.runs) run.settle('answer');
      await settle();
      expect(r.runs).toHaveLength(3);
      expect(f.session.lastOutcome.value?.status).toBe(onTrip === 'stop' ? 'stopped' : 'failed');
      expect((await f.session.send('Next')).text).toBe('Fine.');
    },
  );
});
