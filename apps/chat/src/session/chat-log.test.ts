import { createAgentSession, fold, initialState, isTerminal, type SessionState } from '@handrail/session';
import { say, scriptedProvider } from '@handrail/testing';
import { expect, test } from 'vitest';
import { ChatLog } from './chat-log.js';

/** @param room most characters of all values */
function makeStorage(room = Infinity): Storage {
  const items = new Map<string, string>();
  const used = () => Array.from(items.values(), ({ length }) => length).reduce((sum, one) => sum + one, 0);
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      if (used() - (items.get(key)?.length ?? 0) + value.length > room) throw new Error('It is full.');
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

/** The state that a new page reads. */
function stateIn(storage: Storage): SessionState {
  const { snapshot, records } = new ChatLog(storage).load()!;
  return fold(
    snapshot ?? initialState(),
    records.flatMap(({ operations }) => operations),
  );
}

const asJson = (state: SessionState) => JSON.parse(JSON.stringify(state)) as SessionState;

test('a snapshot in the middle of a text and the records after it are the state at the end', async () => {
  const storage = makeStorage();
  const log = new ChatLog(storage);
  const session = createAgentSession({
    provider: scriptedProvider([say(['One ', 'two ', 'three ', 'four.'])]),
    ports: { journal: { write: (operations) => log.append(operations) } },
  });
  log.replace(session.state);
  session.operations$.subscribe((operation) => {
    if (operation.type === 'text' && operation.delta === 'two ') log.replace(session.state);
  });
  await session.send('Count');
  await expect.poll(() => stateIn(storage).lastOutcome, { timeout: 30_000 }).not.toBeNull();
  expect(stateIn(storage).turns).toEqual(asJson(session.state).turns);
  expect(stateIn(storage).turns[0]!.rounds[0]!.parts).toMatchObject([{ text: 'One two three four.' }]);
  await session.dispose();
});

test('a snapshot removes the records before it', async () => {
  const storage = makeStorage();
  const log = new ChatLog(storage);
  const session = createAgentSession({
    provider: scriptedProvider([say('Hello.')]),
    ports: {
      journal: {
        write: (operations) =>
          operations.some(isTerminal) ? log.replace(session.state) : log.append(operations),
      },
    },
  });
  log.replace(session.state);
  await session.send('Hi');
  expect(storage.length).toBe(1);
  expect(stateIn(storage)).toEqual(asJson(session.state));
  await session.dispose();
});

test('after a write that did not fit, nothing is added until the next snapshot', async () => {
  const session = createAgentSession({ provider: scriptedProvider([]) });
  const storage = makeStorage(JSON.stringify(session.state).length + 10);
  const log = new ChatLog(storage);
  log.replace(session.state);
  const changed = { type: 'configured', changed: ['role'], sequence: 1, at: 0 } as const;
  expect(() => log.append([changed])).toThrow('full');
  expect(log.isWhole).toBe(false);
  log.append([changed]);
  expect(stateIn(storage)).toEqual(asJson(session.state));
  log.replace(session.state);
  expect(log.isWhole).toBe(true);
  await session.dispose();
});
