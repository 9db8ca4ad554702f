import { AgentSessionError, type ErrorOptions } from '../errors/agent-session-error.js';
import type { StopReason } from '../conversation/turn-record.js';

/** Returns the error of a turn whose answer is no output that fits. `reason` is in its details. */
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

/** Names of the part of a request in which APIs take a schema, as their refusals have them. */
const MODE = /response_?format|json_?schema|output_config|text\.format|guided|grammar|structured.?output/i;

/** Returns the error of a request; where the server refused the provider's own mode of structured output, with the other way. */
export function refusedOutput(error: AgentSessionError): AgentSessionError {
  const { code, message, retry, details } = error;
  if (code !== 'invalid-configuration' || !MODE.test(message)) return error;
  const hint = `${message} Where a server has no mode for structured output, the option structuredOutput: false of its provider forces a tool instead.`;
  return new AgentSessionError(code, hint, { retry, details, cause: error });
}
