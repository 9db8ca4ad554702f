import type { Clock } from '@banister/provider';
import { READ_MS } from './claims.js';
import { hasSlept } from './within.js';

/**
 * How often the follower asks a silent writer for a sign of life, as a share of the allowed silence. If 5 seconds are allowed, the follower
 * asks after 2 and after 4 seconds, because one of the two messages may be lost.
 */
const ASK_SHARE = 0.4;

export interface WriterWatchOptions {
  readonly clock: Clock;
  /** If a writer gives no sign of life for this time, it counts as gone. In milliseconds: the lease of the log. */
  readonly silenceMs: number;
  /** Asks the writer for a sign of life, and for the receipts of the commands that have ended. */
  ping(): void;
  /** Called when the writer has given no sign of life in time. */
  silent(): void;
}

/** While a command waits for the writer of a log, checks that the writer answers. */
export class WriterWatch {
  private isHeard = false;
  private stopTimer: (() => void) | null = null;

  constructor(private readonly options: WriterWatchOptions) {}

  /** Starts watching. A command was just sent, and the writer answers it as it answers a ping. */
  start(): void {
    if (this.stopTimer === null) this.wait();
  }

  stop(): void {
    this.stopTimer?.();
    this.stopTimer = null;
  }

  /** Called at each message of the writer. */
  heard(): void {
    this.isHeard = true;
  }

  private wait(): void {
    const { clock, silenceMs } = this.options;
    const begin = clock.now();
    this.isHeard = false;
    const ask = (left: number): void => {
      const ms = Math.min(silenceMs * ASK_SHARE, left);
      this.stopTimer = clock.schedule(() => {
        const passed = clock.now() - begin;
        if (ms === left || hasSlept(passed, silenceMs)) return this.end(passed);
        if (!this.isHeard) this.options.ping();
        ask(left - ms);
      }, ms);
    };
    ask(silenceMs);
  }

  /** @param ms the time that has passed, in milliseconds */
  private end(ms: number): void {
    const { clock, silenceMs } = this.options;
    if (this.isHeard || hasSlept(ms, silenceMs)) this.pingAgain();
    else this.stopTimer = clock.schedule(() => this.decide(), READ_MS);
  }

  private decide(): void {
    if (this.isHeard) return this.pingAgain();
    this.wait();
    this.options.silent();
  }

  private pingAgain(): void {
    this.wait();
    this.options.ping();
  }
}
