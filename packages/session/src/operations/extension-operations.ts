import type { Budget } from './budget.js';

/** The limits of which the user can give a turn more, with `onTrip: 'ask'`. */
export type ExtendableLimit =
  | 'maxRounds'
  | 'maxToolCalls'
  | 'timeoutMs'
  | 'maxThinkingMs'
  | 'maxTokens'
  | 'maxCost'
  | 'session.maxTokens'
  | 'session.maxCost';

/** The question whether a turn whose limit tripped gets more, as plain JSON. */
export interface ExtensionRequest {
  readonly id: string;
  readonly limit: ExtendableLimit;
  /** The amount spent, in the unit of the limit: rounds, tool calls, milliseconds, tokens, or money. */
  readonly spent: number;
  /** The amount that was permitted so far, earlier extensions included. */
  readonly allowed: number;
  /** The extension by default: as much again as the limit of the turn. */
  readonly suggested: number;
  /** The currency of the amounts; present for money where the provider reports one. */
  readonly currency?: string;
  /** The time at which the turn stops without an answer, in milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
}

/** A limit tripped, and the user is asked for more: nothing of the turn starts until the answer. It comes again where the turn was interrupted. */
export interface ExtensionRequested {
  readonly type: 'extensionRequested';
  readonly request: ExtensionRequest;
  readonly budget: Budget;
}

/** The turn goes on with more of a limit. */
export interface ExtensionGiven {
  readonly type: 'extensionResolved';
  readonly requestId: string;
  readonly limit: ExtendableLimit;
  readonly decision: 'extended';
  /** The extension, in the unit of the limit. */
  readonly amount: number;
  /** The amount that is permitted from now on: the extension counts from what is permitted so far, or from what is spent where that is more. */
  readonly allowed: number;
}

/**
 * The turn gets no more. `ended`: the user ends it. `timed-out`: the user did not answer. `cancelled`: the turn ended first, by a cancel or a
 * failure. `not-needed`: it reached its end meanwhile.
 */
export interface ExtensionRefused {
  readonly type: 'extensionResolved';
  readonly requestId: string;
  readonly limit: ExtendableLimit;
  readonly decision: 'ended' | 'timed-out' | 'cancelled' | 'not-needed';
}

export type ExtensionOperation = ExtensionRequested | ExtensionGiven | ExtensionRefused;
