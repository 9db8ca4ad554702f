import {
  AgentSessionError,
  isAgentSessionError,
  type Clock,
  type ErrorCode,
  type ProviderEvent,
  type UsageReport,
} from '@banister/session/provider';
import type { AnswerFormat } from './answer-format.js';
import { encode } from './encode.js';
import type { ModelAnswer } from './model-events.js';
import { isToSeal, type SealedEvent } from './sealed-parts.js';
import { visibleError } from './visible-error.js';

/** The end of an answer. */
export interface AnswerEnd {
  /** `cut`: the client left, or did not read on. */
  readonly status: 'completed' | 'failed' | 'cut';
  /** Whether the model may have worked: false where it was not asked, could not be reached, or refused before its first event. */
  readonly isAsked: boolean;
  /** The last report of the model, with that of the members of a fallback that failed before it; null where none came. */
  readonly usage: UsageReport | null;
  /** Characters of the answer: text, thinking and arguments. */
  readonly characters: number;
  readonly error: unknown;
}

/** The parts of an answer that differ from request to request. */
export interface AnswerSettings {
  readonly format: AnswerFormat;
  readonly clock: Clock;
  readonly keepAliveMs: number;
  /** The longest time that the answer may take, in milliseconds. */
  readonly maxAnswerMs: number;
  readonly isExposed: boolean;
  /** Fires when the client has left. */
  readonly clientGone: AbortSignal;
  /** Asks the model. The signal closes its connection. */
  ask(signal: AbortSignal): ModelAnswer;
  /** Returns an event as it may leave the gateway. */
  seal(event: SealedEvent, owner: ReturnType<ModelAnswer['owner']>): Promise<ProviderEvent>;
  /** Is called once. */
  onEnd(end: AnswerEnd): void;
}

/** Characters that wait for a slow reader before the model is not read on. */
const MOST_WAITING = 256 * 1024;
/** The errors before a first event behind which a model may have worked. All others refuse, or do not reach it. */
const paid: readonly ErrorCode[] = ['interrupted', 'timeout', 'refused', 'provider-contract'];
/** How long a reader may take nothing while so much waits, or the end, in milliseconds; then its connection is broken. */
const STALL_MS = 60_000;

/**
 * An answer on its way to one client. Lines are kept until the client reads, and what waits is read at once: a slow client gets fewer and
 * longer pieces. It delays its own model alone, which is not read on while too much waits.
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
    // The first byte leaves before the model answers: proxies end a connection on which nothing comes.
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

  /** Ends the answer without a further byte. */
  private readonly cut = (): void => {
    if (this.isOver) return;
    this.waiting = '';
    this.end('cut', null);
  };

  /** Breaks the connection of a client that does not read: a clean end would wait for it to read that far. */
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
        // Without a promise for the thousands of events that are not sealed.
        const shown = isToSeal(event) ? await seal(event, owner()) : event;
        if (this.isOver) return;
        this.add(format.lineOf(shown));
        if (this.waiting.length > MOST_WAITING) await this.untilRead();
      }
      if (!isFinished) throw new AgentSessionError('interrupted', 'The answer ended without a finish.');
      this.end('completed', null);
    } catch (error) {
      this.isAsked = hasBegun || !isAgentSessionError(error) || paid.includes(error.code);
      this.fail(error);
    }
  }

  /** Keeps what the end of the answer reports. Throws for an event that cannot travel. */
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
        // The result of such a call would have to reach the model inside the same answer.
        throw new AgentSessionError(
          'provider-contract',
          `The gateway passes on no event "${String((event as { type?: unknown }).type)}".`,
        );
    }
  }

  private pull(): void {
    this.isWanted = true;
    if (this.waiting !== '' || this.isOver) this.give();
  }

  /** Gives the reader what waits, if it waits too. In a later step: pieces that come together are one. */
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
    // It takes the place of the timer before it.
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
    // The end of an answer that is not read would be kept as long as its connection.
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
