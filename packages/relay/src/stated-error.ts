import {
  AgentSessionError,
  isJsonObject,
  type ErrorCode,
  type JsonObject,
  type RetryHint,
} from '@handrail/session/provider';

/** Codes of refusals that do not come from a gateway, but from a server before it. */
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

/** Returns an error that the gateway stated. */
export function statedError(
  stated: unknown,
  otherwise: ErrorCode = 'server',
  wait?: number,
): AgentSessionError {
  const { code, message, retry, details } = (isJsonObject(stated) ? stated : {}) as JsonObject;
  const { afterMs } = (isJsonObject(retry) ? retry : {}) as JsonObject;
  const hint = typeof retry === 'string' || typeof afterMs === 'number' ? (retry as RetryHint) : undefined;
  return new AgentSessionError(
    typeof code === 'string' ? (code as ErrorCode) : otherwise,
    typeof message === 'string' ? message : 'The gateway refused the request.',
    {
      details: isJsonObject(details) ? details : {},
      retry: hint ?? (wait === undefined ? undefined : { afterMs: wait }),
    },
  );
}

/** Returns the error of a response that is no success: that of its body, else one by its status. */
export async function refusalOf(response: Response): Promise<AgentSessionError> {
  const { status, type, headers } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return new AgentSessionError(
      'auth',
      'The address of the gateway leads elsewhere, perhaps to a page for signing in.',
    );
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = headers.get('retry-after');
  const wait = seconds === null || !(Number(seconds) >= 0) ? undefined : Number(seconds) * 1_000;
  return statedError(isJsonObject(body) ? body['error'] : undefined, codes[status] ?? 'server', wait);
}
