import { createAgentSession, effect, type SavedConversation } from '@banister/session';
import { signal } from '@banister/session/signals';
import { cut, say, scriptedProvider } from '@banister/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { longConversation } from '../../e2e/long-conversation.js';
import { turnGroups, type TurnGroup } from './turn-groups.js';

const idle: (() => void)[] = [];
/** The browser becomes idle. */
const rest = () => idle.splice(0).forEach((callback) => callback());

beforeEach(() => {
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
  vi.stubGlobal('cancelIdleCallback', (request: number) => void (idle[request - 1] = () => {}));
});
afterEach(() => {
  idle.length = 0;
  vi.unstubAllGlobals();
});

const spanOf = ({ from, turns }: TurnGroup) => `${from}-${from + turns.length}`;

function sessionWith(turns: number) {
  const conversation: SavedConversation = longConversation(turns);
  return createAgentSession({
    provider: scriptedProvider([say('Yes.'), say('Yes.'), say('Yes.')]),
    domains: [],
    conversation,
  });
}

test('the last turns are there at once; earlier turns are added while the browser is idle', () => {
  const session = sessionWith(107);
  const groups = turnGroups(session);
  const first: (number | undefined)[] = [];
  const stop = effect(() => void first.push(groups.value[0]?.from));
  for (let rests = 0; rests < 5; rests++) rest();
  expect(first).toEqual([80, 40, 0]);
  expect(groups.peek()).toHaveLength(6);
  expect(spanOf(groups.peek().at(-1)!)).toBe('100-107');
  stop();
});

test('at least ten turns are there at once, or all', () => {
  const first = (turns: number) => turnGroups(sessionWith(turns)).peek().map(spanOf);
  expect(first(0)).toEqual([]);
  expect(first(9)).toEqual(['0-9']);
  expect(first(29)).toEqual(['0-20', '20-29']);
  expect(first(30)).toEqual(['20-30']);
});

test('the groups begin anew for the next view, and do nothing while there is no view', () => {
  const groups = turnGroups(sessionWith(107));
  const stop = effect(() => void groups.value);
  rest();
  expect(groups.peek()[0]!.from).toBe(40);
  stop();
  expect(groups.peek()[0]!.from).toBe(80);
  rest();
  expect(groups.peek()[0]!.from).toBe(80);
  expect(idle).toEqual([]);
});

test('a turn is in its group from its start, and never moves to another group', async () => {
  const session = sessionWith(20);
  const groups = turnGroups(session);
  const seen: string[] = [];
  const stop = effect(() => {
    seen.push(groups.value.map(spanOf).join(' '));
  });
  rest();
  const turn = session.send('One more');
  expect(seen.at(-1)).toBe('0-20 20-21');
  await turn;
  await session.send('And another');
  expect(new Set(seen)).toEqual(new Set(['0-20', '0-20 20-21', '0-20 20-22']));
  stop();
});

test('while text streams only the record of the running turn changes', async () => {
  const session = sessionWith(3);
  const groups = turnGroups(session);
  let lists = 0;
  let records = 0;
  const stop = effect(() => void (lists++, groups.value));
  const turn = session.send('One more');
  const { id, record } = groups.peek()[0]!.turns.at(-1)!;
  const stopRecord = effect(() => void (records++, record.value));
  await turn;
  // The first value, the start of the turn, and its end.
  expect(lists).toBe(3);
  expect(records).toBeGreaterThan(3);
  // A subscriber to the record of the running turn also receives the record of its end.
  expect(record.peek()).toBe(session.turns.peek().at(-1));
  expect(record.peek()).toMatchObject({ id, status: 'completed' });
  stopRecord();
  stop();
});

test('an ended turn keeps its record while other turns begin', async () => {
  const session = sessionWith(3);
  const groups = turnGroups(session);
  const before = groups.peek()[0]!.turns.map(({ record }) => record);
  await session.send('One more');
  const after = groups.peek()[0]!.turns.map(({ record }) => record);
  expect(after.slice(0, 3)).toEqual(before);
  expect(after.every((record, index) => index === 3 || record === before[index])).toBe(true);
});

test('a turn counts as news while it is the last turn, unless it was restored or a switch has brought it back', async () => {
  const session = sessionWith(3);
  const groups = turnGroups(session);
  const stop = effect(() => void groups.value);
  const news = () => groups.peek()[0]!.turns.flatMap(({ isNews }, index) => (isNews ? [index] : []));
  expect(news()).toEqual([]);
  await session.send('One more');
  expect(news()).toEqual([3]);
  const next = session.send('And another');
  expect(news()).toEqual([]);
  await next;
  expect(news()).toEqual([4]);
  const first = session.headTurnId.peek()!;
  await session.regenerate();
  expect(news()).toEqual([4]);
  await session.switchTo(first);
  expect(news()).toEqual([]);
  stop();
});

test('a group whose turns do not change stays the same when another turn begins, ends or is switched', async () => {
  const session = sessionWith(45);
  const groups = turnGroups(session);
  const stop = effect(() => void groups.value);
  rest();
  const before = groups.peek();
  expect(before.map(spanOf)).toEqual(['0-20', '20-40', '40-45']);
  await session.regenerate();
  await session.switchTo('turn_45');
  expect(groups.peek().slice(0, 2)).toEqual(before.slice(0, 2));
  for (const [index, group] of before.slice(0, 2).entries()) expect(groups.peek()[index]).toBe(group);
  expect(groups.peek()[2]).not.toBe(before[2]);
  stop();
});

test('each turn with versions shows its place among them, and the edited turn is marked', async () => {
  const session = sessionWith(3);
  const edited = signal<string | null>(null);
  const groups = turnGroups(session, edited);
  const listed = () => groups.peek()[0]!.turns;
  expect(listed().map(({ versions }) => versions)).toEqual([null, null, null]);
  edited.value = 'turn_2';
  expect(listed().map(({ isEdited }) => isEdited)).toEqual([false, true, false]);
  await session.edit('turn_2', 'Another question');
  expect(listed().map(({ versions }) => versions?.position)).toEqual([undefined, 2]);
  expect(listed()[1]!.versions?.ids).toHaveLength(2);
});

test('a retry replaces the repeated turn as soon as it begins', async () => {
  const session = createAgentSession({
    provider: scriptedProvider([cut('Ye'), cut('Ye'), say('Yes.')]),
    domains: [],
  });
  const groups = turnGroups(session);
  const listed = () => groups.peek()[0]!.turns.map(({ id }) => id);
  await session.send('Well?').catch(() => {});
  const [first] = listed();
  const second = session.retry().catch(() => {});
  expect(listed()).toHaveLength(1);
  expect(listed()).not.toContain(first);
  await second;
  await session.retry();
  expect(listed()).toHaveLength(1);
});
