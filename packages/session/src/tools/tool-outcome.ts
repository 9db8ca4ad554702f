import { isBase64 } from '../conversation/base64.js';
import type { ContentPart } from '../conversation/content.js';
import { isImageType, withoutParameters } from '../conversation/image-type.js';
import type { FailureReason } from '../conversation/failure-reason.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { JsonValue } from '../json/json.js';

/**
 * A result of a tool other than a plain value. Made by {@link success}, {@link failed}, {@link denied}, {@link conflict} and
 * {@link stop}.
 */
export type ToolOutcome =
  | { readonly outcome: 'success'; readonly content: readonly ContentPart[] }
  | { readonly outcome: 'stop'; readonly reason: string }
  | ({ readonly outcome: 'failed'; readonly message: string; readonly because?: FailureReason } & ForUser)
  | ({ readonly outcome: 'denied'; readonly reason: string } & ForUser)
  | { readonly outcome: 'conflict'; readonly expected: string | number; readonly actual: string | number };

/** Words for the user, beside those for the model. */
export interface ForUser {
  /** What the user reads: one sentence. Default: a sentence of the library for the code, such as "It did not work." */
  readonly forUser?: string | undefined;
}

/** Marks an outcome, which a plain value with the same fields is not; one mark for all copies of the package on a page. */
const marker = Symbol.for('@banister/tool-outcome');

/** One kind of outcome. */
type OutcomeOf<Kind extends ToolOutcome['outcome']> = Extract<ToolOutcome, { readonly outcome: Kind }>;

function outcome<Outcome extends ToolOutcome>(value: Outcome): Readonly<Outcome> {
  return Object.freeze(Object.defineProperty(value, marker, { value: true }));
}

/** Throws `invalid-configuration` for a text that is no string: a result with it could not be saved. */
function required(maker: string, text: unknown): string {
  if (typeof text === 'string') return text;
  throw new AgentSessionError('invalid-configuration', `${maker} needs a text; got ${typeof text}.`);
}

/** True for a value made by {@link success}, {@link failed}, {@link denied}, {@link conflict} or {@link stop}. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
}

/**
 * The tool did its work. Strings become text parts, content parts stay as they are, other values become JSON parts. A tool that
 * returns one plain value needs no `success`.
 *
 * @example
 * return success('Here is the chart.', { type: 'image', mediaType: 'image/png', data });
 */
export function success(...content: readonly (JsonValue | ContentPart)[]): OutcomeOf<'success'> {
  return outcome<OutcomeOf<'success'>>({ outcome: 'success', content: content.map(toContentPart) });
}

/**
 * The tool could not do its work; the model reads the message and may make another call. The user reads `forUser`. Throws for a text that is no
 * string.
 *
 * @param words.forUser what the user reads
 * @param words.because of a revert or a redo: the reason as a code of this library, for words in another language
 *
 * @example
 * return failed('No card 7. Call board.list_cards.', { forUser: 'There is no card 7.' });
 */
export function failed(
  message: string,
  { because, ...words }: ForUser & { readonly because?: FailureReason | undefined } = {},
): OutcomeOf<'failed'> {
  const maker = 'failed(message)';
  return outcome({
    outcome: 'failed',
    message: required(maker, message),
    ...(because && { because }),
    ...wordsOf(maker, words),
  });
}

/** The tool refuses to do its work; the model reads the reason, and the user `forUser`. Throws for a text that is no string. */
export function denied(reason: string, words: ForUser = {}): OutcomeOf<'denied'> {
  const maker = 'denied(reason)';
  return outcome({ outcome: 'denied', reason: required(maker, reason), ...wordsOf(maker, words) });
}

function wordsOf(maker: string, { forUser }: ForUser): ForUser {
  return forUser === undefined ? {} : { forUser: required(maker, forUser) };
}

/**
 * The app's state changed after the model read it. Also the result of a revert that would overwrite an edit of the user.
 *
 * @param expected the revision that the model read, {@link ToolContext.revision}
 * @param actual the revision now
 * @example
 * if (context.revision !== board.version) return conflict(context.revision, board.version);
 */
export function conflict(expected: string | number, actual: string | number): OutcomeOf<'conflict'> {
  return outcome<OutcomeOf<'conflict'>>({ outcome: 'conflict', expected, actual });
}

/**
 * The tool did its work and stops the turn, whose effects are committed; the user reads the reason. Throws for a reason that is
 * no string.
 */
export function stop(reason: string): OutcomeOf<'stop'> {
  return outcome<OutcomeOf<'stop'>>({ outcome: 'stop', reason: required('stop(reason)', reason) });
}

function toContentPart(value: JsonValue | ContentPart): ContentPart {
  if (typeof value === 'string') return { type: 'text', text: value };
  return contentPart(value) ?? { type: 'json', value: value as JsonValue };
}

/** Returns a value that is a whole content part; undefined for other data with a field `type`, which becomes JSON. */
function contentPart(value: unknown): ContentPart | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const part = value as Partial<Record<string, unknown>>;
  if (part.type === 'image') return imagePart(part);
  const isWhole =
    part.type === 'text' ? typeof part.text === 'string' : part.type === 'json' && 'value' in part;
  return isWhole && Object.keys(part).length === 2 ? (value as ContentPart) : undefined;
}

/**
 * Returns an image as servers take it: tools have types with parameters, and base64 in several lines. A part that is refused stays in the
 * conversation, and would be refused in each turn from then on.
 */
function imagePart({ mediaType, data, name }: Partial<Record<string, unknown>>): ContentPart | undefined {
  if (typeof mediaType !== 'string' || typeof data !== 'string') return undefined;
  const type = withoutParameters(mediaType);
  const line = data.replace(/\s/g, '');
  if (!isImageType(type) || !isBase64(line)) return undefined;
  return { type: 'image', mediaType: type, data: line, ...(typeof name === 'string' && { name }) };
}
