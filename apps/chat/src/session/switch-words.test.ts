import { describe, expect, it } from 'vitest';
import type { TurnRecord } from '@banister/session';
import { switchWords } from './switch-words.js';

const change = (from: string, to: string) => ({
  round: 1,
  from: { provider: 'p', model: from },
  to: { provider: 'p', model: to },
  code: 'network' as const,
  reason: 'No.',
});
const wordsOf = (status: TurnRecord['status'], ...switches: ReturnType<typeof change>[]) =>
  switchWords({ status, ...(switches.length === 0 ? {} : { switches }) });

describe('the line about a change of the provider', () => {
  it('is absent if there was none', () => {
    expect(wordsOf('completed')).toBeNull();
  });

  it.each([
    ['running', 'Carried on by b because a did not answer'],
    ['completed', 'Answered by b because a did not answer'],
    ['cancelled', 'Answered by b because a did not answer'],
    ['failed', 'Also asked b because a did not answer'],
  ] as const)('names both models: %s', (status, words) => {
    expect(wordsOf(status, change('a', 'b'))).toBe(words);
  });

  it('names each model that did not answer once', () => {
    const words = wordsOf('completed', change('a', 'b'), change('b', 'a'), change('a', 'c'));
    expect(words).toBe('Answered by c because a and b did not answer');
  });
});
