import type { Message } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { beginningOf } from '@banister/provider/internal/messages/foreign-text';
import * as told from '../conversation/model-words.js';
import { isOwnCall, messagesWithCalls } from '../conversation/messages-with-calls.js';
import type { Domain } from '../tools/domain.js';
import type { DiscoveringTurn } from '../turn/turn-parts.js';

/** The highest number of characters of the instructions of a domain. */
export const LONGEST_INSTRUCTIONS = 20_000;

const USE = 'banister.use_domain';

/** The texts of the functions that return instructions, once for all sessions of a page. */
const loaded = new WeakMap<() => unknown, string>();

/** The calls of such functions that have not settled. */
const calls = new WeakMap<() => unknown, Promise<unknown>>();

/** The instructions of the domains of a turn: the model reads the instructions of each active domain once. */
export class Instructions {
  /** Why instructions could not be read in this turn. */
  private readonly failures = new Map<string, string>();

  constructor(private readonly turn: Pick<DiscoveringTurn, 'ports'>) {}

  /** Loads the instructions of domains. Returns null if nothing has to be loaded. The promise does not reject. */
  loading(domains: readonly Domain[]): Promise<void> | null {
    const missing = domains.filter(
      ({ id, instructions }) =>
        typeof instructions === 'function' && !loaded.has(instructions) && !this.failures.has(id),
    );
    return missing.length === 0 ? null : this.load(missing);
  }

  private async load(domains: readonly Domain[]): Promise<void> {
    await Promise.all(
      domains.map(async ({ id, instructions }) => {
        const read = instructions as () => string | Promise<string>;
        try {
          const text: unknown = await called(read);
          if (typeof text !== 'string' || text === '')
            throw new TypeError('they are no text, or an empty text');
          loaded.set(read, text);
        } catch (error) {
          this.failures.set(id, messageOf(error));
          this.turn.ports.reportError(error);
        }
      }),
    );
  }

  /** Waits for no instructions any more that are not there. */
  giveUp(domains: readonly Domain[], timeoutMs: number): void {
    for (const { id, instructions } of domains)
      if (typeof instructions === 'function' && !loaded.has(instructions) && !this.failures.has(id))
        this.failures.set(id, `they were not there after ${timeoutMs} ms`);
  }

  /** Returns the instructions of a domain for the model, with a first line that names the domain. null if the domain has none. */
  of({ id, instructions }: Domain): string | null {
    if (!instructions) return null;
    const text = typeof instructions === 'string' ? instructions : loaded.get(instructions);
    return told.instructionsOf(
      id,
      text === undefined ? told.noInstructions(this.failures.get(id) ?? '') : shortened(text),
    );
  }

  /** Returns the instructions of active domains that the messages do not have, each after an empty line. */
  unread(messages: readonly Message[], active: readonly Domain[]): readonly string[] {
    const withInstructions = active.filter(({ instructions }) => instructions);
    if (withInstructions.length === 0) return [];
    const answers = answersIn(messages);
    return withInstructions.flatMap((domain) => {
      const text = this.of(domain)!;
      if (answers.includes(text)) return [];
      // The function had failed before, or the app has changed the instructions.
      const isChanged = answers.some((answer) => answer.startsWith(`${told.instructionsBegin(domain.id)}\n`));
      return [`\n${text}`, ...(isChanged ? [told.instructionsChanged(domain.id)] : [])];
    });
  }
}

/** Calls a function that returns instructions, once until it has settled. */
function called(read: () => string | Promise<string>): Promise<unknown> {
  const known = calls.get(read);
  if (known !== undefined) return known;
  const call = (async () => await read())().finally(() => calls.delete(read));
  calls.set(read, call);
  return call;
}

function shortened(text: string): string {
  if (text.length <= LONGEST_INSTRUCTIONS) return text;
  const kept = beginningOf(text, LONGEST_INSTRUCTIONS);
  return `${kept}\n${told.longInstructions(kept.length, text.length)}`;
}

/** Returns the texts of the answers to calls of `banister.use_domain`. */
function answersIn(messages: readonly Message[]): readonly string[] {
  return messagesWithCalls(messages).flatMap((index) => {
    const calls = new Set(
      messages[index]!.parts.filter(isOwnCall).flatMap(({ id, tool }) => (tool === USE ? [id] : [])),
    );
    return (messages[index + 1]?.parts ?? []).flatMap((part) =>
      part.type === 'tool-result' && calls.has(part.callId)
        ? part.content.flatMap((one) => (one.type === 'text' ? [one.text] : []))
        : [],
    );
  });
}
