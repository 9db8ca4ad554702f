import { fieldsOf, textIn } from './json-fields.js';

/** What an error has to be understood with. */
export interface ErrorContext {
  readonly signal: AbortSignal;
  readonly model: string;
  /** The tools of the request in its order; those of the server by their own names. */
  readonly tools: readonly string[];
  /** True once the server had begun to answer. */
  readonly answering: boolean;
  /** The stop reason that came before the error; empty without one. */
  readonly stopReason: string;
  /** The event that is no JSON; empty without one. */
  readonly malformedLine: string;
  /** Takes keys out of a text. */
  redact(text: string): string;
}

/** The cause, unless somebody who prints it would print a key. */
export function causeWithoutKeys(thrown: unknown, { redact }: ErrorContext): unknown {
  const printed = `${textIn(fieldsOf(thrown)['message'])} ${JSON.stringify(fieldsOf(thrown)['error']) ?? ''}`;
  return redact(printed) === printed ? thrown : undefined;
}
