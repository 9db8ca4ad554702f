import { escaped } from '../conversation/foreign-text.js';
import { refusal } from '../errors/checked.js';
import type { Message } from '../conversation/message.js';
import type { Middleware, ModelAnswer } from './middleware.js';
import { redactContents, redactJson, redactMessage, type RedactText } from './redact.js';

/**
 * A piece of text that must not leave the page: a text, which is found as it is and as JSON writes it, with white space of any kind; or a
 * pattern, which is found where it matches.
 */
export type SecretText = string | RegExp;

/** The options of {@link contentFilter}. At least one of the lists is needed. */
export interface ContentFilterOptions {
  /** In operations and errors. Unique in a session. Default `content-filter`. */
  readonly name?: string | undefined;
  /** Replaced in each request. Default: none. */
  readonly redact?: readonly SecretText[] | undefined;
  /**
   * Replaced in each request as well. An answer that has one is withheld and stops the turn; the result of a tool that has one is dealt with before it is
   * recorded, as `results` says. Default: none.
   */
  readonly secrets?: readonly SecretText[] | undefined;
  /**
   * What happens to the result of a tool in which a secret occurs: `redact` replaces the secret, `block` has the model read an error in the place of the
   * result. Default `redact`.
   */
  readonly results?: 'redact' | 'block' | undefined;
  /** Stands for a piece that was taken out. Default `[redacted]`. */
  readonly replacement?: string | undefined;
}

/**
 * Returns a middleware that keeps pieces of text from the model: it replaces them in the system prompt and in every text of every
 * message, in arguments and results of calls and in names of tools and files too. The conversation keeps them. Images and PDFs are sent as they are. A
 * thinking part that its provider signed, and an opaque part, cannot be changed: such a part is left out of the request.
 *
 * An answer in which a secret occurs is withheld, and the turn stops. A secret in the result of a tool is taken out before the result is recorded: no
 * operation, log, conversation or export has it.
 *
 * @throws AgentSessionError `invalid-configuration` for options that are none, and without anything to filter
 *
 * @example
 * const filter = contentFilter({ redact: [/[\w.]+@[\w.]+/], secrets: [apiKey] });
 * const session = createAgentSession({ provider, middleware: [filter] });
 */
export function contentFilter(options: ContentFilterOptions): Middleware {
  const {
    name = 'content-filter',
    redact: patterns = [],
    secrets = [],
    replacement = '[redacted]',
    results = 'redact',
  } = options;
  const all = [...patterns, ...secrets].map(patternOf);
  if (all.length === 0) throw refusal('contentFilter needs something to filter: redact or secrets.');
  if (typeof replacement !== 'string' || all.some((pattern) => matches(pattern, replacement)))
    throw refusal('The replacement of contentFilter is no text, or is filtered itself.');
  if (results !== 'redact' && results !== 'block')
    throw refusal('The results of contentFilter are to "redact" or to "block".');
  const redactBy =
    (patterns: readonly RegExp[]): RedactText =>
    (text) =>
      patterns.reduce((rest, pattern) => rest.replace(pattern, () => replacement), text);
  const redact = redactBy(all);
  const secretPatterns = secrets.map(patternOf);
  const withoutSecrets = redactBy(secretPatterns);
  // A conversation grows at its end: each message is redacted once.
  const redacted = new WeakMap<Message, Message>();
  const redactOnce = (message: Message): Message => {
    let known = redacted.get(message);
    if (known === undefined) redacted.set(message, (known = redactMessage(message, redact)));
    return known;
  };
  return {
    name,
    redact: redactOnce,
    beforeRequest: (request) => {
      const messages = request.messages.map(redactOnce);
      const system = redact(request.system);
      const isClean = messages.every((message, index) => message === request.messages[index]);
      if (isClean && system === request.system) return undefined;
      return { ...request, system, messages: isClean ? request.messages : messages };
    },
    ...(secretPatterns.length === 0
      ? {}
      : {
          afterResponse: (answer) =>
            secretPatterns.some((pattern) => isIn(answer, pattern))
              ? { withhold: 'The answer contained a secret, and was withheld.' }
              : 'keep',
          afterToolCall: ({ content, forUser = '' }) => {
            const clean = redactContents(content, withoutSecrets);
            if (clean === content && withoutSecrets(forUser) === forUser) return 'keep';
            return results === 'block' ? { reject: 'It contained a secret.' } : { replace: clean };
          },
        }),
  };
}

/** Whether an answer has a piece that matches: in its text, its thinking, or the arguments of a call, also of one inside the answer. */
function isIn({ text, thinking, calls, innerCalls }: ModelAnswer, pattern: RegExp): boolean {
  let found = false;
  const look: RedactText = (piece) => {
    found ||= matches(pattern, piece);
    return piece;
  };
  for (const piece of [text, thinking]) look(piece);
  for (const { argumentsText, arguments: parsed } of [...calls, ...innerCalls]) {
    look(argumentsText);
    if (parsed !== null) redactJson(parsed, look);
  }
  return found;
}

function matches(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

/** Returns a pattern that finds each piece of a text. */
function patternOf(piece: unknown): RegExp {
  if (piece instanceof RegExp) {
    const pattern = new RegExp(piece.source, `${piece.flags.replace(/[gy]/g, '')}g`);
    if (matches(pattern, ''))
      throw refusal(`The pattern ${String(piece)} of contentFilter matches the empty text.`);
    return pattern;
  }
  if (typeof piece !== 'string' || piece === '')
    throw refusal('contentFilter takes texts that are not empty, and patterns.');
  const asJson = [JSON.stringify(piece), escaped(piece)].map((text) => literal(text.slice(1, -1)));
  return new RegExp([...new Set([literal(piece), ...asJson])].join('|'), 'g');
}

/** Returns the source of a pattern for a text. White space of another kind fits too: line breaks become spaces in lines about context and calls. */
function literal(piece: string): string {
  return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+');
}
