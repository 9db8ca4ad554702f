import { jsonCopy } from '../json/json-copy.js';
import type { JsonObject } from '../json/json.js';

/** Why a session refuses a call or fails a turn. Codes are stable: switch on the code, never on the message. */
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
  | 'max-children'
  | 'max-depth'
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
 * How the caller can react to an error. `never`: the same call fails again. `now`: the same call may succeed. `{ afterMs }`: the server
 * requested this wait, in milliseconds. `after-action`: something must change first (a key, a limit, a shorter conversation).
 */
export type RetryHint = 'never' | 'now' | 'after-action' | { readonly afterMs: number };

/** An error as plain JSON, in the form for state, operations and saved turns. */
export interface ErrorData {
  readonly code: ErrorCode;
  /** A sentence for the user. */
  readonly message: string;
  readonly retry: RetryHint;
  /** Values for the program, depending on the code: for example `limit` for a tripped limit. Empty if there are none. */
  readonly details: JsonObject;
}

/** The optional parts of an {@link AgentSessionError}. */
export interface ErrorOptions {
  /** Default `{}`. */
  readonly details?: JsonObject | undefined;
  /** Default: depends on the code, for example `now` for `network` and `never` for `invalid-input`. */
  readonly retry?: RetryHint | undefined;
  /** The error that caused this error. It is not part of the JSON form. */
  readonly cause?: unknown | undefined;
}

/** The codes whose default for `retry` is `now`. */
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

/** The codes whose default for `retry` is `after-action`. */
const afterAction: readonly ErrorCode[] = [
  'already-running',
  'conflict',
  'max-rounds',
  'max-tool-calls',
  'max-calls-per-answer',
  'max-children',
  'max-depth',
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

/** Marks an error for every copy of the package on a page; `instanceof` recognises only errors of its own copy. */
const marker = Symbol.for('@banister/agent-session-error');

/**
 * The only error class of the library.
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

  /** Returns the JSON form for state and operations: no stack, no cause, and no details that JSON cannot hold. */
  toJSON(): ErrorData {
    const { code, message, retry, details } = this;
    try {
      return jsonCopy({ code, message, retry, details }) as unknown as ErrorData;
    } catch {
      return { code, message, retry: retryOf(code), details: {} };
    }
  }
}

/** Returns true for an {@link AgentSessionError}, even from another copy of the package. */
export function isAgentSessionError(value: unknown): value is AgentSessionError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[marker] === true;
  } catch {
    // A revoked or throwing proxy.
    return false;
  }
}
