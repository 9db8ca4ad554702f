import { AgentSessionError, isJsonObject, type ErrorCode, type ErrorData } from '@banister/provider';

/** Codes of refusals that come from a server in front of the gateway. */
const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'auth',
  403: 'auth',
  408: 'network',
  413: 'context-length',
  429: 'rate-limit',
  502: 'network',
  503: 'overloaded',
  504: 'network',
};

const hints: readonly unknown[] = ['never', 'now', 'after-action'];

/** The codes of a gateway, and of the providers behind it. */
const gatewayCodes: readonly ErrorCode[] = [
  'invalid-input',
  'invalid-configuration',
  'unsupported',
  'unreadable-attachment',
  'conflict',
  'cancelled',
  'timeout',
  'egress-refused',
  'tool-choice-not-honored',
  'structured-output-invalid',
  'provider-contract',
  'interrupted',
  'auth',
  'model',
  'rate-limit',
  'quota',
  'context-length',
  'refused',
  'overloaded',
  'network',
  'server',
];

/** Returns an error that the gateway stated. An error of another shape gets the code of `otherwise`. */
export function statedError(
  stated: unknown,
  otherwise: ErrorCode = 'server',
  wait?: number,
): AgentSessionError {
  if (isWhole(stated)) {
    const { code, message, retry, details } = stated;
    return new AgentSessionError(code, message, { retry, details });
  }
  const retry = wait === undefined ? undefined : { afterMs: wait };
  return new AgentSessionError(otherwise, 'The gateway refused the request.', { retry });
}

/**
 * Returns whether an error has all fields of a gateway's error. Other servers have codes and messages too,
 * with another meaning.
 */
function isWhole(stated: unknown): stated is ErrorData {
  if (!isJsonObject(stated)) return false;
  const { code, message, retry, details } = stated;
  return (
    gatewayCodes.includes(code as ErrorCode) &&
    typeof message === 'string' &&
    isJsonObject(details) &&
    (isJsonObject(retry) ? isWait(retry['afterMs']) : hints.includes(retry))
  );
}

function isWait(ms: unknown): boolean {
  return typeof ms === 'number' && ms >= 0 && ms < Infinity;
}

/** Returns the error of a response without success: from its body, or else by its status. */
export async function refusalOf(response: Response): Promise<AgentSessionError> {
  const { status, type, headers } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return new AgentSessionError(
      'auth',
      'The address of the gateway leads elsewhere, perhaps to a page for signing in.',
    );
  const body: unknown = await response.json().catch(() => undefined);
  const wait = waitOf(headers.get('retry-after'));
  return statedError(isJsonObject(body) ? body['error'] : undefined, codes[status] ?? 'server', wait);
}

/**
 * Returns the wait of a header in milliseconds. The header has seconds or a date. With a date, the wait is
 * wrong by the error of this machine's clock.
 */
function waitOf(stated: string | null): number | undefined {
  if (!stated) return undefined;
  const ms = Number(stated) * 1_000;
  const wait = Number.isNaN(ms) ? Math.max(0, Date.parse(stated) - Date.now()) : ms;
  return isWait(wait) ? wait : undefined;
}
