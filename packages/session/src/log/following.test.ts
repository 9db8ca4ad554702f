import { expect, test } from 'vitest';
import type { Operation } from '../operations/operation.js';
import { following } from './following.js';

const numbered = (sequence: number, fact: object) => ({ sequence, at: 0, turnId: 't', ...fact }) as Operation;
const leaf = { type: 'subagent', path: ['x'], inner: { type: 'toolProgress', callId: 'c', patch: 1 } };

test('agents C58 numbers may be missing before a fact of a child turn, because pieces of others are joined across it', () => {
  const operations = [numbered(1, leaf), numbered(3, leaf), numbered(6, leaf)];
  expect(following(1, operations)).toEqual(operations.slice(1));
  const other = numbered(8, { type: 'toolProgress', callId: 'c', patch: 1 });
  expect(() => following(1, [...operations, other])).toThrow('operation 7 was expected, not 8');
});
