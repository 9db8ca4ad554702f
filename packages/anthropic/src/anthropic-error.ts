import { AgentSessionError, type ErrorCode, type JsonObject } from '@banister/provider';
import {
  classifyError,
  codeOf,
  commonWordings,
  fieldsOf,
  quoted,
  refusalError,
  saidBy,
  textIn,
  withoutKeys,
  type ErrorContext,
  type Wordings,
} from '@banister/wire';

/** The request in which an error was thrown. */
export interface RequestContext extends ErrorContext {
  /** The tools of the request, in its order. Tools of the server have their own names. */
  readonly tools: readonly string[];
}

/** The fields of a server's refusal. */
interface Refusal {
  readonly status: number | undefined;
  /** The type of the error, in lower case. */
  readonly type: string;
  /** The server's message, without keys. */
  readonly said: string;
  readonly requestId: string;
}

/** Types of errors with one meaning. Not `api_error`: servers that imitate the API use it for every error. */
const codeByType: ReadonlyMap<string, ErrorCode> = new Map([
  ['authentication_error', 'auth'],
  ['permission_error', 'auth'],
  ['billing_error', 'quota'],
  ['rate_limit_error', 'rate-limit'],
  ['request_too_large', 'context-length'],
  ['overloaded_error', 'overloaded'],
  ['timeout_error', 'server'],
]);

/** Messages of `invalid_request_error` and `not_found_error`, two types with several meanings. */
const wordings: Wordings = [
  ...commonWordings,
  [/credit balance|spend(?:ing)? limit|usage limits?/i, 'quota'],
  [/content filter/i, 'refused'],
];

/** Returns any value thrown by a request of this API as an `AgentSessionError`. */
export function anthropicError(thrown: unknown, context: RequestContext): AgentSessionError {
  return classifyError(thrown, context, () => {
    const refusal = refusalIn(thrown, context.redact);
    if (refusal) return errorOf(refusal, thrown, context);
    return isAboutCredentials(thrown, context) ? noKeyError(thrown, context) : null;
  });
}

/** Returns the refusal in an error of the official client; null for an error of the connection. */
function refusalIn(thrown: unknown, redact: (text: string) => string): Refusal | null {
  const { status, error: body, requestID } = fieldsOf(thrown);
  if (status === undefined && body === undefined) return null;
  const stated = fieldsOf(body)['error'] ?? body;
  const error = typeof stated === 'string' ? { message: stated } : fieldsOf(stated);
  const said =
    textIn(error['message']) ||
    textIn(fieldsOf(error['message'])['message']) ||
    textIn(error['error_description']) ||
    textIn(fieldsOf(error['error'])['message']) ||
    ['error', 'detail', 'error_message', 'error_msg', 'msg']
      .map((name) => textIn(error[name]))
      .find(Boolean) ||
    '';
  return {
    status: typeof status === 'number' ? status : undefined,
    type: redact(textIn(error['type'])).toLowerCase(),
    said: saidBy(said, redact),
    requestId: textIn(requestID) || textIn(error['request_id']) || textIn(fieldsOf(body)['request_id']),
  };
}

function errorOf(refusal: Refusal, thrown: unknown, context: RequestContext): AgentSessionError {
  const { status, type, said } = refusal;
  const signs = {
    status: status ?? (type === 'invalid_request_error' ? 400 : undefined),
    named: codeByType.get(type),
    said,
    answering: context.hasParts ?? context.answering,
  };
  const code = codeOf(signs, wordings);
  const tool = toolOf(refusal, context);
  const details = detailsOf(refusal, tool, context);
  const message =
    code === 'invalid-configuration' && tool !== undefined
      ? `The server refused the tool "${tool}".${quoted(said)}`
      : undefined;
  return refusalError({ code, status, said, message, details }, thrown, context);
}

/** Returns the tool that was refused, by its position in the request: `tools.3.custom.input_schema: …`. */
function toolOf({ said }: Refusal, { tools }: RequestContext): string | undefined {
  const place = /^tools\.(\d+)\b/.exec(said)?.[1];
  return place === undefined ? undefined : tools[Number(place)];
}

/** The server's words for thinking that it did not sign, or that was changed. */
const reasoningWording =
  /invalid `?signature`?.*thinking|`?thinking`? .*blocks? .*cannot be modified|invalid `?data`? in `?redacted_thinking/i;

function detailsOf(
  { status, type, said, requestId: stated }: Refusal,
  tool: string | undefined,
  { ending, headers }: RequestContext,
): JsonObject {
  const requestId = stated || textIn(headers?.get('request-id'));
  return {
    ...(status === undefined ? {} : { status }),
    ...(said === '' ? {} : { said }),
    ...(type === '' ? {} : { type }),
    ...(tool === undefined ? {} : { tool }),
    ...(status === 400 && reasoningWording.test(said) ? { refused: 'reasoning' } : {}),
    ...(requestId === '' ? {} : { requestId }),
    ...ending,
  };
}

/**
 * The client names its connection errors `APIConnection…`. Before an answer, it throws other errors only for
 * missing credentials.
 */
function isAboutCredentials(thrown: unknown, { answering }: RequestContext): boolean {
  const isOther = !textIn(fieldsOf(thrown)['name']).startsWith('APIConnection');
  return !answering && isOther && !(thrown instanceof SyntaxError);
}

function noKeyError(thrown: unknown, { redact }: RequestContext): AgentSessionError {
  return new AgentSessionError('auth', 'There is no usable API key. Pass apiKey, or set ANTHROPIC_API_KEY.', {
    cause: withoutKeys(thrown, redact),
  });
}
