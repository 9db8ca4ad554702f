import {
  AgentSessionError,
  type ErrorCode,
  type JsonObject,
  type RetryHint,
} from '@handrail/session/provider';
import { codeOf } from './code-of.js';
import { causeWithoutKeys, type ErrorContext } from './error-context.js';
import { fieldsOf } from './json-fields.js';
import type { Refusal } from './refusal.js';
import { retryAfter } from './retry-after.js';

/** A refusal as one of our errors, with a sentence for the person in front of the screen. */
export function refusalError(refusal: Refusal, thrown: unknown, context: ErrorContext): AgentSessionError {
  const code = codeOf(refusal, context.answering);
  const tool = toolOf(refusal, context);
  const afterMs = retryAfter(fieldsOf(thrown)['headers']);
  const retry = afterMs === undefined ? retryOf(code, refusal) : { afterMs };
  const mayWait = code === 'rate-limit' || code === 'overloaded' || code === 'server';
  return new AgentSessionError(code, messageFor(code, refusal, tool, context), {
    details: detailsOf(refusal, tool, context),
    cause: causeWithoutKeys(thrown, context),
    ...(mayWait ? { retry } : {}),
  });
}

function retryOf(code: ErrorCode, { status }: Refusal): RetryHint {
  // Not implemented stays so.
  return code === 'server' && status === 501 ? 'never' : 'now';
}

function messageFor(
  code: ErrorCode,
  refusal: Refusal,
  tool: string | undefined,
  context: ErrorContext,
): string {
  const said = refusal.said === '' ? '' : ` The server said: ${refusal.said}`;
  switch (code) {
    case 'auth':
      return refusal.status === 403
        ? `The server does not allow this request.${said}`
        : 'The server did not accept the API key.'; // and what it said often holds half of the key
    case 'quota':
      return 'The account has no credit left.';
    case 'rate-limit':
      return 'There were too many requests; the server asks to wait.';
    case 'model':
      return `The model "${context.model}" is not available.${said}`;
    case 'context-length':
      return 'The conversation has become too long for the model.';
    case 'overloaded':
      return 'The model is overloaded at the moment.';
    case 'refused':
      return 'The content filter of the server refused the request.';
    case 'network':
      return 'The server waited in vain for the request.';
    case 'invalid-configuration':
      if (tool !== undefined) return `The server refused the tool "${tool}".${said}`;
      return refusal.status === 404
        ? `There is no such API at the base URL.${said}`
        : `The server refused the request.${said}`;
    default:
      return `The server failed.${said}`;
  }
}

/** The tool that was refused, by its place in the request: `tools.3.custom.input_schema: …`. */
function toolOf({ said }: Refusal, { tools }: ErrorContext): string | undefined {
  const place = /^tools\.(\d+)\b/.exec(said)?.[1];
  return place === undefined ? undefined : tools[Number(place)];
}

function detailsOf(
  { status, type, said, requestId }: Refusal,
  tool: string | undefined,
  { stopReason }: ErrorContext,
): JsonObject {
  return {
    ...(status === undefined ? {} : { status }),
    ...(said === '' ? {} : { said }),
    ...(type === '' ? {} : { type }),
    ...(tool === undefined ? {} : { tool }),
    ...(requestId === '' ? {} : { requestId }),
    ...(stopReason === '' ? {} : { stopReason }),
  };
}
