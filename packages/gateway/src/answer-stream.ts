import {
  AgentSessionError,
  isAgentSessionError,
  type Clock,
  type ErrorCode,
  type ProviderEvent,
  type UsageReport,
} from '@banister/provider';
import type { AnswerFormat } from './answer-format.js';
import { encode } from './encode.js';
import type { ModelAnswer } from './model-events.js';
import { isToSeal, type SealedEvent } from './sealed-parts.js';
import { visibleError } from './visible-error.js';

/** The end of an answer. */
export interface AnswerEnd {
  /** `cut`: the client disconnected, or stopped reading. */
  readonly status: 'completed' | 'failed' | 'cut';
  /** Whether the model may have worked: false if it was not asked, not reachable, or rejected the request before its first event. */
  readonly isAsked: boolean;
  /** The last usage report, plus the reports of fallback members that failed before; null if there was none. */
  readonly usage: UsageReport | null;
  /** The number of characters of text, thinking and arguments. */
  readonly characters: number;
  readonly error: unknown;
}

/** The settings of an answer that differ from request to request. */
export interface AnswerSettings {
  readonly format: AnswerFormat;
  readonly clock: Clock;
  readonly keepAliveMs: number;
  /** The maximal duration of the answer, in milliseconds. */
  readonly maxAnswerMs: number;
  readonly isExposed: boolean;
  /** Aborts when the client disconnects. */
  readonly clientGone: AbortSignal;
  /** Asks the model. If the signal aborts, the connection to the model is closed. */
  ask(signal: AbortSignal): ModelAnswer;
  /** Seals the data of an event that no other model may read. */
  seal(event: SealedEvent, owner: ReturnType<ModelAnswer['owner']>): Promise<ProviderEvent>;
  /** Called once, at the end. */
  onEnd(end: AnswerEnd): void;
}

/** If more characters than this wait for a slow reader, the gateway stops reading the model. */
const MOST_WAITING = 256 * 1024;
/** If an error with one of these codes comes before the first event, the model may have worked. With any other code it has not. */
const paid: readonly ErrorCode[] = ['interrupted', 'timeout', 'refused', 'provider-contract'];
/** If a client does not read for this long, while the model has to wait or after the end, its connection is broken. In milliseconds. */
const STALL_MS = 60_000;

/**
 * An answer on its way to a client. Lines are kept until the client reads, and one read takes all of them: a slow client gets fewer and
 * longer pieces. A slow client delays only its own model: while too much waits, the model is not read.
 */
export class AnswerStream {
  readonly body: ReadableStream<Uint8Array>;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private waiting: string;
  private isOver = false;
  private isClosed = false;
  private isWanted = false;
  private wakeModel = () => {};
  private readonly connection = new AbortController();
  private readonly timers: (() => void)[] = [];
  private isAsked = false;
  private usage: UsageReport | null = null;
  private characters = 0;

  constructor(private readonly settings: AnswerSettings) {
    const { format, clock, maxAnswerMs, clientGone } = settings;
    // Send a first byte before the model answers, because proxies close a silent connection.
    this.waiting = format.keepAlive;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.controller = controller),
        pull: () => this.pull(),
        cancel: () => this.cancel(),
      },
      { highWaterMark: 0 },
    );
    this.timers.push(clock.schedule(() => this.fail(tooLate(maxAnswerMs)), maxAnswerMs));
    this.keepAlive();
    clientGone.addEventListener('abort', this.cut);
    if (clientGone.aborted) this.cut();
    else void this.read();
  }

  /** Ends the answer with an error in its last line. */
  private fail(error: unknown): void {
    if (this.isOver) return;
    this.add(
      this.settings.format.lineOf({ type: 'error', error: visibleError(error, this.settings.isExposed) }),
    );
    this.end('failed', error);
  }

  private cancel(): void {
    this.isClosed = true;
    this.stopTimers();
    this.cut();
  }

  /** Ends the answer without sending anything more. */
  private readonly cut = (): void => {
    if (this.isOver) return;
    this.waiting = '';
    this.end('cut', null);
  };

  /** Breaks the connection of a client that does not read. A clean end would wait until the client reads it. */
  private drop(): void {
    this.controller.error(new Error('The client did not read on.'));
    this.cancel();
  }

  private async read(): Promise<void> {
    const { format, seal } = this.settings;
    let isFinished = false;
    let hasBegun = false;
    this.isAsked = true;
    try {
      const { events, owner } = this.settings.ask(this.connection.signal);
      for await (const event of events) {
        if (this.isOver) return;
        hasBegun = true;
        this.note(event);
        isFinished ||= event.type === 'finish';
        // No promise for events that are not sealed, because there are thousands.
        const shown = isToSeal(event) ? await seal(event, owner()) : event;
        if (this.isOver) return;
        this.add(format.lineOf(shown));
        if (this.waiting.length > MOST_WAITING) await this.untilRead();
      }
      if (!isFinished) throw new AgentSessionError('interrupted', 'The answer ended without a finish event.');
      this.end('completed', null);
    } catch (error) {
      this.isAsked = hasBegun || !isAgentSessionError(error) || paid.includes(error.code);
      this.fail(error);
    }
  }

  /** Keeps what the end of the answer reports. Throws for an event that the gateway cannot pass on. */
  private note(event: ProviderEvent): void {
    switch (event.type) {
      case 'text':
      case 'thinking':
      case 'tool-call':
        this.characters += event.delta.length;
        return;
      case 'usage':
        this.usage = event.usage;
        return;
      case 'opaque':
      case 'finish':
        return;
      default:
        // An `inner-call` needs its result during the same answer, and the gateway cannot send it to the model.
        throw new AgentSessionError(
          'provider-contract',
          `The gateway cannot pass on the event "${String((event as { type?: unknown }).type)}".`,
        );
    }
  }

  private pull(): void {
    this.isWanted = true;
    if (this.waiting !== '' || this.isOver) this.give();
  }

  /** Sends what waits, if the client is reading. In a microtask, so that pieces that arrive together are sent together. */
  private give(): void {
    if (!this.isWanted) return;
    this.isWanted = false;
    queueMicrotask(() => {
      if (this.isClosed) return;
      if (this.waiting !== '') {
        this.controller.enqueue(encode(this.waiting));
        this.waiting = '';
        this.wakeModel();
      } else {
        this.controller.close();
        this.stopTimers();
      }
    });
  }

  private add(text: string): void {
    this.waiting += text;
    this.give();
  }

  /** Resolves when the reader has taken what waits, or the answer is over. */
  private async untilRead(): Promise<void> {
    const { clock } = this.settings;
    const stop = clock.schedule(() => this.drop(), STALL_MS);
    await new Promise<void>((resolve) => (this.wakeModel = resolve));
    stop();
  }

  private keepAlive(): void {
    const { clock, keepAliveMs, format } = this.settings;
    // Replaces the previous timer.
    this.timers[1] = clock.schedule(() => {
      if (this.waiting === '') this.add(format.keepAlive);
      this.keepAlive();
    }, keepAliveMs);
  }

  private stopTimers(): void {
    for (const stop of this.timers.splice(0)) stop();
  }

  private end(status: AnswerEnd['status'], error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stopTimers();
    // If the client does not read the end, the answer would be kept as long as its connection.
    if (status !== 'cut') this.timers.push(this.settings.clock.schedule(() => this.drop(), STALL_MS));
    this.settings.clientGone.removeEventListener('abort', this.cut);
    if (status !== 'completed') this.connection.abort();
    this.give();
    this.wakeModel();
    const { isAsked, usage, characters } = this;
    this.settings.onEnd({ status, isAsked, usage, characters, error });
  }
}

function tooLate(maxAnswerMs: number): AgentSessionError {
  return new AgentSessionError('timeout', `The answer took longer than ${maxAnswerMs} ms.`, {
    retry: 'after-action',
    details: { limit: 'maxAnswerMs' },
  });
}
