import type { Clock } from '../ports/clock.js';
import { READ_MS } from './claims.js';
import { hasSlept } from './has-slept.js';

/** The time without a sign of life after which a writer counts as gone, in milliseconds. */
const SILENCE_MS = 5_000;

export interface WriterWatchOptions {
  readonly clock: Clock;
  /** Asks the writer for a sign of life. */
  ping(): void;
  /** Is called when there was none in time. */
  silent(): void;
}

/** Watches whether the writer of a log answers, while a command waits for it. */
export class WriterWatch {
  private isHeard = false;
  private stopTimer: (() => void) | null = null;

  constructor(private readonly options: WriterWatchOptions) {}

  /** Begins to watch: a command was sent, which the writer answers as a ping. */
  start(): void {
    if (this.stopTimer === null) this.wait();
  }

  stop(): void {
    this.stopTimer?.();
    this.stopTimer = null;
  }

  /** Is called at each message of the writer. */
  heard(): void {
    this.isHeard = true;
  }

  private wait(): void {
    const { clock } = this.options;
    const begin = clock.now();
    this.isHeard = false;
    this.stopTimer = clock.schedule(() => this.end(clock.now() - begin), SILENCE_MS);
  }

  /** @param ms the time that has passed */
  private end(ms: number): void {
    const { clock } = this.options;
    if (this.isHeard || hasSlept(ms, SILENCE_MS)) this.pingAgain();
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
