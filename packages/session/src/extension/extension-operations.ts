import type { Budget } from '../operations/budget.js';

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

/** The question whether a turn gets more of a limit that tripped. Plain JSON. */
export interface ExtensionRequest {
  readonly id: string;
  readonly limit: ExtendableLimit;
  /** The amount spent, in the unit of the limit: rounds, tool calls, milliseconds, tokens, or money. */
  readonly spent: number;
  /** The amount that was permitted until now, including earlier extensions. */
  readonly allowed: number;
  /** The default extension: the limit of the turn once more. */
  readonly suggested: number;
  /** The currency of the amounts; present for a limit of money if the provider reports a currency. */
  readonly currency?: string;
  /** The time at which the turn stops without an answer, in milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
}

/**
 * A limit tripped, and the user is asked for more. Until the answer, no further step of the turn starts. If the turn was interrupted, the
 * operation occurs again.
 */
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
  /**
   * The amount that is permitted from now on. The extension is added to the amount permitted until now, or to the amount spent if that is
   * more.
   */
  readonly allowed: number;
}

/**
 * The turn gets no more of the limit. `ended`: the user ends the turn. `timed-out`: the user did not answer. `cancelled`: a cancel or a
 * failure ended the turn first. `not-needed`: the turn reached its end meanwhile.
 */
export interface ExtensionRefused {
  readonly type: 'extensionResolved';
  readonly requestId: string;
  readonly limit: ExtendableLimit;
  readonly decision: 'ended' | 'timed-out' | 'cancelled' | 'not-needed';
}

export type ExtensionOperation = ExtensionRequested | ExtensionGiven | ExtensionRefused;
