// A table of words has typed keys and typed values, and every key is optional.
import { createAgentSession, createMirror, type EffectFailure, type Provider } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { createWords, type WordTable, type Words } from '@banister/session/words';

declare const provider: Provider;
declare const failed: EffectFailure;

const table: WordTable = {
  errors: {
    'max-rounds': ({ limit = 0, message, retry }) => `${limit.toFixed()} ${message} ${String(retry)}`,
    'cost-budget': ({ limit, currency, of }) => `${limit ?? 0} ${currency ?? ''} ${of ?? 'turn'}`,
    conflict: ({ domains = [] }) => domains.join(),
    // A code without details is described by its provider.
    cancelled: 'Abgebrochen.',
    // @ts-expect-error -- no such code
    'max-round': 'Schluss.',
  },
  stops: {
    limit: ({ limit }) => limit?.code ?? '',
    // @ts-expect-error -- a tool that stops the turn has words of its own
    tool: 'Schluss.',
  },
  questions: { capabilities: ({ capabilities, name }) => `${name}: ${capabilities.join()}` },
  failures: {
    'too-slow': ({ ms }) => `${ms.toFixed()} ms`,
    // @ts-expect-error -- this code has no time
    'not-redoable': ({ ms }) => String(ms),
  },
  // @ts-expect-error -- words are a text
  calls: { declined: () => 7 },
  titles: { 'board.add': ({ arguments: { title }, title: english }) => String(title ?? english) },
};

const words: Words = createWords(table, { reportError: undefined });
createAgentSession({ provider, words });
createAgentSession({ provider, words: undefined });
createMirror(initialState(), { words });
export const texts: readonly string[] = [words.failure(failed), words.title({ tool: 'board.add' })];

// @ts-expect-error -- a table is no words: `createWords` makes them
createAgentSession({ provider, words: table });
