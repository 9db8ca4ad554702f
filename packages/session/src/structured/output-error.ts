import type { ErrorOptions } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { StopReason } from '../conversation/turn-record.js';

/** Returns the error of a turn whose answer is not a fitting output. Its details contain `reason`. */
export function invalidOutput(
  reason: 'schema' | 'tool-call' | 'check-failed' | StopReason['kind'],
  message: string,
  { details, ...options }: ErrorOptions = {},
): AgentSessionError {
  return new AgentSessionError('structured-output-invalid', message, {
    ...options,
    details: { reason, ...details },
  });
}

/** Names of the request fields in which APIs accept a schema, as they appear in error messages of servers. */
const MODE = /response_?format|json_?schema|output_config|text\.format|guided|grammar|structured.?output/i;

/**
 * Returns the error of a request. If the server refused the provider's own mode for structured output, the message names the alternative.
 */
export function refusedOutput(error: AgentSessionError): AgentSessionError {
  const { code, message, retry, details } = error;
  if (code !== 'invalid-configuration' || !MODE.test(message)) return error;
  const hint = `${message} Where a server has no mode for structured output, the option structuredOutput: false of its provider forces a tool instead.`;
  return new AgentSessionError(code, hint, { retry, details, cause: error });
}
