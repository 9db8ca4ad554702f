import {
  conflict,
  defineTool,
  type AgentSessionError,
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

const number = { type: 'number' };
const fields = {
  id: { type: 'string' },
  text,
  source: { type: 'object' },
  at: number,
  changedAt: number,
  revision: number,
};

/** A fact in the data of an effect. */
const item = { type: ['object', 'null'], properties: { ...fields, about }, required: Object.keys(fields) };

/**
 * Returns the tools of the domain `memory`.
 *
 * @param isAfterNetwork returns whether the guard has seen that a `networking` tool ran before a call
 */
export function memoryTools(facts: Facts, isAfterNetwork: (callId: string) => boolean): readonly Tool[] {
  const textOf = async (handle: string | undefined) => (await facts.named(handle))?.text ?? null;
  const undo = undoOf(facts);
  return [
    defineTool({
      name: 'remember',
      title: 'Remember a fact',
      description:
        'Remembers a fact for later conversations: a short sentence. To correct a fact, replace it.',
      parameters: {
        type: 'object',
        properties: {
          text,
          about: { ...about, description: 'Other words to find it by.' },
          replaces: handle,
        },
        required: ['text'],
        additionalProperties: false,
      } as const,
      undo,
      preview: async ({ text: after, replaces }) => ({ before: await textOf(replaces), after }),
      execute: ({ text: written, about: words, replaces }, context) =>
        change(facts, context, replaces, (before) => {
          const { agent, callId } = context;
          const source: MemorySource = {
            by: 'agent',
            agent: agent?.id,
            afterNetwork: isAfterNetwork(callId) || undefined,
          };
          return rewritten(before, written, source, words);
        }),
    }),
    defineTool({
      name: 'forget',
      title: 'Forget a fact',
      description: 'Forgets a remembered fact.',
      parameters: {
        type: 'object',
        properties: { id: handle },
        required: ['id'],
        additionalProperties: false,
      } as const,
      undo,
      preview: async ({ id }) => ({ before: await textOf(id), after: null }),
      execute: ({ id }, context) => change(facts, context, id, () => null),
    }),
    defineTool({
      name: 'search',
      title: 'Search facts',
      description: 'Finds remembered facts by words.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string' } },
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
        return { facts: found.map((one) => ({ id: handleOf(one), text: one.text, about: one.about })) };
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
  try {
    // The store is read again, so that a change elsewhere is found before the effect is recorded.
    await facts.load();
    const before = await facts.named(handle);
    const after = changed(before);
    const effect: Change = { id: (before ?? after)!.id, before, after };
    await context.undo({
      description: describe(effect),
      data: effect,
      paths: [effect.id],
      before: before?.text,
      after: after?.text,
    });
    await facts.write(before, after);
    return after === null ? undefined : { id: handleOf(after) };
  } catch (error) {
    if ((error as Partial<AgentSessionError> | null)?.code !== 'conflict') throw error;
    const now = facts.of(readHandle(handle ?? '')[0]);
    return conflict(handle ?? '', now ? handleOf(now) : 'removed');
  }
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
      const now = facts.of(id);
      // The user has said what the move would say, or the effect never came about: there is nothing to move, and nothing to move back.
      const isThere = saidBy(now) === saidBy(wanted);
      if (!isThere && saidBy(now) !== saidBy(left)) return conflict(left?.revision ?? 0, now?.revision ?? 0);
      // A revision never stands for two texts, so that a tab that has read the earlier one cannot write over this one.
      const written = isThere ? now : wanted && { ...wanted, revision: (now ?? wanted).revision + 1 };
      if (!isThere) await facts.write(now, written);
      replaceData({ id, [from]: now, [to]: written });
      return undefined;
    };
  return {
    data: {
      type: 'object',
      properties: { id: { type: 'string' }, before: item, after: item },
      required: ['id', 'before', 'after'],
    },
    revert: move('after', 'before'),
    reapply: move('before', 'after'),
  };
}

/** Returns a text that is equal for facts that say the same: the user has made no edit between them. */
function saidBy(one: MemoryItem | null): string | null {
  return one && JSON.stringify([one.text, one.about ?? [], one.pinned ?? false]);
}
