import type { Operation, SessionState } from '@banister/session';
import type { LoadedLog, LogRecord } from '@banister/session/log';
import type { World } from '../../../session/test/kill/kill-app.js';

/** The place at which a page stops: `plus` events after the record of this revision. */
export interface Cut {
  readonly revision: number;
  /** An event is a record that the page has stored, a change of the app, or a request to the model. */
  readonly plus: number;
}

/** A promise of the session that was fulfilled, with its value. */
export type Acknowledged =
  /** The ids of the messages of a turn that ended well. */
  | { readonly of: 'turn'; readonly messages: readonly string[] }
  /** A question that the page has answered. */
  | { readonly of: 'confirmationResolved'; readonly id: string }
  /** A message in the queue whose promise was fulfilled, or that was removed. */
  | { readonly of: 'dequeued'; readonly id: string }
  | { readonly of: 'cancelled' | 'steered' }
  /** An undo or a redo. The record of its start is stored before its first step, and a later page ends it. */
  | { readonly of: 'undoStarted' | 'redoStarted' };

/** What a page did, and the results that it got, since its last account. */
export interface Account {
  /** The records that the log has acknowledged. */
  readonly records: readonly LogRecord[];
  readonly acknowledged: readonly Acknowledged[];
  /** The calls whose cards were removed. */
  readonly taken: readonly string[];
  /** The errors reported to `reportError`, and the errors of the provider. */
  readonly reported: readonly string[];
}

/** The last message of a page that stops. */
export interface Stop {
  readonly tab: number;
  readonly account: Account;
}

/** A session that the page has opened. */
export interface OpenedPage {
  /** The log before the session opened it. */
  readonly loaded: LoadedLog;
  readonly state: SessionState;
  readonly operations: readonly Operation[];
}

/** The end of a script in one page. */
export interface EndedPage extends Account {
  readonly state: SessionState;
  readonly world: World;
  readonly loaded: LoadedLog;
}

export interface OpenOptions {
  /** The name of the databases. */
  readonly name: string;
  /** The number of the tab. */
  readonly tab: number;
  readonly cut: Cut | null;
}

/** The functions of the page, which the test calls. */
export interface CrashPage {
  open(options: OpenOptions): Promise<OpenedPage>;
  /** Ends open work, and runs a step of the script. */
  step(index: number, by: 'resume' | 'abandon'): Promise<void>;
  /** Ends open work, sends a last message and returns the state after it. */
  end(by: 'resume' | 'abandon'): Promise<EndedPage>;
  account(): Account;
  /** Sets the place at which the page stops. */
  aim(cut: Cut | null): void;
}
