// Calls that change different things run side by side.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callTools, gatedTool, say, settle, type GatedTool, type ScriptedCall } from '@banister/testing';
import {
  contentRevision,
  defineTool,
  UndoHistory,
  type Domain,
  type JsonObject,
  type Tool,
  type AgentSession,
} from '@banister/session';
import { propertyRun } from '../../../test/kit/property-run.js';
import { fixture, names, rejection, resultTexts } from './fixture.js';

const call = (n: number, ...on: readonly string[]): ScriptedCall => ({
  tool: 'board.write',
  args: { n, on },
});
const on = (args: JsonObject) => args.on as readonly string[];
const domain = (...tools: readonly Tool[]): Domain => ({ id: 'board', tools });
const running = (...tools: readonly GatedTool[]) =>
  tools.flatMap((tool) => tool.runs.filter((run) => !run.settled).map((run) => run.args.n)).sort();

/** Sends calls, ends those that run together together, and returns the groups. */
async function groupsOf(
  calls: readonly ScriptedCall[],
  domains: readonly Domain[],
  tools: readonly GatedTool[],
  reportsErrors = false,
) {
  await using f = fixture([callTools(...calls), say('Done.')], { domains, reportsErrors });
  const turn = f.session.send('Go');
  const groups: unknown[] = [];
  for (await settle(); running(...tools).length > 0; await settle()) {
    groups.push(running(...tools));
    for (const tool of tools) for (const run of tool.runs) run.settle();
  }
  await turn;
  return { groups, reported: f.reported };
}

describe('resources', () => {
  it('mutating calls with different resources run in parallel; a call that shares a resource waits', async () => {
    const write = gatedTool('write', { resources: on });
    const calls = [call(1, 'a'), call(2, 'b', 'c'), call(3, 'c'), call(4, 'a'), call(5, 'd')];
    const { groups } = await groupsOf(calls, [domain(write)], [write]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('no call overtakes a waiting call', async () => {
    const write = gatedTool('write', { resources: on });
    await using f = fixture(
      [callTools(call(1, 'a'), call(2, 'b'), call(3, 'a'), call(4, 'c')), say('Done.')],
      {
        domains: [domain(write)],
      },
    );
    const turn = f.session.send('Go');
    await settle();
    write.runs[1]!.settle();
    await settle();
    expect(running(write)).toEqual([1]);
    write.runs[0]!.settle();
    await settle();
    expect(running(write)).toEqual([3, 4]);
    for (const run of write.runs) run.settle();
    await turn;
  });

  it('belong to a domain: the same name in another domain is a different resource', async () => {
    const write = gatedTool('write', { resources: on });
    const other = gatedTool('write', { resources: on });
    const calls = [call(1, 'a'), { tool: 'notes.write', args: { n: 2, on: ['a'] } }, call(3, 'a')];
    const { groups } = await groupsOf(
      calls,
      [domain(write), { id: 'notes', tools: [other] }],
      [write, other],
    );
    expect(groups).toEqual([[1, 2], [3]]);
  });

  it('resources are read from the arguments that a call runs with', async () => {
    const write = gatedTool('write', { resources: on });
    await using f = fixture([callTools(call(1, 'a'), call(2, 'a')), say('Done.')], {
      domains: [domain(write)],
      middleware: [
        {
          name: 'moves',
          beforeToolCalls: async (calls) => ({ [calls[1]!.id]: { arguments: { n: 2, on: ['b'] } } }),
        },
      ],
    });
    const turn = f.session.send('Go');
    await write.next();
    await write.next();
    expect(running(write)).toEqual([1, 2]);
    for (const run of write.runs) run.settle();
    await turn;
  });

  it('a call without resources runs alone', async () => {
    const write = gatedTool('write', { resources: on });
    const { groups } = await groupsOf([call(1, 'a'), call(2), call(3, 'b')], [domain(write)], [write]);
    expect(groups).toEqual([[1], [2], [3]]);
  });

  it.each([
    ['throws', () => JSON.parse('no JSON') as never, 'JSON'],
    ['returns no list of texts', () => [7] as never, 'board.write'],
    ['returns no list', () => 'a' as never, 'board.write'],
  ])('a tool whose function %s runs alone, and the error is reported', async (_name, resources, message) => {
    const write = gatedTool('write', { resources });
    const { groups, reported } = await groupsOf([call(1, 'a'), call(2, 'b')], [domain(write)], [write], true);
    expect(groups).toEqual([[1], [2]]);
    expect(String(reported[0])).toContain(message);
  });

  it('calls of a domain with a revision run one after another', async () => {
    const write = gatedTool('write', { resources: on });
    const versioned = { ...domain(write), revision: () => 1 };
    const { groups } = await groupsOf([call(1, 'a'), call(2, 'b')], [versioned], [write]);
    expect(groups).toEqual([[1], [2]]);
  });

  it('calls of a domain with a revision run in parallel if their tools keep edits of the user', async () => {
    const undo = { revert: () => {} };
    const versioned = (keepsEdits?: boolean) => {
      const write = gatedTool('write', { resources: on, undo: { ...undo, keepsEdits } });
      const calls = [call(1, 'a'), call(2, 'b'), call(3, 'a')];
      return groupsOf(calls, [{ ...domain(write), revision: () => 1 }], [write]);
    };
    expect((await versioned(true)).groups).toEqual([[1, 2], [3]]);
    expect((await versioned(false)).groups).toEqual([[1], [2], [3]]);
    expect((await versioned()).groups).toEqual([[1], [2], [3]]);
  });

  it('a `readOnly` call runs in parallel with a mutating call only if it has other resources', async () => {
    const write = gatedTool('write', { resources: on });
    const read = gatedTool('read', { capabilities: ['readOnly'], resources: on });
    const reading = (n: number, ...on: readonly string[]) => ({ tool: 'board.read', args: { n, on } });
    const calls = [call(1, 'a'), reading(2, 'b'), reading(3, 'a'), reading(4)];
    const { groups } = await groupsOf(calls, [domain(write, read)], [write, read]);
    expect(groups).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it('a call with resources runs in parallel with calls of `parallel` tools', async () => {
    const write = gatedTool('write', { resources: on });
    const side = gatedTool('side', { parallel: true });
    const calls = [call(1, 'a'), { tool: 'board.side', args: { n: 2 } }, call(3, 'b'), call(4)];
    const { groups } = await groupsOf(calls, [domain(write, side)], [write, side]);
    expect(groups).toEqual([[1, 2, 3], [4]]);
  });

  it('`maxConcurrentTools` limits parallel calls', async () => {
    const write = gatedTool('write', { resources: on });
    await using f = fixture([callTools(call(1, 'a'), call(2, 'b'), call(3, 'c')), say('Done.')], {
      domains: [domain(write)],
      limits: { maxConcurrentTools: 2 },
    });
    const turn = f.session.send('Go');
    await settle();
    expect(running(write)).toEqual([1, 2]);
    write.runs[1]!.settle();
    await settle();
    expect(running(write)).toEqual([1, 3]);
    for (const run of write.runs) run.settle();
    await turn;
  });
});

/** Cards, each in its own slot, whose tool records how to take a card back, and ends when the test lets it. */
function slots() {
  const cards: string[] = [];
  const ends = new Map<string, () => void>();
  const put = defineTool({
    name: 'write',
    description: 'Puts a card into a slot.',
    parameters: {
      type: 'object',
      properties: { n: { type: 'number' }, on: { type: 'array', items: { type: 'string' } } },
    },
    resources: ({ on = [] }) => on,
    undo: {
      revert: ({ slot }: { readonly slot: string }) => void cards.splice(cards.indexOf(slot), 1),
      reapply: ({ slot }: { readonly slot: string }) => void cards.push(slot),
    },
    async execute({ on = [] }, context) {
      const slot = on.join();
      await new Promise<void>((resolve) => ends.set(slot, resolve));
      await context.undo({ description: slot, data: { slot } });
      cards.push(slot);
      return slot;
    },
  });
  return { cards, ends, domains: [domain(put)] };
}

describe('calls with resources that end in another order', () => {
  const answers = () => [callTools(call(1, 'a'), call(2, 'b'), call(3, 'c')), say('Done.')];

  /** Runs a turn whose third call ends first. */
  async function endingInOtherOrder(session: AgentSession, ends: ReadonlyMap<string, () => void>) {
    const turn = session.send('Go');
    await settle();
    for (const slot of ['c', 'a', 'b']) {
      ends.get(slot)!();
      await settle();
    }
    await turn;
  }

  it('results and undo entries are in call order, no matter which call ends first', async () => {
    const { ends, domains } = slots();
    await using f = fixture(answers(), { domains, history: new UndoHistory() });
    await endingInOtherOrder(f.session, ends);
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['a', 'b', 'c']);
    expect(names(f.session.undoEntries.value[0]!.effects)).toEqual(['a', 'b', 'c']);
  });

  it('undo reverts them in reverse call order, redo redoes them in call order', async () => {
    const { cards, ends, domains } = slots();
    await using f = fixture(answers(), { domains, history: new UndoHistory() });
    await endingInOtherOrder(f.session, ends);
    expect(cards).toEqual(['c', 'a', 'b']);
    expect(names((await f.session.undo()).done)).toEqual(['c', 'b', 'a']);
    expect(names((await f.session.redo()).done)).toEqual(['a', 'b', 'c']);
    expect(cards).toEqual(['a', 'b', 'c']);
  });

  it('finish after a cancel, and are reverted in reverse call order', async () => {
    const { cards, ends, domains } = slots();
    const limits = { maxConcurrentTools: 2 };
    await using f = fixture(answers(), { domains, limits, looseScript: true });
    const turn = f.session.send('Go');
    await settle();
    const report = f.session.cancel();
    ends.get('b')!();
    await settle();
    ends.get('a')!();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(names((await report).undo.done)).toEqual(['b', 'a']);
    expect(cards).toEqual([]);
    expect(ends.has('c')).toBe(false);
  });
});

describe('calls with random resources', () => {
  it('calls with random resources overlap if they share none, and never if they share one', async () => {
    const resources = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 });
    const lives = fc.record({
      calls: fc.array(resources, { minLength: 1, maxLength: 8 }),
      ends: fc.array(fc.nat(7), { maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(lives, async ({ calls, ends }) => {
        const write = gatedTool('write', { resources: on });
        const scripted = calls.map((names, n) => call(n, ...names));
        await using f = fixture([callTools(...scripted), say('Done.')], {
          domains: [domain(write)],
          limits: { maxConcurrentTools: Infinity },
        });
        const turn = f.session.send('Go');
        for (let step = 0; ; step++) {
          await settle();
          const now = running(write) as readonly number[];
          if (now.length === 0) break;
          const taken = now.flatMap((n) => calls[n]!);
          expect(new Set(taken).size).toBe(taken.length);
          if (now.length > 1) expect(now.every((n) => calls[n]!.length > 0)).toBe(true);
          // The next call waits for a reason: it, or a call that runs, names none, or they share one.
          const next = calls[write.runs.length];
          const mayStart =
            next?.length &&
            now.every((n) => calls[n]!.length && !calls[n]!.some((one) => next.includes(one)));
          expect(mayStart ?? false).toBeFalsy();
          const place = (ends[step] ?? 0) % now.length;
          write.runs.find(({ args }) => args.n === now[place])!.settle();
        }
        await turn;
        const order = write.runs.map(({ args }) => args.n);
        expect(order).toEqual(calls.map((_, n) => n));
      }),
      propertyRun('resources', 600),
    );
  });
});

it('a list of effects of a saved turn keeps the call order after a reload', async () => {
  const { ends, domains } = slots();
  const cards: string[] = [];
  const versioned = { id: 'other', tools: [], revision: contentRevision(() => cards) };
  await using first = fixture([callTools(call(1, 'a'), call(2, 'b')), say('Done.')], { domains });
  const turn = first.session.send('Go');
  await settle();
  for (const slot of ['b', 'a']) {
    ends.get(slot)!();
    await settle();
  }
  await turn;
  const conversation = JSON.parse(JSON.stringify(first.session.save())) as ReturnType<
    typeof first.session.save
  >;
  await using f = fixture([], { domains: [...domains, versioned], conversation });
  expect(names((await f.session.undo()).done)).toEqual(['b', 'a']);
});
