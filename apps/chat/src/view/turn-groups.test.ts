import { effect, createAgentSession, type SavedConversation } from '@handrail/session';
import { scriptedProvider, say } from '@handrail/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { longConversation } from '../../e2e/long-conversation.js';
import { turnGroups } from './turn-groups.js';

const idle: (() => void)[] = [];
/** The browser has a moment. */
const rest = () => idle.splice(0).forEach((callback) => callback());

beforeEach(() => {
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
  vi.stubGlobal('cancelIdleCallback', (request: number) => void (idle[request - 1] = () => {}));
});
afterEach(() => {
  idle.length = 0;
  vi.unstubAllGlobals();
});

function sessionWith(turns: number) {
  const conversation: SavedConversation = longConversation(turns);
  return createAgentSession({
    provider: scriptedProvider([say('Yes.'), say('Yes.')]),
    domains: [],
    conversation,
  });
}

test('the last turns are there at once, earlier ones join while the browser rests', () => {
  const session = sessionWith(107);
  const groups = turnGroups(session);
  const first: (number | undefined)[] = [];
  const stop = effect(() => void first.push(groups.value[0]?.from));
  for (let rests = 0; rests < 5; rests++) rest();
  expect(first).toEqual([80, 40, 0]);
  expect(groups.peek()).toHaveLength(6);
  expect(groups.peek().at(-1)).toEqual({ from: 100, to: 107 });
  stop();
});

test('ten turns are there at once at least, or all', () => {
  const first = (turns: number) =>
    turnGroups(sessionWith(turns))
      .peek()
      .map(({ from, to }) => [from, to]);
  expect(first(0)).toEqual([]);
  expect(first(9)).toEqual([[0, 9]]);
  expect(first(29)).toEqual([[0, 20], [20, 29]]); // prettier-ignore
  expect(first(30)).toEqual([[20, 30]]);
});

test('it begins anew for the next view, and does nothing while there is none', () => {
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

test('a turn is in its group from its start, and no turn ever moves to another', async () => {
  const session = sessionWith(20);
  const groups = turnGroups(session);
  const seen: string[] = [];
  const stop = effect(() => {
    seen.push(groups.value.map(({ from, to }) => `${from}-${to}`).join(' '));
  });
  rest();
  const turn = session.send('One more');
  expect(seen.at(-1)).toBe('0-20 20-21');
  await turn;
  await session.send('And another');
  expect(new Set(seen)).toEqual(new Set(['0-20', '0-20 20-21', '0-20 20-22']));
  stop();
});
