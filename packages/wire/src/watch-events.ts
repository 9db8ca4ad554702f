import { AgentSessionError } from '@handrail/session/provider';
import type { AnswerLimits } from './answer-limits.js';
import type { AnswerTimer } from './answer-timer.js';
import { createEventGate, type EventGate } from './event-gate.js';
import { jsonIn } from './json-fields.js';

/** What an API's event streams look like. */
export interface EventFormat {
  /** ASCII text in the event that ends an answer. It is looked for in the bytes, which then need not be decoded. */
  readonly endMark: string;
  /** Whether that event is among these, which hold the mark. Nothing passes after it. */
  hasEnd(events: string): boolean;
  /**
   * The same events as the official client wants them; null when nothing has to be mended. A single event that begins with
   * its name (`event:`) is not asked about.
   */
  mend?(events: string): string | null;
}

/** What was seen of an event stream while the official client read it. The client itself tells none of this. */
export interface EventWatch {
  /** True once the event came that ends an answer. */
  readonly done: boolean;
  /** The `content-type` header; empty without one. */
  readonly contentType: string;
  /** The beginning of the body, for an error that has to say what came instead of events. Without keys. */
  readonly beginning: string;
  /** `data` lines of the events that the client got last; when it throws, it threw because of one of them. */
  latestData(): readonly string[];
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
const NAME = new TextEncoder().encode('event:');

const ended = { done: true, value: undefined } as const;

/**
 * Lets an event stream pass in whole events, and watches it. An event at the very end counts even when the blank line
 * after it is missing; one that was cut does not. Nothing passes after the event that ends the answer.
 */
export function watchEvents(response: Response, watching: Watching): WatchedResponse {
  const contentType = response.headers.get('content-type') ?? '';
  if (response.body === null) {
    watching.release();
    return {
      response,
      watch: { done: false, contentType, beginning: '', latestData: () => [] },
      stop: () => {},
    };
  }
  const passage = new Passage(response.body.getReader(), isBinary(contentType), watching);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await passage.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => passage.cancel(reason),
    },
    { highWaterMark: 0 }, // reads only when the client does: a slow reader slows the server, not the memory
  );
  // Official clients iterate over the body. The queue of the stream would cost them as much as their own work does.
  Object.defineProperty(body, Symbol.asyncIterator, { value: () => iterate(passage) });
  const { status, statusText, headers } = response;
  return {
    response: new Response(body, { status, statusText, headers }),
    watch: {
      contentType,
      get done() {
        return passage.done;
      },
      get beginning() {
        return watching.redact(passage.beginning);
      },
      latestData: () => dataLines(passage.latest()),
    },
    stop: () => void passage.cancel(undefined).catch(() => {}),
  };
}

/** The way of a body from the server to the client. */
class Passage {
  done = false;
  beginning = '';

  private readonly gate: EventGate | null;
  private readonly endMark: Uint8Array;
  private latestBytes: Uint8Array = new Uint8Array(0);
  private readonly beginningDecoder = new TextDecoder();
  private received = 0;
  private isOver = false;

  /** @param isBinary for a stream of another kind, which passes as it is */
  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    isBinary: boolean,
    private readonly watching: Watching,
  ) {
    this.gate = isBinary ? null : createEventGate();
    this.endMark = new TextEncoder().encode(watching.format.endMark);
  }

  /** The next whole events. One function, since each further promise for a chunk would show in its price. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { timer, limits } = this.watching;
    for (;;) {
      if (timer.failure) throw timer.failure;
      if (this.isOver) return ended;
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
      if (this.gate === null) return { done: false, value };
      const events = this.gate.push(value);
      if (this.gate.longest > limits.maxEventBytes) throw await this.tooLong('maxEventBytes');
      if (events) return { done: false, value: this.pass(events) };
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.leave();
    return this.reader.cancel(reason);
  }

  private readBeginning(bytes: Uint8Array): void {
    const text = this.beginningDecoder.decode(bytes.subarray(0, 4 * BEGINNING), { stream: true });
    this.beginning = (this.beginning + text).slice(0, BEGINNING);
  }

  /** The events that the client got last. */
  latest(): string {
    return new TextDecoder().decode(this.latestBytes);
  }

  /** Decodes only what it has to: for most chunks, decoding would be a good part of what they cost. */
  private pass(events: Uint8Array): Uint8Array {
    const { format } = this.watching;
    this.latestBytes = events;
    if (holds(events, this.endMark) && format.hasEnd(this.latest())) {
      this.done = true;
      this.leave();
      void readToEnd(this.reader);
    }
    if (!format.mend || (this.gate?.count === 1 && holds(events.subarray(0, NAME.length), NAME)))
      return events;
    const mended = format.mend(this.latest());
    return mended === null ? events : new TextEncoder().encode(mended);
  }

  private lastEvents(): IteratorResult<Uint8Array, undefined> {
    this.leave();
    const last = this.gate === null ? null : lastEvent(this.gate.rest());
    return last === null ? ended : { done: false, value: this.pass(last) };
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

/** The way of a body as whoever iterates over the body sees it. */
function iterate(passage: Passage): AsyncIterableIterator<Uint8Array, undefined> {
  return {
    next: () => passage.next(),
    async return() {
      await passage.cancel(undefined);
      return ended;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Streams of AWS are no text, and their own client reads them. */
function isBinary(contentType: string): boolean {
  return contentType.startsWith('application/vnd.amazon.eventstream');
}

function holds(bytes: Uint8Array, mark: Uint8Array): boolean {
  const [first] = mark;
  if (first === undefined) return true;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    let length = 1;
    while (length < mark.length && bytes[at + length] === mark[length]) length++;
    if (length === mark.length) return true;
  }
  return false;
}

/** The event at the end of a body that lacks its blank line, with it; null when it was cut. */
function lastEvent(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length === 0) return null;
  const last = dataLines(new TextDecoder().decode(bytes)).at(-1);
  if (last === undefined || !(last.startsWith('[DONE]') || typeof jsonIn(last) === 'object')) return null;
  const whole = new Uint8Array(bytes.length + 2).fill(LF);
  whole.set(bytes);
  return whole;
}

/** What stands behind `data:`, line by line. */
export function dataLines(events: string): string[] {
  return events
    .split(/\r\n|[\r\n]/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
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
