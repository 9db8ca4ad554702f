import { AgentSessionError } from '@banister/provider';
import type { AnswerLimits } from './answer-limits.js';
import type { AnswerTimer } from './answer-timer.js';
import { EventGate } from './event-gate.js';
import { jsonIn } from './json-fields.js';
import { eventsIn, type ServerEvent } from './server-events.js';

/** The shape of an API's event streams. */
export interface EventFormat {
  /** Text that the last event of an answer contains. Only events with this text are passed to `hasEnd`. */
  readonly endMark: string;
  /**
   * Returns whether these events, which contain `endMark`, contain the last event of the answer. Later bytes
   * are dropped.
   */
  hasEnd(events: string): boolean;
}

/** Observations of an event stream that official clients do not offer. */
export interface EventWatch {
  /** True once the last event of the answer arrived. */
  readonly done: boolean;
  /** The `content-type` header; empty if there is none. */
  readonly contentType: string;
  /** The beginning of the body without keys, for errors about a body without events. */
  readonly beginning: string;
  /**
   * The JSON value before the first event, from a server that does not stream; undefined for any other body.
   */
  readonly plain: unknown;
  /**
   * The events, in batches of events that arrived together. They are read instead of the body, because an
   * official client is several times slower. null for a binary stream, which only its own client can read.
   */
  readonly events: AsyncIterable<readonly ServerEvent[]> | null;
  /** Ends the reading. A pending read rejects with the timer's failure, if there is one. */
  stop(): void;
}

/** A response under watch. */
export interface WatchedResponse {
  /** The response. Reading its body updates the watch. */
  readonly response: Response;
  readonly watch: EventWatch;
}

/** The settings and the timer of one watch. */
export interface Watching {
  readonly format: EventFormat;
  readonly limits: Required<AnswerLimits>;
  readonly timer: AnswerTimer;
  /** Called when the answer is no longer read because it ended, broke, or was cancelled. */
  release(): void;
  redact(text: string): string;
}

/** Characters of the body's beginning that are kept. */
const BEGINNING = 300;
/**
 * The longest wait, in milliseconds, for the end of a response after its last event. Then the connection is
 * closed.
 */
const READ_TO_END_TIME = 1_000;

const LF = 10;

const ended = { done: true, value: undefined } as const;

/**
 * Watches the body of a response and passes it on in complete events. The last event counts even without its
 * blank line; a cut event does not. Bytes after the last event of the answer are dropped.
 */
export function watchEvents(response: Response, watching: Watching): WatchedResponse {
  const contentType = response.headers.get('content-type') ?? '';
  if (response.body === null) {
    watching.release();
    const events = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve(ended) }) };
    const stop = () => {};
    return { response, watch: { done: false, contentType, beginning: '', plain: undefined, events, stop } };
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
    { highWaterMark: 0 }, // The server is read only when the client reads, so a slow reader slows the server and needs no memory.
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
      get plain() {
        return watched.plain;
      },
      events: isText ? { [Symbol.asyncIterator]: () => readEvents(watched) } : null,
      stop: () => void watched.cancel(undefined).catch(() => {}),
    },
  };
}

/** The body of a watched response, read in complete events. */
class WatchedBody {
  done = false;
  beginning = '';
  /** The text of the latest events; empty for a binary stream. */
  latest = '';
  /** The body until its first event. */
  private unread = '';
  private hasEvents = false;

  private readonly gate: EventGate | null;
  private readonly decoder = new TextDecoder();
  private readonly beginningDecoder = new TextDecoder();
  private received = 0;
  private isOver = false;

  /** @param isText false for a binary stream, which is passed on chunk by chunk */
  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    isText: boolean,
    private readonly watching: Watching,
  ) {
    this.gate = isText ? new EventGate() : null;
  }

  /**
   * Returns the next complete events; null at the end. It is a single function because each further promise
   * adds to the cost of a chunk.
   */
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
        this.end();
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

  /** The latest events. */
  events(): ServerEvent[] {
    const events = eventsIn(this.latest);
    if (!this.hasEvents) this.unread += this.latest.split(/^(?:data|event|error)\b/m, 1)[0];
    this.hasEvents ||= events.length > 0;
    return events;
  }

  get plain(): unknown {
    return jsonIn(this.unread.replace(/^(?:\uFEFF|:.*$)/gm, ''));
  }

  async cancel(reason: unknown): Promise<void> {
    if (this.done) return; // `readToEnd` is freeing the connection
    this.end();
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
      this.end();
      void readToEnd(this.reader);
    }
    return events;
  }

  private lastEvents(): Uint8Array | null {
    this.end();
    if (this.gate === null) return null;
    const rest = this.gate.rest();
    const last = lastEvent(rest);
    if (last) return this.pass(last);
    if (!this.hasEvents) this.unread += new TextDecoder().decode(rest);
    return null;
  }

  private async tooLong(limit: 'maxEventBytes' | 'maxAnswerBytes'): Promise<AgentSessionError> {
    const bytes = this.watching.limits[limit];
    const what = limit === 'maxEventBytes' ? 'an event' : 'an answer';
    await this.cancel(undefined).catch(() => {});
    return new AgentSessionError('server', `The server sent ${what} of more than ${bytes} bytes.`, {
      details: { limit, bytes },
    });
  }

  private end(): void {
    this.isOver = true;
    this.watching.release();
  }
}

function readEvents(watched: WatchedBody): AsyncIterator<readonly ServerEvent[], undefined> {
  return {
    async next() {
      const bytes = await watched.next();
      return bytes === null ? ended : { done: false, value: watched.events() };
    },
    async return() {
      await watched.cancel(undefined);
      return ended;
    },
  };
}

/** Returns true for the event streams of AWS, which only their own client can read. */
function isBinary(contentType: string): boolean {
  return contentType.startsWith('application/vnd.amazon.eventstream');
}

/** Returns the last event of a body with its missing blank line; null if the event was cut. */
function lastEvent(bytes: Uint8Array): Uint8Array | null {
  const whole = new Uint8Array(bytes.length + 2).fill(LF);
  whole.set(bytes);
  const data = eventsIn(new TextDecoder().decode(whole)).at(-1)?.data;
  if (data === undefined || !(data.startsWith('[DONE]') || typeof jsonIn(data) === 'object')) return null;
  return whole;
}

/** Reads the rest of a response, because a connection can be reused only after that. Never rejects. */
async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), READ_TO_END_TIME);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The answer is complete, so an error of the connection does not matter.
  } finally {
    clearTimeout(timer);
  }
}
