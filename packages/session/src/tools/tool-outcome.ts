import type { ContentPart, JsonValue } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { isBase64 } from '../conversation/base64.js';
import { isImageType, withoutParameters } from '../conversation/image-type.js';
import type { FailureReason } from '../conversation/failure-reason.js';

/**
 * A result of a tool other than a plain value, created by {@link success}, {@link failed}, {@link denied}, {@link conflict} or {@link
 * stop}.
 */
export type ToolOutcome =
  | { readonly outcome: 'success'; readonly content: readonly ContentPart[] }
  | { readonly outcome: 'stop'; readonly reason: string }
  | ({ readonly outcome: 'failed'; readonly message: string; readonly because?: FailureReason } & ForUser)
  | ({ readonly outcome: 'denied'; readonly reason: string } & ForUser)
  | { readonly outcome: 'conflict'; readonly expected: string | number; readonly actual: string | number };

/** A sentence for the user, in addition to the text for the model. */
export interface ForUser {
  /** One sentence for the user. Default: a sentence of the library for the code, such as "It did not work." */
  readonly forUser?: string | undefined;
}

/** Marks an outcome, to distinguish it from a plain value with the same fields. All copies of the package on a page share the mark. */
const marker = Symbol.for('@banister/tool-outcome');

/** One kind of outcome. */
type OutcomeOf<Kind extends ToolOutcome['outcome']> = Extract<ToolOutcome, { readonly outcome: Kind }>;

function outcome<Outcome extends ToolOutcome>(value: Outcome): Readonly<Outcome> {
  return Object.freeze(Object.defineProperty(value, marker, { value: true }));
}

/** Returns a string; throws `invalid-configuration` for any other value, because a result with it could not be saved. */
function required(maker: string, text: unknown): string {
  if (typeof text === 'string') return text;
  throw new AgentSessionError('invalid-configuration', `${maker} needs a text; got ${typeof text}.`);
}

/** Returns true for a value created by {@link success}, {@link failed}, {@link denied}, {@link conflict} or {@link stop}. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
}

/**
 * The tool did its work. Strings become text parts, content parts stay as they are, and other values become JSON parts. A tool that returns
 * one plain value does not need `success`.
 *
 * @example
 * return success('Here is the chart.', { type: 'image', mediaType: 'image/png', data });
 */
export function success(...content: readonly (JsonValue | ContentPart)[]): OutcomeOf<'success'> {
  return outcome<OutcomeOf<'success'>>({ outcome: 'success', content: content.map(toContentPart) });
}

/**
 * The tool could not do its work. The model reads the message and may make another call. The user reads `forUser`. Throws if a text is not
 * a string.
 *
 * @param words.forUser what the user reads
 * @param words.because for a revert or a redo: the reason as a code of this library, so that it can be shown in another language
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

/** The tool refuses to do its work. The model reads the reason, and the user reads `forUser`. Throws if a text is not a string. */
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
 * The tool did its work and stops the turn. The effects of the turn are committed, and the user reads the reason. Throws if the reason is
 * not a string.
 */
export function stop(reason: string): OutcomeOf<'stop'> {
  return outcome<OutcomeOf<'stop'>>({ outcome: 'stop', reason: required('stop(reason)', reason) });
}

function toContentPart(value: JsonValue | ContentPart): ContentPart {
  if (typeof value === 'string') return { type: 'text', text: value };
  return contentPart(value) ?? { type: 'json', value: value as JsonValue };
}

/** Returns a value that is a complete content part; undefined for other data with a field `type`, which becomes JSON. */
function contentPart(value: unknown): ContentPart | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const part = value as Partial<Record<string, unknown>>;
  if (part.type === 'image') return imagePart(part);
  const isWhole =
    part.type === 'text' ? typeof part.text === 'string' : part.type === 'json' && 'value' in part;
  return isWhole && Object.keys(part).length === 2 ? (value as ContentPart) : undefined;
}

/**
 * Returns an image in the form that servers accept. Tools may return types with parameters, and base64 in several lines. A part that
 * servers refuse would stay in the conversation, and be refused in each later turn.
 */
function imagePart({ mediaType, data, name }: Partial<Record<string, unknown>>): ContentPart | undefined {
  if (typeof mediaType !== 'string' || typeof data !== 'string') return undefined;
  const type = withoutParameters(mediaType);
  const line = data.replace(/\s/g, '');
  if (!isImageType(type) || !isBase64(line)) return undefined;
  return { type: 'image', mediaType: type, data: line, ...(typeof name === 'string' && { name }) };
}
