import { jsonCopy } from '../json/json-copy.js';
import type { JsonObject } from '../json/json.js';

/**
 * The reason for which a session refuses a call or fails a turn. Codes are stable: switch on the code, never on the message.
 */
export type ErrorCode =
  | 'already-running'
  | 'invalid-input'
  | 'invalid-configuration'
  | 'unsupported'
  | 'unreadable-attachment'
  | 'nothing-to-retry'
  | 'nothing-to-undo'
  | 'nothing-to-resume'
  | 'conflict'
  | 'undo-failed'
  | 'cancelled'
  | 'max-rounds'
  | 'max-tool-calls'
  | 'max-calls-per-answer'
  | 'timeout'
  | 'token-budget'
  | 'cost-budget'
  | 'repeated-call'
  | 'egress-refused'
  | 'tool-choice-not-honored'
  | 'structured-output-invalid'
  | 'tool-escalated'
  | 'provider-contract'
  | 'interrupted'
  | 'auth'
  | 'model'
  | 'rate-limit'
  | 'quota'
  | 'context-length'
  | 'refused'
  | 'overloaded'
  | 'network'
  | 'server'
  | 'storage'
  | 'disposed';

/**
 * The possible reaction of the caller to an error.
 * `never`: the same call fails again. `now`: the same call may succeed. `{ afterMs }`: the server asked for that wait,
 * in milliseconds. `after-action`: something must change first (a key, a limit, a shorter conversation).
 */
export type RetryHint = 'never' | 'now' | 'after-action' | { readonly afterMs: number };

/** An error as plain JSON: the form that state, operations and saved turns hold. */
export interface ErrorData {
  readonly code: ErrorCode;
  /** A sentence for the user. */
  readonly message: string;
  readonly retry: RetryHint;
  /** Facts for the program, by code: for example `limit` for a limit that tripped. Empty where there are none. */
  readonly details: JsonObject;
}

/** The optional parts of an {@link AgentSessionError}. */
export interface ErrorOptions {
  /** Default `{}`. */
  readonly details?: JsonObject | undefined;
  /** Default: by code, for example `now` for `network` and `never` for `invalid-input`. */
  readonly retry?: RetryHint | undefined;
  /** The error that led to this one; it is not part of the JSON form. */
  readonly cause?: unknown | undefined;
}

/** The codes whose default is `now`. */
const now: readonly ErrorCode[] = [
  'cancelled',
  'timeout',
  'tool-choice-not-honored',
  'structured-output-invalid',
  'interrupted',
  'rate-limit',
  'overloaded',
  'network',
  'server',
];

/** The codes whose default is `after-action`. */
const afterAction: readonly ErrorCode[] = [
  'already-running',
  'conflict',
  'max-rounds',
  'max-tool-calls',
  'max-calls-per-answer',
  'token-budget',
  'cost-budget',
  'repeated-call',
  'egress-refused',
  'auth',
  'model',
  'quota',
  'context-length',
  'storage',
];

function retryOf(code: ErrorCode): RetryHint {
  return now.includes(code) ? 'now' : afterAction.includes(code) ? 'after-action' : 'never';
}

/** Marks an error for every copy of the package on one page; `instanceof` recognises only those of its own copy. */
const marker = Symbol.for('@banister/agent-session-error');

/**
 * The one error class of the library.
 *
 * @example
 * try {
 *   await session.send('Add a card');
 * } catch (error) {
 *   if (isAgentSessionError(error) && error.code === 'auth') askForKey();
 * }
 */
export class AgentSessionError extends Error {
  readonly code: ErrorCode;
  readonly retry: RetryHint;
  readonly details: JsonObject;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AgentSessionError';
    this.code = code;
    this.retry = options.retry ?? retryOf(code);
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  /** The JSON form that state and operations carry: no stack, no cause, and no details that JSON cannot hold. */
  toJSON(): ErrorData {
    const { code, message, retry, details } = this;
    try {
      return jsonCopy({ code, message, retry, details }) as unknown as ErrorData;
    } catch {
      return { code, message, retry: retryOf(code), details: {} };
    }
  }
}

/** True for an {@link AgentSessionError}, also one from another copy of the package. */
export function isAgentSessionError(value: unknown): value is AgentSessionError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
  } catch {
    // A proxy that was revoked, or throws.
    return false;
  }
}
