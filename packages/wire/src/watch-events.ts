import { AgentSessionError } from '@handrail/session/provider';
import type { AnswerLimits } from './answer-limits.js';
import type { AnswerTimer } from './answer-timer.js';
import { createEventGate, type EventGate } from './event-gate.js';
import { jsonIn } from './json-fields.js';

/** What an API's event streams look like. */
export interface EventFormat {
  /** Whether the event that ends an answer is among these. Nothing passes after it. Called for every piece: has to be cheap. */
  hasEnd(events: string): boolean;
  /** The same events as the official client wants them; null when nothing has to be mended. */
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
        const events = await passage.next();
        if (events === null) controller.close();
        else controller.enqueue(events);
      },
      cancel: (reason) => passage.cancel(reason),
    },
    { highWaterMark: 0 }, // reads only when the client does: a slow reader slows the server, not the memory
  );
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
      latestData: () => dataLines(passage.latest),
    },
    stop: () => void passage.cancel(undefined).catch(() => {}),
  };
}

/** The way of a body from the server to the client. */
class Passage {
  done = false;
  beginning = '';
  latest = '';

  private readonly gate: EventGate | null;
  private readonly decoder = new TextDecoder();
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
  }

  /** The next whole events; null when there are none any more. */
  async next(): Promise<Uint8Array | null> {
    if (this.watching.timer.failure) throw this.watching.timer.failure;
    if (this.isOver) return null;
    for (;;) {
      const chunk = await this.read();
      if (chunk === null) return this.lastEvents();
      if (this.gate === null) return chunk;
      const events = this.gate.push(chunk);
      if (this.gate.longest > this.watching.limits.maxEventBytes) throw await this.tooLong('maxEventBytes');
      if (events) return this.pass(events);
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.leave();
    return this.reader.cancel(reason);
  }

  private async read(): Promise<Uint8Array | null> {
    const { timer, limits } = this.watching;
    timer.waiting();
    let value: Uint8Array | undefined;
    try {
      ({ value } = await this.reader.read());
    } catch (thrown) {
      this.leave();
      throw timer.failure ?? thrown;
    }
    if (timer.failure) throw timer.failure;
    if (value === undefined) return null;
    timer.heard();
    this.received += value.length;
    if (this.received > limits.maxAnswerBytes) throw await this.tooLong('maxAnswerBytes');
    if (this.beginning.length < BEGINNING) {
      const text = this.beginningDecoder.decode(value.subarray(0, 4 * BEGINNING), { stream: true });
      this.beginning = (this.beginning + text).slice(0, BEGINNING);
    }
    return value;
  }

  private pass(events: Uint8Array): Uint8Array {
    const { format } = this.watching;
    this.latest = this.decoder.decode(events);
    const mended = format.mend?.(this.latest) ?? null;
    if (format.hasEnd(this.latest)) {
      this.done = true;
      this.leave();
      void readToEnd(this.reader);
    }
    return mended === null ? events : new TextEncoder().encode(mended);
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

/** Streams of AWS are no text, and their own client reads them. */
function isBinary(contentType: string): boolean {
  return contentType.startsWith('application/vnd.amazon.eventstream');
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
