import {
  AgentSessionError,
  defineGuard,
  type ContextSource,
  type Domain,
  type Guard,
  type MemoryItem,
  type MemoryStore,
} from '@banister/session';
import type { ReadonlySignal } from '@banister/session/signals';
import { factsOf, rewritten } from './facts.js';
import { memoryTools } from './memory-tools.js';
import { lineOf } from './read-facts.js';

/** Options of {@link memory}. */
export interface MemoryOptions {
  /** Whether the guard asks the user about each fact that an agent writes or forgets. Default `always`. */
  readonly ask?: 'always' | 'never' | undefined;
  /** The highest number of characters of the facts that the model reads with each request. Default 2,000. */
  readonly maxChars?: number | undefined;
}

/** Facts that outlive a conversation: three values for the options of a session, and what a view of the facts needs. */
export interface Memory {
  /** The domain `memory`, with the tools `remember`, `forget` and `search`. */
  readonly domain: Domain;
  /** The line with the pinned and the newest facts. If the store cannot be read, there is a diagnostic and no line. */
  readonly context: ContextSource;
  /** Asks the user about each write, and notes whether a `networking` tool ran before. */
  readonly guard: Guard;
  /** All facts: pinned facts first, then the newest. */
  readonly items: ReadonlySignal<readonly MemoryItem[]>;
  /** False until the store was read, and after a reading that failed. The next use reads the store again. */
  readonly ready: ReadonlySignal<boolean>;
  /**
   * Adds a fact of the user. Rejects `invalid-input` for a text that is empty or longer than 1,000 characters, and with the error of the
   * store.
   */
  add(text: string): Promise<MemoryItem>;
  /**
   * Replaces the text of a fact, which is then the user's. Rejects as `add` does, and `conflict` if the fact was removed or changed
   * elsewhere; then nothing is written.
   *
   * @param revision the revision of the fact that the user has read. Default: the revision in `items`
   */
  edit(id: string, text: string, revision?: number): Promise<void>;
  /** Pins a fact, or unpins it. Rejects as `edit` does. @param isPinned default true */
  pin(id: string, isPinned?: boolean): Promise<void>;
  /** Removes a fact. Rejects as `edit` does. @param revision as for `edit` */
  remove(id: string, revision?: number): Promise<void>;
  /** Ends the subscription to the store. Every later call rejects `disposed`. */
  dispose(): void;
}

/** What the guard asks, by the tool. */
const questions: Readonly<Record<string, string>> = {
  'memory.remember': 'Remember this?',
  'memory.forget': 'Forget this?',
};

/**
 * Returns facts that agents and the user share, from a store. Agents write them by calls, which the user approves, edits and undoes; the
 * user writes them by the methods, without a turn. Several sessions may have the same memory.
 *
 * @throws AgentSessionError `invalid-configuration` without a store, and for a wrong option
 *
 * @example
 * const { domain, context, guard, items } = memory(indexedDbMemory());
 * const session = createAgentSession({ provider, domains: [board, domain], context: [context], guards: [guard] });
 * effect(() => console.log(items.value.map(({ text }) => text)));
 */
export function memory(store: MemoryStore, { ask = 'always', maxChars = 2_000 }: MemoryOptions = {}): Memory {
  const isRight = ['always', 'never'].includes(ask) && Number.isInteger(maxChars) && maxChars > 0;
  if (typeof store?.load !== 'function' || !isRight)
    throw new AgentSessionError(
      'invalid-configuration',
      'memory needs a store; ask is "always" or "never", and maxChars a whole number from 1 on.',
    );
  const facts = factsOf(store);
  const afterNetwork = new Set<string>();
  const guard = defineGuard('memory', async ({ id, tool, arguments: args }, { ranBefore }) => {
    const question = questions[tool];
    if (question === undefined) return 'allow';
    const isAfter = ranBefore.includes('networking');
    if (isAfter) afterNetwork.add(id);
    try {
      await facts.named((args['replaces'] ?? args['id']) as string | undefined);
    } catch (error) {
      return { deny: (error as Error).message };
    }
    if (ask === 'never') return 'allow';
    return { confirm: isAfter ? `${question} The agent has read from the network in this turn.` : question };
  });
  return {
    domain: {
      id: 'memory',
      tools: memoryTools(facts, (callId) => afterNetwork.delete(callId)),
      subscribe: facts.subscribe,
    },
    context: {
      id: 'memory',
      policy: 'always',
      summary: async () => lineOf(await facts.known(), maxChars),
    },
    guard,
    items: facts.items,
    ready: facts.ready,
    async add(text) {
      const item = rewritten(null, text, { by: 'user' });
      await facts.write(null, item);
      return item;
    },
    async edit(id, text, revision) {
      const before = await facts.find(id, revision);
      await facts.write(before, rewritten(before, text, { by: 'user' }));
    },
    async pin(id, isPinned = true) {
      const before = await facts.find(id);
      await facts.write(before, { ...before, pinned: isPinned || undefined, revision: before.revision + 1 });
    },
    async remove(id, revision) {
      await facts.write(await facts.find(id, revision), null);
    },
    dispose: facts.dispose,
  };
}
