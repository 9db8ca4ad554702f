import { fieldsOf, saidBy, textIn } from '@handrail/wire';

/** A server's refusal. */
export interface Refusal {
  readonly status: number | undefined;
  /** The error's type, in lower case. */
  readonly type: string;
  /** What the server said, without keys. */
  readonly said: string;
  readonly requestId: string;
}

/** The refusal in what the official client threw; null when it is about the connection instead. */
export function toRefusal(thrown: unknown, redact: (text: string) => string): Refusal | null {
  const { status, error: body, requestID } = fieldsOf(thrown);
  if (status === undefined && body === undefined) return null;
  const stated = fieldsOf(body)['error'] ?? body;
  const error = typeof stated === 'string' ? { message: stated } : fieldsOf(stated);
  const said =
    textIn(error['message']) || textIn(fieldsOf(error['error'])['message']) || textIn(error['detail']);
  return {
    status: typeof status === 'number' ? status : undefined,
    type: textIn(error['type']).toLowerCase(),
    said: saidBy(said, redact),
    requestId: textIn(requestID) || textIn(error['request_id']) || textIn(fieldsOf(body)['request_id']),
  };
}
