// An effect is undone in the tab that has it, because tabs with separate stores have different effects.
import {
  createAgentSession,
  defineTool,
  immediate,
  type Domain,
  type LocalAgentSession,
  type SessionLog,
} from '@banister/session';
import { callTools, memoryLog, say, scriptedProvider, settle } from '@banister/testing';
import { undoable } from '@banister/stores';
import { zustandStore } from '@banister/stores/zustand';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { propertyRun } from '../../../test/kit/property-run.js';

interface Row {
  readonly id: string;
  readonly title: string;
}

/** The store of a page: rows that the agent and the user change. */
function sheet(rows: readonly Row[] = []) {
  const store = createStore(() => ({ rows }));
  const change = (next: (rows: readonly Row[]) => readonly Row[]) =>
    store.setState(({ rows: before }) => ({ rows: next(before) }));
  return {
    store,
    titles: () => store.getState().rows.map(({ title }) => title),
    add: (row: Row) => change((all) => [...all, row]),
    rename: (id: string, title: string) =>
      change((all) => all.map((row) => (row.id === id ? { ...row, title } : row))),
    remove: (id: string) => change((all) => all.filter((row) => row.id !== id)),
  };
}

type Sheet = ReturnType<typeof sheet>;

/** The domain of a page: each call adds a row, or renames one. */
function domainOf(page: Sheet): Domain {
  const { wrap, revision } = undoable(zustandStore(page.store), { roots: ['rows'], development: false });
  const text = { type: 'string' } as const;
  const parameters = {
    type: 'object',
    properties: { id: text, title: text },
    required: ['id', 'title'],
  } as const;
  const tools = [
    wrap(defineTool({ name: 'add', description: 'Adds.', parameters, execute: (row) => page.add(row) })),
    wrap(
      defineTool({
        name: 'rename',
        description: 'Renames.',
        parameters,
        execute: ({ id, title }) => page.rename(id, title),
      }),
    ),
  ];
  return { id: 'sheet', tools, revision };
}

const call = (tool: 'add' | 'rename', id: string, title: string) => [
  callTools({ tool: `sheet.${tool}`, args: { id, title } }),
  say('Done.'),
];

/** Opens the session of the log in a tab with this store. */
async function tab(log: SessionLog, page: Sheet, answers: Parameters<typeof scriptedProvider>[0] = []) {
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [domainOf(page)],
    ports: { scheduler: immediate() },
    log,
    id: 'chat',
  });
  while (!session.link.value.open) await settle();
  return session;
}

/** Opens the session of the log in a page that is closed after the work. */
async function using(
  log: SessionLog,
  page: Sheet,
  answers: Parameters<typeof scriptedProvider>[0],
  work: (session: LocalAgentSession) => Promise<unknown>,
): Promise<void> {
  const session = await tab(log, page, answers);
  await work(session);
  await session.dispose();
}

const paths = ['rows/r1'];

describe('audit-AD-3 an undo in a tab whose store is not shared', () => {
  it('reports the effect separately, with the reason and a code', async () => {
    const log = memoryLog();
    const first = sheet();
    const one = await tab(log, first, call('add', 'r1', 'Taxi'));
    await one.send('Add a taxi');
    const two = await tab(log, sheet());
    const report = await two.undo();
    expect(report.done).toEqual([]);
    expect(report.failed).toMatchObject([
      { reason: '“Taxi” is not in the state of this page.', because: { code: 'absent', paths } },
    ]);
    expect(first.titles()).toEqual(['Taxi']);
    // The tab with the effect undoes it.
    expect(await one.undo()).toMatchObject({ done: [{}], failed: [] });
    expect(first.titles()).toEqual([]);
    await one.dispose();
    await two.dispose();
  });

  it('reports a change of a field that its store never had', async () => {
    const log = memoryLog();
    const [first, second] = [sheet([{ id: 'r1', title: 'Bus' }]), sheet([{ id: 'r1', title: 'Bus' }])];
    const one = await tab(log, first, call('rename', 'r1', 'Taxi'));
    await one.send('Rename it');
    const two = await tab(log, second);
    const { done, failed } = await two.undo();
    expect(done).toEqual([]);
    expect(failed).toMatchObject([{ because: { code: 'absent', paths: ['rows/r1/title'] } }]);
    expect([first.titles(), second.titles()]).toEqual([['Taxi'], ['Bus']]);
    await one.dispose();
    await two.dispose();
  });

  it('counts only effects that the tab itself redid', async () => {
    const log = memoryLog();
    const [first, second] = [sheet(), sheet()];
    const one = await tab(log, first, call('add', 'r1', 'Taxi'));
    await one.send('Add a taxi');
    await one.undo();
    const two = await tab(log, second);
    expect(await two.redo()).toMatchObject({ done: [{}] });
    // The first tab undid its own effect, and does not have the effect of the second tab.
    expect(await one.undo()).toMatchObject({ done: [], failed: [{ because: { code: 'absent' } }] });
    expect(second.titles()).toEqual(['Taxi']);
    expect(await two.undo()).toMatchObject({ done: [{}], failed: [] });
    expect(second.titles()).toEqual([]);
    await one.dispose();
    await two.dispose();
  });
});

describe('audit-AD-3 an effect that the user removed', () => {
  it.each(['in the page that made it', 'in the page after it'])('counts as undone: %s', async (where) => {
    const log = memoryLog();
    const page = sheet();
    let session = await tab(log, page, call('add', 'r1', 'Taxi'));
    await session.send('Add a taxi');
    if (where === 'in the page after it') {
      await session.dispose();
      session = await tab(log, page);
    }
    page.remove('r1');
    expect(await session.undo()).toMatchObject({ done: [{}], failed: [] });
    await session.dispose();
  });

  it('counts as undone if the user removed it in this page', async () => {
    const log = memoryLog();
    const page = sheet([{ id: 'r1', title: 'Bus' }]);
    await using(log, page, call('rename', 'r1', 'Taxi'), (session) => session.send('Rename it'));
    await using(log, page, [], async (session) => {
      page.rename('r1', 'Bus');
      expect(await session.undo()).toMatchObject({ done: [{}], failed: [] });
    });
  });

  it('before a reload is reported as absent, and the next undo with `force` continues with the previous turn', async () => {
    const log = memoryLog();
    const page = sheet([{ id: 'r0', title: 'Bus' }]);
    await using(
      log,
      page,
      [...call('add', 'r1', 'Taxi'), ...call('rename', 'r1', 'Cab')],
      async (session) => {
        await session.send('Add a taxi');
        await session.send('Rename it');
        page.rename('r0', 'Tram');
      },
    );
    const stored = page.store.getState().rows.filter(({ id }) => id !== 'r1');
    const next = sheet(stored);
    await using(log, next, [], async (session) => {
      const absent = { done: [], failed: [{ because: { code: 'absent' } }] };
      expect(await session.undo()).toMatchObject(absent);
      // Without force, the same turn is tried again, because its effect may have arrived.
      expect(await session.undo()).toMatchObject(absent);
      expect(session.undoEntries.value.map(({ state }) => state)).toEqual(['done', 'partly-undone']);
      // With force, the previous turn is undone, although it touches the same row.
      expect(await session.undo({ force: true })).toMatchObject(absent);
      expect(session.undoEntries.value.map(({ state }) => state)).toEqual(['partly-undone', 'partly-undone']);
      expect(next.titles()).toEqual(['Tram']);
    });
  });

  it('before a reload does not block an earlier turn that changed another part', async () => {
    const log = memoryLog();
    const page = sheet([{ id: 'r0', title: 'Bus' }]);
    await using(
      log,
      page,
      [...call('rename', 'r0', 'Tram'), ...call('add', 'r1', 'Taxi')],
      async (session) => {
        await session.send('Rename it');
        await session.send('Add a taxi');
      },
    );
    page.remove('r1');
    await using(log, page, [], async (session) => {
      await session.undo();
      expect(await session.undo({ force: true })).toMatchObject({ done: [{}], failed: [] });
      expect(page.titles()).toEqual(['Bus']);
    });
  });
});

interface Step {
  readonly tab: 0 | 1;
  readonly by: 'agent' | 'user';
  readonly act: 'add' | 'rename' | 'remove' | 'undo' | 'force' | 'redo';
  readonly row: number;
}

const steps = fc.array(
  fc.record<Step>({
    tab: fc.constantFrom(0, 1),
    by: fc.constantFrom('agent', 'user'),
    act: fc.constantFrom('add', 'rename', 'remove', 'undo', 'undo', 'force', 'redo'),
    row: fc.nat(3),
  }),
  { minLength: 3, maxLength: 12 },
);

/** Two tabs of one log. Titles by the user begin with `u`, and all titles differ. */
class TwoTabs {
  readonly problems: string[] = [];
  private readonly pages: readonly [Sheet, Sheet];
  private readonly removed: readonly [Set<string>, Set<string>];
  private tabs: readonly LocalAgentSession[] = [];

  constructor(private readonly isShared: boolean) {
    const rows = [{ id: 'r0', title: 'at first' }];
    this.pages = [sheet(rows), sheet(rows)];
    const removed = new Set<string>();
    this.removed = [removed, isShared ? removed : new Set<string>()];
    if (isShared)
      for (const [from, to] of [this.pages, this.pages.toReversed()])
        from!.store.subscribe((state) => {
          if (to!.store.getState().rows !== state.rows) to!.store.setState(state);
        });
  }

  async run(all: readonly Step[]): Promise<void> {
    const log = memoryLog();
    const answersOf = (own: number) =>
      all.flatMap(({ tab: one, by, act, row }, index) =>
        one === own && by === 'agent' && (act === 'add' || act === 'rename')
          ? call(act, act === 'add' ? `a${index}` : `r${row}`, `by the agent ${index}`)
          : [],
      );
    this.tabs = [await tab(log, this.pages[0], answersOf(0)), await tab(log, this.pages[1], answersOf(1))];
    for (const [index, step] of all.entries()) await this.step(step, index);
    for (const session of this.tabs) await session.dispose();
  }

  private async step({ tab: own, by, act, row }: Step, index: number): Promise<void> {
    const [page, session] = [this.pages[own], this.tabs[own]!];
    if (act === 'undo' || act === 'force') return this.undo(own, act === 'force');
    if (act === 'redo') return void (await session.redo().catch(() => {}));
    if (by === 'agent' && act !== 'remove') return void (await session.send(`${index}`).catch(() => {}));
    const { rows } = page.store.getState();
    const id = rows[row % Math.max(1, rows.length)]?.id;
    if (act === 'add') page.add({ id: `u${index}`, title: `u${index}` });
    else if (id === undefined) return;
    else if (act === 'rename') page.rename(id, `u${index}`);
    else {
      page.remove(id);
      this.removed[own].add(id);
    }
  }

  private async undo(own: 0 | 1, force: boolean): Promise<void> {
    const { store } = this.pages[own];
    const before = store.getState().rows;
    const other = this.pages[1 - own]!.store.getState().rows;
    const report = await this.tabs[own]!.undo({ force }).catch(() => null);
    const after = store.getState().rows;
    const titleIn = (rows: readonly Row[], id: string) => rows.find((one) => one.id === id)?.title;
    for (const { id, title } of before)
      if (title.startsWith('u') && titleIn(after, id) !== title) this.problems.push(`${title} is lost`);
    for (const id of this.removed[own])
      if (titleIn(before, id) === undefined && titleIn(after, id) !== undefined)
        this.problems.push(`${id} is back`);
    if (!this.isShared && this.pages[1 - own]!.store.getState().rows !== other)
      this.problems.push('the other store has changed');
    const calls = this.tabs[own]!.turns.value.flatMap(({ rounds }) => rounds).flatMap(({ parts }) => parts);
    for (const { toolCallId } of report?.done ?? []) {
      const found = calls.find((part) => part.type === 'tool-call' && part.id === toolCallId);
      const { id, title } = (found?.type === 'tool-call' ? found.arguments : {}) as unknown as Row;
      const wasHere = titleIn(before, id) === title && titleIn(after, id) !== title;
      if (!wasHere && !this.removed[own].has(id)) this.problems.push(`${title} was not there`);
    }
  }
}

describe('audit-AD-3 a tab that takes over the log', () => {
  it.each([
    ['is not shared', false, ['sheet']],
    ['is shared', true, undefined],
  ])(
    'if its state %s, says so in its `link`, and in the development console',
    async (_name, isShared, behind) => {
      vi.stubEnv('NODE_ENV', 'development');
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      const log = memoryLog();
      const [first, second] = [sheet(), sheet()];
      if (isShared) first.store.subscribe((state) => second.store.setState(state));
      const one = await tab(log, first, call('add', 'r1', 'Taxi'));
      const two = await tab(log, second, [say('Done.')]);
      await one.send('Add a taxi');
      expect(one.link.value.behind).toBeUndefined();
      await two.send('Hi');
      expect(two.link.value.role).toBe('writer');
      expect(two.link.value.behind).toEqual(behind);
      expect(warn.mock.calls.map(([message]) => String(message))).toEqual(
        isShared ? [] : [expect.stringContaining('its state of sheet differs from the tab before')],
      );
      vi.unstubAllEnvs();
      warn.mockRestore();
      await one.dispose();
      await two.dispose();
    },
  );
});

describe('audit-AD-3 two tabs with a store each', () => {
  it.each([true, false])(
    'lose no edit of the user, and report nothing as undone that was not in effect, also with a shared store: %s',
    (isShared) =>
      fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const tabs = new TwoTabs(isShared);
          await tabs.run(all);
          expect(tabs.problems).toEqual([]);
        }),
        propertyRun(`two tabs, shared: ${isShared}`, 500),
      ),
  );
});
