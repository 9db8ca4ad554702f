import type { ContentPart } from '../conversation/content.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { JsonValue } from '../json/json.js';

/** An answer of a tool that is more than a plain value. Made by {@link success}, {@link failed}, {@link denied}, {@link conflict} and {@link stop}. */
export type ToolOutcome =
  | { readonly outcome: 'success'; readonly content: readonly ContentPart[] }
  | { readonly outcome: 'stop'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly message: string }
  | { readonly outcome: 'denied'; readonly reason: string }
  | { readonly outcome: 'conflict'; readonly expected: string | number; readonly actual: string | number };

/** Distinguishes an outcome from a plain value that looks like one, across two copies of the package as well. */
const marker = Symbol.for('@handrail/tool-outcome');

/** One kind of outcome. */
type OutcomeOf<Kind extends ToolOutcome['outcome']> = Extract<ToolOutcome, { readonly outcome: Kind }>;

function outcome<Outcome extends ToolOutcome>(value: Outcome): Readonly<Outcome> {
  return Object.freeze(Object.defineProperty(value, marker, { value: true }));
}

/** The model or the user reads this text: a result without it could not be saved. */
function required(maker: string, text: unknown): string {
  if (typeof text === 'string') return text;
  throw new AgentSessionError('invalid-configuration', `${maker} needs a text; got ${typeof text}.`);
}

/** True for what {@link success}, {@link failed}, {@link denied}, {@link conflict} and {@link stop} make. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
}

/**
 * The tool did its work. Strings become text, content parts stay, everything else becomes JSON.
 *
 * @example
 * return success('Here is the chart.', { type: 'image', mediaType: 'image/png', data });
 */
export function success(...content: readonly (JsonValue | ContentPart)[]): OutcomeOf<'success'> {
  return outcome<OutcomeOf<'success'>>({ outcome: 'success', content: content.map(toContentPart) });
}

/** The tool could not do its work; the model reads the message and may try something else. */
export function failed(message: string): OutcomeOf<'failed'> {
  return outcome<OutcomeOf<'failed'>>({ outcome: 'failed', message: required('failed(message)', message) });
}

/** The tool refuses; the model reads the reason. */
export function denied(reason: string): OutcomeOf<'denied'> {
  return outcome<OutcomeOf<'denied'>>({ outcome: 'denied', reason: required('denied(reason)', reason) });
}

/** The app's state moved on since the model looked at it; also for a revert that would overwrite the user's edit. */
export function conflict(expected: string | number, actual: string | number): OutcomeOf<'conflict'> {
  return outcome<OutcomeOf<'conflict'>>({ outcome: 'conflict', expected, actual });
}

/** The tool did its work, and the turn is to stop here, keeping what was done. */
export function stop(reason: string): OutcomeOf<'stop'> {
  return outcome<OutcomeOf<'stop'>>({ outcome: 'stop', reason: required('stop(reason)', reason) });
}

function toContentPart(value: JsonValue | ContentPart): ContentPart {
  if (typeof value === 'string') return { type: 'text', text: value };
  return isContentPart(value) ? value : { type: 'json', value: value as JsonValue };
}

/** Only whole parts count: a piece of data with a field `type` is data. */
function isContentPart(value: unknown): value is ContentPart {
  if (typeof value !== 'object' || value === null) return false;
  const part = value as Partial<Record<string, unknown>>;
  if (part.type === 'text') return typeof part.text === 'string' && Object.keys(part).length === 2;
  if (part.type === 'json') return 'value' in part && Object.keys(part).length === 2;
  return part.type === 'image' && typeof part.mediaType === 'string' && typeof part.data === 'string';
}
