import type { Message } from '@banister/provider';
import { refusal } from '@banister/provider/internal/errors/checked';
import { escaped } from '@banister/provider/internal/messages/foreign-text';
import type { Middleware, ModelAnswer } from './middleware.js';
import { redactContents, redactJson, redactMessage, type RedactText } from './redact.js';

/**
 * A piece of text that must not leave the page. A string is found as it is and as JSON escapes it, with any kind of white space. A pattern
 * is found wherever it matches.
 */
export type SecretText = string | RegExp;

/** The options of {@link contentFilter}. At least one of the lists is required. */
export interface ContentFilterOptions {
  /** The name in operations and errors. Unique in a session. Default `content-filter`. */
  readonly name?: string | undefined;
  /** Pieces that are replaced in each request. Default: none. */
  readonly redact?: readonly SecretText[] | undefined;
  /**
   * Pieces that are replaced in each request too. An answer that contains one of them is withheld and stops the turn. For the result of a
   * tool that contains one of them, `results` says what happens before the result is recorded. Default: none.
   */
  readonly secrets?: readonly SecretText[] | undefined;
  /**
   * What happens to the result of a tool that contains a secret. `redact` replaces the secret. With `block` the model reads an error
   * instead of the result. Default `redact`.
   */
  readonly results?: 'redact' | 'block' | undefined;
  /** The text that replaces a removed piece. Default `[redacted]`. */
  readonly replacement?: string | undefined;
}

/**
 * Returns a middleware that keeps pieces of text from the model. It replaces them in the system prompt and in every text of every message,
 * also in arguments and results of calls and in names of tools and files. The conversation keeps them. Images and PDFs are sent unchanged.
 * A thinking part that its provider signed, and an opaque part, cannot be changed, so such a part is left out of the request.
 *
 * An answer that contains a secret is withheld, and the turn stops. A secret in the result of a tool is removed before the result is
 * recorded, so no operation, log, conversation or export contains it.
 *
 * @throws AgentSessionError `invalid-configuration` for invalid options, and if there is nothing to filter
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
    throw refusal('contentFilter needs a replacement text that it does not filter.');
  if (results !== 'redact' && results !== 'block')
    throw refusal('The results of contentFilter must be "redact" or "block".');
  const redactBy =
    (patterns: readonly RegExp[]): RedactText =>
    (text) =>
      patterns.reduce((rest, pattern) => rest.replace(pattern, () => replacement), text);
  const redact = redactBy(all);
  const secretPatterns = secrets.map(patternOf);
  const withoutSecrets = redactBy(secretPatterns);
  // A conversation grows at its end, so each message is redacted only once.
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

/**
 * Returns true if a pattern matches in an answer: in its text, its thinking, or the arguments of a call, including calls inside the answer.
 */
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

/** Returns a pattern that finds each occurrence of a piece. */
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

/**
 * Returns the source of a pattern for a text. It matches any kind of white space, because line breaks become spaces in lines about context
 * and calls.
 */
function literal(piece: string): string {
  return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+');
}
