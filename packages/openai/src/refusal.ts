import { fieldsOf, listOf, saidBy, textIn, type Fields } from '@handrail/wire';

/** A server's refusal, whatever shape its body had. */
export interface Refusal {
  readonly status: number | undefined;
  /** `code` and `type`, in lower case. */
  readonly words: readonly string[];
  readonly param: string;
  /** What the server said, without keys. */
  readonly said: string;
  readonly body: Fields;
}

/** The refusal in what the official client threw; null when it is about the connection instead. */
export function toRefusal(thrown: unknown, redact: (text: string) => string): Refusal | null {
  const { status, error } = fieldsOf(thrown);
  if (status === undefined && error === undefined) return null;
  const body = typeof error === 'string' ? { message: error } : fieldsOf(error);
  const stated = [status, body['status_code'], body['status'], body['code']].map(Number);
  return {
    status: stated.find((one) => one >= 400 && one < 600),
    words: [body['code'], body['type'], body['status']].map((word) => textIn(word).toLowerCase()),
    param: textIn(body['param']),
    said: saidBy(saidIn(body), redact),
    body,
  };
}

/** The words of a body: servers put them in a dozen places. */
function saidIn(body: Fields): string {
  const { message, error, detail } = body;
  const upstream = textIn(fieldsOf(body['metadata'])['raw']);
  const said =
    textIn(message) ||
    textIn(error) ||
    textIn(fieldsOf(error)['message']) ||
    textIn(detail) ||
    textIn(fieldsOf(detail)['message']) ||
    listOf(detail)
      .map((one) => textIn(fieldsOf(one)['msg']))
      .join(' ');
  return [said, upstream].filter((words) => words !== '').join(': ');
}
