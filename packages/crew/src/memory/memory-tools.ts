import {
  conflict,
  defineTool,
  isAgentSessionError,
  type MemoryItem,
  type MemorySource,
  type RevertByData,
  type RevertContext,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@banister/session';
import { LONGEST_FACT, rewritten, type Facts } from './facts.js';
import { handleOf, readHandle, withWords } from './read-facts.js';

/** The highest number of facts that a search returns. */
const MOST_FOUND = 20;

/** The effect of a call: a fact before and after it; null where there is none. */
type Change = {
  readonly id: string;
  readonly before: MemoryItem | null;
  readonly after: MemoryItem | null;
};

const text = { type: 'string', minLength: 1, maxLength: LONGEST_FACT } as const;
const about = { type: 'array', items: { type: 'string', maxLength: 100 }, maxItems: 10 } as const;
const handle = { type: 'string', description: 'The id of a fact.' } as const;

const item = {
  type: ['object', 'null'],
  properties: {
    id: { type: 'string' },
    text,
    about,
    pinned: { const: true },
    source: {
      type: 'object',
      properties: {
        by: { enum: ['user', 'agent'] },
        agent: { type: 'string' },
        afterNetwork: { const: true },
      },
      required: ['by'],
    },
    at: { type: 'number' },
    changedAt: { type: 'number' },
    revision: { type: 'integer' },
  },
  required: ['id', 'text', 'source', 'at', 'changedAt', 'revision'],
};

/**
 * Returns the tools of the domain `memory`.
 *
 * @param isAfterNetwork returns whether the guard has seen that a `networking` tool ran before a call
 */
export function memoryTools(facts: Facts, isAfterNetwork: (callId: string) => boolean): readonly Tool[] {
  const named = (given: string) => facts.find(...readHandle(given));
  const undo = undoOf(facts);
  return [
    defineTool({
      name: 'remember',
      title: 'Remember a fact',
      description:
        'Remembers a fact for later conversations, in a short sentence. Only what the user would want to be known later. To correct a fact, replace it.',
      parameters: {
        type: 'object',
        properties: {
          text,
          about: { ...about, description: 'Other words to find it by.' },
          replaces: { ...handle, description: 'The id of the fact that this one corrects.' },
        },
        required: ['text'],
        additionalProperties: false,
      } as const,
      undo,
      preview: async ({ text: after, replaces }) => ({
        before: replaces === undefined ? null : (await named(replaces)).text,
        after,
      }),
      execute: ({ text: written, about: words, replaces }, context) =>
        change(facts, context, replaces, (before) => {
          const { agent, callId } = context;
          const source: MemorySource = {
            by: 'agent',
            ...(agent && { agent: agent.id }),
            ...(isAfterNetwork(callId) && { afterNetwork: true }),
          };
          return rewritten(before, written, source, words);
        }),
    }),
    defineTool({
      name: 'forget',
      title: 'Forget a fact',
      description: 'Removes a fact that is wrong, or that the user does not want to be remembered.',
      parameters: {
        type: 'object',
        properties: { id: handle },
        required: ['id'],
        additionalProperties: false,
      } as const,
      undo,
      preview: async ({ id }) => ({ before: (await named(id)).text, after: null }),
      execute: ({ id }, context) => change(facts, context, id, () => null),
    }),
    defineTool({
      name: 'search',
      title: 'Search the memory',
      description: 'Finds remembered facts by words.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', minLength: 1 } },
        required: ['query'],
        additionalProperties: false,
      } as const,
      capabilities: ['readOnly'],
      async execute({ query }, { signal }) {
        const { store } = facts;
        const found =
          store.search === undefined
            ? withWords(await facts.known(), query, MOST_FOUND)
            : await store.search(query, MOST_FOUND, signal);
        return {
          facts: found.map((one) => ({
            id: handleOf(one),
            text: one.text,
            ...(one.about && { about: one.about }),
          })),
        };
      },
    }),
  ] as readonly Tool[];
}

/** Changes a fact, or adds one, and records the effect before. */
async function change(
  facts: Facts,
  context: ToolContext,
  handle: string | undefined,
  changed: (before: MemoryItem | null) => MemoryItem | null,
): Promise<{ readonly id: string } | undefined | ToolOutcome> {
  const [id, revision] = handle === undefined ? [] : readHandle(handle);
  try {
    const before = id === undefined ? null : await facts.find(id, revision);
    const after = changed(before);
    const effect: Change = { id: (before ?? after)!.id, before, after };
    await context.undo({
      description: describe(effect),
      data: effect,
      paths: [effect.id],
      before: before?.text ?? null,
      after: after?.text ?? null,
    });
    await facts.write(effect.id, before, after);
    return after === null ? undefined : { id: handleOf(after) };
  } catch (error) {
    return asConflict(facts, error, id, revision);
  }
}

/** Returns the outcome of a change that has met another change. Throws every other error. */
function asConflict(facts: Facts, error: unknown, id: string | undefined, expected = 0): ToolOutcome {
  if (!isAgentSessionError(error) || error.code !== 'conflict') throw error;
  return conflict(expected, facts.items.peek().find((one) => one.id === id)?.revision ?? 0);
}

function describe({ before, after }: Change): string {
  if (after === null) return `Forgot "${before!.text}"`;
  return before === null ? `Remembered "${after.text}"` : `Replaced "${before.text}" by "${after.text}"`;
}

/** Takes changes back by their data, and makes them again. A fact that was changed since is a `conflict`, and stays. */
function undoOf(facts: Facts): RevertByData<Change> {
  const move =
    (from: 'before' | 'after', to: 'before' | 'after') =>
    async (effect: Change, { replaceData }: RevertContext): Promise<ToolOutcome | undefined> => {
      const { id, [from]: left, [to]: wanted } = effect;
      await facts.load();
      const now = facts.items.peek().find((one) => one.id === id) ?? null;
      // The effect has moved before, or never came about.
      if (isLike(now, wanted)) return undefined;
      if (!isLike(now, left)) return conflict(left?.revision ?? 0, now?.revision ?? 0);
      // A revision never stands for two texts, so that a tab that has read the earlier one cannot write over this one.
      const written = wanted && { ...wanted, revision: (now ?? wanted).revision + 1 };
      try {
        await facts.write(id, now, written);
      } catch (error) {
        return asConflict(facts, error, id, now?.revision);
      }
      replaceData({ id, [from]: now, [to]: written });
      return undefined;
    };
  return {
    data: {
      type: 'object',
      properties: { id: { type: 'string' }, before: item, after: item },
      required: ['id', 'before', 'after'],
    },
    describe,
    revert: move('after', 'before'),
    reapply: move('before', 'after'),
  };
}

/** Returns true if a fact says the same, so that no edit of the user lies between. */
function isLike(one: MemoryItem | null, other: MemoryItem | null): boolean {
  return saidBy(one) === saidBy(other);
}

function saidBy(one: MemoryItem | null): string | null {
  return one && JSON.stringify([one.text, one.about ?? [], one.pinned ?? false]);
}
