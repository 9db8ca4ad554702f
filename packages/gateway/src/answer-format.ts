import type { ErrorData, ProviderEvent } from '@banister/provider';

/** A line of an answer: an event of the model, or the error that ended it. */
export type AnswerLine = ProviderEvent | { readonly type: 'error'; readonly error: ErrorData };

/** The format in which an answer is sent. */
export interface AnswerFormat {
  readonly contentType: string;
  /** Bytes without a meaning, which show both sides that the connection is alive. */
  readonly keepAlive: string;
  lineOf(line: AnswerLine): string;
}

/** One JSON value per line. An empty line keeps the connection alive. */
export const ndjson: AnswerFormat = {
  contentType: 'application/x-ndjson; charset=utf-8',
  keepAlive: '\n',
  lineOf: (line) => `${JSON.stringify(line)}\n`,
};

/** Server-sent events, for clients that read only this format. */
export const serverSentEvents: AnswerFormat = {
  contentType: 'text/event-stream; charset=utf-8',
  keepAlive: ':\n\n',
  lineOf: (line) => `data: ${JSON.stringify(line)}\n\n`,
};

/** Returns the format that a request asks for: NDJSON, unless the request accepts server-sent events but not NDJSON. */
export function formatFor(headers: Headers): AnswerFormat {
  const accepted = (headers.get('accept') ?? '').toLowerCase();
  return accepted.includes('text/event-stream') && !accepted.includes('application/x-ndjson')
    ? serverSentEvents
    : ndjson;
}
