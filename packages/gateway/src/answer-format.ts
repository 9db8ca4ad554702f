import type { ErrorData, ProviderEvent } from '@banister/session/provider';

/** A line of an answer: an event of the model, or the error that ended it. */
export type AnswerLine = ProviderEvent | { readonly type: 'error'; readonly error: ErrorData };

/** The form in which an answer travels. */
export interface AnswerFormat {
  readonly contentType: string;
  /** Bytes without a meaning, by which both ends see that the connection lives. */
  readonly keepAlive: string;
  lineOf(line: AnswerLine): string;
}

/** One JSON text a line; an empty line keeps the connection alive. */
export const ndjson: AnswerFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  keepAlive: '\n',
  lineOf: (line) => `${JSON.stringify(line)}\n`,
};

/** Server-sent events, for clients that read nothing else. */
export const serverSentEvents: AnswerFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  keepAlive: ':\n\n',
  lineOf: (line) => `data: ${JSON.stringify(line)}\n\n`,
};

/** Returns the form that a request asks for: NDJSON, unless it accepts server-sent events and not NDJSON. */
export function formatFor(headers: Headers): AnswerFormat {
  const accepted = (headers.get('accept') ?? '').toLowerCase();
  return accepted.includes('text/event-stream') && !accepted.includes('application/x-ndjson')
    ? serverSentEvents
    : ndjson;
}
