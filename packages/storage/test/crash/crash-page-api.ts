import type { Operation, SessionState } from '@banister/session';
import type { LoadedLog, LogRecord } from '@banister/session/log';
import type { World } from '../../../session/test/kill/kill-app.js';

/** Where a page stops: at the first event behind the record of this revision that has `plus` others before it. */
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

/** The acts of a page, and the results that it was given, since its last account. */
export interface Account {
  /** The records that the log has acknowledged. */
  readonly records: readonly LogRecord[];
  readonly acknowledged: readonly Acknowledged[];
  /** The calls whose cards were taken away. */
  readonly taken: readonly string[];
  /** The errors at the port `reportError`, and those of the provider. */
  readonly reported: readonly string[];
}

/** The last message of a page that stops. */
export interface Stop {
  readonly tab: number;
  readonly account: Account;
}

/** A session as the page has opened it. */
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
  /** Ends open work, and carries out a step of the script. */
  step(index: number, by: 'resume' | 'abandon'): Promise<void>;
  /** Ends open work, sends a last message and returns what there is then. */
  end(by: 'resume' | 'abandon'): Promise<EndedPage>;
  account(): Account;
  /** Sets the place where the page stops. */
  aim(cut: Cut | null): void;
}
