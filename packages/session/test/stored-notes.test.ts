import {
  createAgentSession,
  createMirror,
  fold,
  immediate,
  initialState,
  type Operation,
  type SessionState,
} from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { expect, it } from 'vitest';
import { jsonCopy } from '../src/json/json-copy.js';
import { withoutEmptyNotes } from '../src/state/stored-notes.js';

it('a new session has no note to store', () => {
  expect(withoutEmptyNotes(initialState()).fold).toEqual({});
});

it('a snapshot of a log is folded on and mirrored like the state itself', async () => {
  const session = createAgentSession({
    provider: scriptedProvider([say('One.'), say('Two.')]),
    ports: { scheduler: immediate() },
  });
  await session.send('First');
  const before = session.state;
  const stored = jsonCopy(withoutEmptyNotes(before)) as unknown as SessionState;
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  await session.send('Second');

  expect(Object.keys(stored.fold as object).length).toBeLessThan(Object.keys(before.fold as object).length);
  expect(fold(stored, operations)).toEqual(session.state);
  const mirror = createMirror(stored);
  mirror.fold(operations);
  expect(mirror.state).toEqual(session.state);
});
