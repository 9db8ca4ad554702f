// The report of an undo, or of a redo, that the next session finishes, and of one that could not begin.
import { describe, expect, it } from 'vitest';
import { defineTool, type Operation, type Tool } from '@banister/session';
import { callTools, recordingJournal, say } from '@banister/testing';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, names, rejection } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

const paint: Tool = defineTool({
  name: 'paint',
  description: 'Paints a card, taken back by closures.',
  parameters: { type: 'object' },
  execute: (_args, context) => context.undo({ description: 'Painted', revert: () => {}, reapply: () => {} }),
});
const print: Tool = defineTool({
  name: 'print',
  description: 'Prints the cards.',
  parameters: { type: 'object' },
  irreversible: true,
  execute: (_args, context) => context.irreversible('Printed'),
});

/** A board, and the domain with its tools and others. */
function boardWith(cards: string[], ...tools: readonly Tool[]) {
  const board = dataBoard(cards);
  const domain = board.domain();
  return { ...board, domains: [{ ...domain, tools: [...domain.tools, ...tools] }] };
}

/** A session that finds the log of a turn whose undo, or redo, ended behind its first moved effect. */
async function cutAfter(
  type: 'effectReverted' | 'effectReapplied',
  second: { readonly tool: string },
  cards: string[],
) {
  const { domains } = boardWith([], paint);
  const first = createSession([callTools(addCard('A'), second), say('Done.')], { domains });
  await first.session.send('Go');
  await first.session.undo();
  if (type === 'effectReapplied') await first.session.redo();
  const end = first.operations.findIndex((operation) => operation.type === type);
  const log: readonly Operation[] = first.operations.slice(0, end + 1);
  await first.session.dispose();
  const next = boardWith(cards, paint);
  const { session } = createSession([], {
    domains: next.domains,
    restored: { snapshot: null, records: recordsOf([log]) },
  });
  await opened(session);
  return { session, cards: next.cards };
}

describe('an undo that the next session finishes', () => {
  it('lists effects as done that the earlier session had undone', async () => {
    const { session, cards } = await cutAfter('effectReverted', addCard('B'), ['A']);
    expect(session.interrupted.value?.at).toBe('undo');
    const report = await session.abandon();
    expect(names(report.done).toSorted()).toEqual(['Added A', 'Added B']);
    expect([report.failed, report.irreversible, report.lost, report.unknown]).toEqual([[], [], [], []]);
    expect(cards).toEqual([]);
    await session.dispose();
  });
});

describe('a redo that the next session finishes', () => {
  it('lists effects as done that the earlier session had redone', async () => {
    const { session, cards } = await cutAfter('effectReapplied', addCard('B'), ['A']);
    expect(session.interrupted.value?.at).toBe('redo');
    const report = await session.abandon();
    expect(names(report.done).toSorted()).toEqual(['Added A', 'Added B']);
    expect([report.failed, report.irreversible, report.lost, report.unknown]).toEqual([[], [], [], []]);
    expect(cards).toEqual(['A', 'B']);
    await session.undo();
    expect(cards).toEqual([]);
    await session.dispose();
  });

  it('cannot be repeated if the code of one of its effects is gone', async () => {
    const { session, cards } = await cutAfter('effectReapplied', { tool: 'board.paint' }, ['A']);
    const report = await session.abandon();
    expect(names(report.done)).toEqual(['Added A']);
    expect(report.failed).toMatchObject([
      {
        description: 'Painted',
        reason: 'It can no longer be redone.',
        because: { code: 'not-redoable' },
      },
    ]);
    await session.undo();
    expect(cards).toEqual([]);
    expect(await rejection(session.redo())).toMatchObject({ code: 'nothing-to-undo' });
    await session.dispose();
  });
});

describe('an undo that reverted a part of one call', () => {
  it('is completed by the undo of the next session', async () => {
    const pairOf = (board: ReturnType<typeof dataBoard>): Tool =>
      defineTool({
        name: 'pair',
        description: 'Adds two cards.',
        parameters: { type: 'object' },
        undo: board.add.undo!,
        execute: async (_args, context) => {
          for (const title of ['A', 'B']) {
            await context.undo({ description: `Added ${title}`, data: { title } });
            board.cards.push(title);
          }
        },
      });
    const board = dataBoard();
    const domains = (given: typeof board) => [{ ...given.domain(), tools: [pairOf(given)] }];
    const first = createSession([callTools({ tool: 'board.pair' }), say('Done.')], {
      domains: domains(board),
    });
    await first.session.send('Go');
    board.cards[0] = 'A, edited';
    expect((await first.session.undo({ force: true })).failed).toHaveLength(1);
    expect(board.cards).toEqual(['A, edited']);
    const next = dataBoard(['A']);
    const { session } = createSession([], {
      domains: domains(next),
      restored: { snapshot: null, records: recordsOf([first.operations]) },
    });
    await opened(session);
    const report = await session.undo({ force: true });
    expect([report.done.length, report.failed]).toEqual([1, []]);
    expect(next.cards).toEqual([]);
    expect(next.runs.map(({ title }) => title)).toEqual(['A']);
    await first.session.dispose();
    await session.dispose();
  });
});

describe('an undo whose start the journal refuses', () => {
  it('lists the effects that it would have undone as failed, and the others as irreversible', async () => {
    const journal = recordingJournal(({ operations }) =>
      operations.some(({ type }) => type === 'undoStarted') ? 'refuse' : 'resolve',
    );
    const { domains, cards } = boardWith([], print);
    await using f = fixture([callTools(addCard('A'), { tool: 'board.print' }), say('Done.')], {
      domains,
      ports: { journal },
    });
    await f.session.send('Go');
    expect((await rejection(f.session.undo())).code).toBe('storage');
    expect(cards).toEqual(['A']);
    const undone = f.observed.operations.findLast(({ type }) => type === 'undone');
    expect(undone).toMatchObject({
      report: { done: [], failed: [{ description: 'Added A' }], irreversible: [{ description: 'Printed' }] },
    });
    expect(f.session.undoEntries.value).toMatchObject([{ undoable: true }]);
    expect(f.session.canRedo.value).toBe(false);
  });
});
