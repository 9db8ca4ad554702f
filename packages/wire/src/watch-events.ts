import { AgentSessionError } from '@handrail/session/provider';
import type { AnswerLimits } from './answer-limits.js';
import type { AnswerTimer } from './answer-timer.js';
import { EventGate } from './event-gate.js';
import { jsonIn } from './json-fields.js';
import { eventsIn, type ServerEvent } from './server-events.js';

/** What an API's event streams look like. */
export interface EventFormat {
  /** Text in the event that ends an answer. Where it is missing, nothing else is asked. */
  readonly endMark: string;
  /** Whether that event is among these, which hold the mark. Nothing passes after it. */
  hasEnd(events: string): boolean;
}

/** What is seen of an event stream, whoever reads it. Official clients tell none of this. */
export interface EventWatch {
  /** True once the event came that ends an answer. */
  readonly done: boolean;
  /** The `content-type` header; empty without one. */
  readonly contentType: string;
  /** The beginning of the body, for an error that has to say what came instead of events. Without keys. */
  readonly beginning: string;
  /**
   * The events, those that came together at a time, to be read instead of the body: an official client takes longer for one
   * of them than all the rest of its way. null for a stream that only its own client can read.
   */
  readonly events: AsyncIterable<readonly ServerEvent[]> | null;
}

export interface WatchedResponse {
  /** The response, whose body passes by the watch. */
  readonly response: Response;
  readonly watch: EventWatch;
  /** Ends the reading; whoever waits for more learns what the timer says. */
  stop(): void;
}

/** What a response is watched with. */
export interface Watching {
  readonly format: EventFormat;
  readonly limits: Required<AnswerLimits>;
  readonly timer: AnswerTimer;
  /** Called once when nothing more is read for the answer: it ended, broke, or nobody wants it. */
  release(): void;
  redact(text: string): string;
}

/** Characters of the body's beginning that are kept. */
const BEGINNING = 300;
/** How long the end of a response is waited for after its last event, in milliseconds, so that the connection can be reused. */
const CLOSING_TIME = 1_000;

const LF = 10;

const ended = { done: true, value: undefined } as const;

/**
 * Lets an event stream pass in whole events, and watches it. An event at the very end counts even when the blank line
 * after it is missing; one that was cut does not. Nothing passes after the event that ends the answer.
 */
export function watchEvents(response: Response, watching: Watching): WatchedResponse {
  const contentType = response.headers.get('content-type') ?? '';
  if (response.body === null) {
    watching.release();
    const events = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(ended) }) };
    return { response, watch: { done: false, contentType, beginning: '', events }, stop: () => {} };
  }
  const isText = !isBinary(contentType);
  const watched = new WatchedBody(response.body.getReader(), isText, watching);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await watched.next();
        if (bytes === null) controller.close();
        else controller.enqueue(bytes);
      },
      cancel: (reason) => watched.cancel(reason),
    },
    { highWaterMark: 0 }, // reads only when the client does: a slow reader slows the server, not the memory
  );
  const { status, statusText, headers } = response;
  return {
    response: new Response(body, { status, statusText, headers }),
    watch: {
      contentType,
      get done() {
        return watched.done;
      },
      get beginning() {
        return watching.redact(watched.beginning);
      },
      events: isText ? { [Symbol.asyncIterator]: () => readEvents(watched) } : null,
    },
    stop: () => void watched.cancel(undefined).catch(() => {}),
  };
}

/** The way of a body from the server to whoever reads it. */
class WatchedBody {
  done = false;
  beginning = '';
  /** The events that passed last; empty for a stream that is no text. */
  latest = '';

  private readonly gate: EventGate | null;
  private readonly decoder = new TextDecoder();
  private readonly beginningDecoder = new TextDecoder();
  private received = 0;
  private isOver = false;

  /** @param isText else it passes as it is */
  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    isText: boolean,
    private readonly watching: Watching,
  ) {
    this.gate = isText ? new EventGate() : null;
  }

  /** The next whole events; null at the end. One function, since each further promise for a chunk would show in its price. */
  async next(): Promise<Uint8Array | null> {
    const { timer, limits } = this.watching;
    for (;;) {
      if (timer.failure) throw timer.failure;
      if (this.isOver) return null;
      timer.waiting();
      let value: Uint8Array | undefined;
      try {
        ({ value } = await this.reader.read());
      } catch (thrown) {
        this.leave();
        throw timer.failure ?? thrown;
      }
      if (timer.failure) throw timer.failure;
      if (value === undefined) return this.lastEvents();
      timer.heard();
      this.received += value.length;
      if (this.received > limits.maxAnswerBytes) throw await this.tooLong('maxAnswerBytes');
      if (this.beginning.length < BEGINNING) this.readBeginning(value);
      if (this.gate === null) return value;
      const events = this.gate.push(value);
      if (this.gate.longest > limits.maxEventBytes) throw await this.tooLong('maxEventBytes');
      if (events) return this.pass(events);
    }
  }

  async cancel(reason: unknown): Promise<void> {
    if (this.done) return; // the connection is about to be free again
    this.leave();
    await this.reader.cancel(reason);
  }

  private readBeginning(bytes: Uint8Array): void {
    const text = this.beginningDecoder.decode(bytes.subarray(0, 4 * BEGINNING), { stream: true });
    this.beginning = (this.beginning + text).slice(0, BEGINNING);
  }

  private pass(events: Uint8Array): Uint8Array {
    const { format } = this.watching;
    this.latest = this.decoder.decode(events);
    if (this.latest.includes(format.endMark) && format.hasEnd(this.latest)) {
      this.done = true;
      this.leave();
      void readToEnd(this.reader);
    }
    return events;
  }

  private lastEvents(): Uint8Array | null {
    this.leave();
    const last = this.gate === null ? null : lastEvent(this.gate.rest());
    return last && this.pass(last);
  }

  private async tooLong(limit: 'maxEventBytes' | 'maxAnswerBytes'): Promise<AgentSessionError> {
    const bytes = this.watching.limits[limit];
    const what = limit === 'maxEventBytes' ? 'an event' : 'an answer';
    await this.cancel(undefined).catch(() => {});
    return new AgentSessionError('server', `The server sent ${what} of more than ${bytes} bytes.`, {
      details: { limit, bytes },
    });
  }

  private leave(): void {
    this.isOver = true;
    this.watching.release();
  }
}

function readEvents(watched: WatchedBody): AsyncIterator<readonly ServerEvent[], undefined> {
  return {
    async next() {
      const bytes = await watched.next();
      return bytes === null ? ended : { done: false, value: eventsIn(watched.latest) };
    },
    async return() {
      await watched.cancel(undefined);
      return ended;
    },
  };
}

/** Streams of AWS are no text, and their own client reads them. */
function isBinary(contentType: string): boolean {
  return contentType.startsWith('application/vnd.amazon.eventstream');
}

/** The event at the end of a body that lacks its blank line, with it; null when it was cut. */
function lastEvent(bytes: Uint8Array): Uint8Array | null {
  const whole = new Uint8Array(bytes.length + 2).fill(LF);
  whole.set(bytes);
  const data = eventsIn(new TextDecoder().decode(whole)).at(-1)?.data;
  if (data === undefined || !(data.startsWith('[DONE]') || typeof jsonIn(data) === 'object')) return null;
  return whole;
}

/** A connection can be used again only when its response was read to the end; nobody waits for that. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), CLOSING_TIME);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is whole; how the connection ended is of no interest any more.
  } finally {
    clearTimeout(timer);
  }
}
