import type { AgentSessionError, ErrorCode, JsonObject, WireNames } from '@banister/provider';
import {
  classifyError,
  codeOf,
  fieldsOf,
  listOf,
  quoted,
  refusalError,
  saidBy,
  textIn,
  type ErrorContext,
  type Fields,
} from '@banister/wire';

/** The request in which an error was thrown. */
export interface RequestContext extends ErrorContext {
  /** The tool ids of the request, in its order. */
  readonly tools: readonly string[];
  readonly names: WireNames;
}

/** The fields of a server's refusal. */
interface Refusal {
  readonly status: number | undefined;
  /** `code` and `type`, in lower case. */
  readonly words: readonly string[];
  readonly param: string;
  /** The server's message, without keys. */
  readonly said: string;
  readonly body: Fields;
}

/** Codes and types of errors, as servers name them. */
const codeByWord: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_error', 'auth'],
  ['invalid_api_key', 'auth'],
  ['invalid_authentication', 'auth'],
  ['permission_denied', 'auth'],
  ['permission_error', 'auth'],
  ['unauthenticated', 'auth'],
  ['unauthorized', 'auth'],
  ['billing_hard_limit_reached', 'quota'],
  ['billing_not_active', 'quota'],
  ['insufficient_balance', 'quota'],
  ['insufficient_credits', 'quota'],
  ['insufficient_quota', 'quota'],
  ['rate_limit_error', 'rate-limit'],
  ['rate_limit_exceeded', 'rate-limit'],
  ['resource_exhausted', 'rate-limit'],
  ['too_many_requests', 'rate-limit'],
  ['invalid_model', 'model'],
  ['model_not_available', 'model'],
  ['model_not_found', 'model'],
  ['context_length_exceeded', 'context-length'],
  ['exceed_context_size_error', 'context-length'],
  ['request_too_large', 'context-length'],
  ['content_filter', 'refused'],
  ['content_policy_violation', 'refused'],
  ['image_content_policy_violation', 'refused'],
  ['invalid_prompt', 'refused'],
  ['engine_overloaded', 'overloaded'],
  ['overloaded', 'overloaded'],
  ['overloaded_error', 'overloaded'],
  ['service_unavailable', 'overloaded'],
  ['unavailable', 'overloaded'],
  ['invalid_function_parameters', 'invalid-configuration'],
  ['tool_use_failed', 'server'],
]);

/** Returns any value thrown by a request of this API as an `AgentSessionError`. */
export function openaiError(thrown: unknown, context: RequestContext): AgentSessionError {
  return classifyError(thrown, context, () => {
    const refusal = refusalIn(thrown, context.redact);
    return refusal && errorOf(refusal, thrown, context);
  });
}

/** Returns the refusal in an error of the official client; null for an error of the connection. */
function refusalIn(thrown: unknown, redact: (text: string) => string): Refusal | null {
  const { status, error } = fieldsOf(thrown);
  if (status === undefined && error === undefined) return null;
  const body = typeof error === 'string' ? { message: error } : fieldsOf(error);
  const stated = [status, body['status_code'], body['status'], body['code']].map(Number);
  return {
    status: stated.find((one) => one >= 400 && one < 600),
    words: [body['code'], body['type'], body['status']].map((word) => redact(textIn(word)).toLowerCase()),
    param: textIn(body['param']),
    said: saidBy(messageIn(body), redact),
    body,
  };
}

/** Returns the message in a body. Servers put it into many different fields. */
function messageIn(body: Fields): string {
  const { message, error, detail, error_message, error_msg, msg, error_description } = body;
  const upstream = textIn(fieldsOf(body['metadata'])['raw']);
  const said =
    [message, fieldsOf(message)['message'], error_message, error_msg, msg, error_description]
      .map(textIn)
      .find(Boolean) ||
    textIn(error) ||
    textIn(fieldsOf(error)['message']) ||
    textIn(detail) ||
    textIn(fieldsOf(detail)['message']) ||
    listOf(detail)
      .map((one) => textIn(fieldsOf(one)['msg']))
      .join(' ');
  return [said, upstream].filter((words) => words !== '').join(': ');
}

function errorOf(refusal: Refusal, thrown: unknown, context: RequestContext): AgentSessionError {
  const { status, words, said } = refusal;
  const named = words.map((word) => codeByWord.get(word)).find((code) => code !== undefined);
  const answering = context.hasParts ?? context.answering;
  const code = codeOf({ status: status ?? statusOf(words), named, said, answering });
  const tool = toolOf(refusal, context);
  const message = ownMessage(code, refusal, tool);
  const details = detailsOf(refusal, tool, thrown, context);
  return refusalError({ code, status, said, message, details }, thrown, context);
}

/** Returns the status for an error that an answer states instead of a refusal. */
function statusOf(words: readonly string[]): number | undefined {
  return words.includes('invalid_request_error') ? 400 : undefined;
}

function ownMessage(code: ErrorCode, { words, said }: Refusal, tool: string | undefined): string | undefined {
  if (code === 'invalid-configuration' && tool !== undefined) {
    return `The server refused the schema of the tool "${tool}".${quoted(said)}`;
  }
  return code === 'server' && words.includes('tool_use_failed')
    ? 'The model wrote a tool call that does not fit the tool.'
    : undefined;
}

/**
 * Returns the tool whose schema was refused: by its position in the request, or by its name in the server's
 * message.
 */
function toolOf({ param, said, words }: Refusal, { tools, names }: RequestContext): string | undefined {
  const place = /^tools\[(\d+)\]/.exec(param)?.[1];
  if (place !== undefined) return tools[Number(place)];
  const name = words.includes('invalid_function_parameters')
    ? /function '([^']+)'/.exec(said)?.[1]
    : undefined;
  return name === undefined ? undefined : names.fromWire(name);
}

/**
 * The servers' words for reasoning that they cannot read again, or that was sent without the item that it led
 * to.
 */
const reasoningWording =
  /\breasoning(?:_content)?\b.*(?:not (?:allowed|permitted|supported)|unexpected|unknown|unrecognized)|(?:extra|unexpected|unknown|unrecognized|unsupported)\b.*\breasoning_content\b|encrypted content\b.*\bcould not be|item .* of type 'reasoning' was provided without|required 'reasoning' item|thought signature/i;

function isReasoningRefused({ words, said, status = 400 }: Refusal): boolean {
  return (
    (status === 400 || status === 422) &&
    (words.includes('invalid_encrypted_content') || reasoningWording.test(said))
  );
}

function detailsOf(
  refusal: Refusal,
  tool: string | undefined,
  thrown: unknown,
  { redact, ending, headers }: RequestContext,
): JsonObject {
  const { status, words, param, said, body } = refusal;
  const generation = redact(textIn(body['failed_generation']));
  const requestId = textIn(fieldsOf(thrown)['requestID'] ?? headers?.get('x-request-id'));
  return {
    ...(status === undefined ? {} : { status }),
    ...(said === '' ? {} : { said }),
    ...(words[0] ? { code: words[0] } : {}),
    ...(words[1] ? { type: words[1] } : {}),
    ...(param === '' ? {} : { param }),
    ...(tool === undefined ? {} : { tool }),
    ...(isReasoningRefused(refusal) ? { refused: 'reasoning' } : {}),
    ...(generation === '' ? {} : { failedGeneration: generation }),
    ...(requestId === '' ? {} : { requestId }),
    ...ending,
  };
}
