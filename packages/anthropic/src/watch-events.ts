import { AgentSessionError } from '@handrail/session/provider';
import { createEventGate } from './event-gate.js';
import { fieldsOf } from './json-fields.js';
import { nameEvents } from './name-events.js';

/** What was seen of an event stream while the official client read it. The client itself tells none of this. */
export interface EventWatch {
  /** The `content-type` header; empty without one. */
  readonly contentType: string;
  /** The beginning of the body, for an error that has to say what came instead of events. */
  readonly beginning: string;
  /** `data` lines of the events that the client got last; when it throws, it threw because of one of them. */
  latestData(): readonly string[];
}

export interface WatchedResponse {
  /** The response, whose body passes by the watch. */
  readonly response: Response;
  readonly watch: EventWatch;
}

/** Characters of the body's beginning that are kept. */
const BEGINNING = 300;
/** Bytes of the longest event that is accepted: a document in base64 fits, a body without end does not. */
const LONGEST_EVENT = 128 * 1024 * 1024;
/** How long the end of a response is waited for after its last event, in milliseconds, so that the connection can be reused. */
const CLOSING_TIME = 1_000;

const LF = 10;

/**
 * Lets an event stream pass in whole events that have their names, and watches it. An event at the very end counts even
 * when the blank line after it is missing; one that was cut does not. Nothing passes after `message_stop`.
 */
export function watchEvents(response: Response): WatchedResponse {
  const seen = { beginning: '', latest: '' };
  const watch: EventWatch = {
    contentType: response.headers.get('content-type') ?? '',
    get beginning() {
      return seen.beginning;
    },
    latestData: () => dataLines(seen.latest),
  };
  if (response.body === null) return { response, watch };

  const reader = response.body.getReader();
  const gate = createEventGate();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const beginningDecoder = new TextDecoder();

  /** Whether the answer is over with these events. */
  const pass = (events: Uint8Array, controller: ReadableStreamDefaultController<Uint8Array>): boolean => {
    seen.latest = decoder.decode(events);
    const named = nameEvents(seen.latest);
    controller.enqueue(named === null ? events : encoder.encode(named));
    // The plain search costs next to nothing, and nearly always answers.
    return seen.latest.includes('message_stop') && dataLines(seen.latest).some(isMessageStop);
  };

  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) {
            const last = lastEvent(gate.rest());
            if (last) pass(last, controller);
            return controller.close();
          }
          if (seen.beginning.length < BEGINNING) {
            const text = beginningDecoder.decode(value.subarray(0, 4 * BEGINNING), { stream: true });
            seen.beginning = (seen.beginning + text).slice(0, BEGINNING);
          }
          const events = gate.push(value);
          if (events) {
            if (pass(events, controller)) {
              controller.close();
              void readToEnd(reader);
            }
            return;
          }
          if (gate.held > LONGEST_EVENT) {
            await reader.cancel();
            throw new AgentSessionError(
              'server',
              `The server sent an event of more than ${LONGEST_EVENT} bytes.`,
            );
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 }, // reads only when the client does: a slow reader slows the server, not the memory
  );

  const { status, statusText, headers } = response;
  return { response: new Response(body, { status, statusText, headers }), watch };
}

function isMessageStop(data: string): boolean {
  return data.includes('message_stop') && fieldsOf(parsed(data))['type'] === 'message_stop';
}

/** The event at the end of a body that lacks its blank line, with it; null when it was cut. */
function lastEvent(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length === 0) return null;
  const last = dataLines(new TextDecoder().decode(bytes)).at(-1);
  if (last === undefined || typeof parsed(last) !== 'object') return null;
  const whole = new Uint8Array(bytes.length + 2).fill(LF);
  whole.set(bytes);
  return whole;
}

function dataLines(text: string): string[] {
  return text
    .split(/\r\n|[\r\n]/)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
}

/** undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
