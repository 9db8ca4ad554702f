import type { JsonObject } from '@banister/session';
import type { LogChannel } from '@banister/session/log';
import { Bell } from './bell.js';
import { jsonText } from './json-text.js';

/** The messages that one reader has not read yet. */
class Inbox {
  readonly texts: string[] = [];
  readonly arrived = new Bell();

  constructor(readonly channel: LogChannel) {}

  put(text: string): void {
    this.texts.push(text);
    this.arrived.ring();
  }
}

/** Passes messages to and from other pages. */
export interface Elsewhere {
  /** Sends a message to the other pages. */
  send(text: string): void;
  /** Called when a reader starts in this page. Messages of other pages go to `receive` until `signal` aborts. */
  join(signal: AbortSignal): void;
}

/** The channels of one session. A message posted to a channel reaches the readers of all other channels. */
export class Channels {
  private readonly inboxes = new Set<Inbox>();

  /** @param elsewhere the connection to other pages. Default: none, all channels are in this page */
  constructor(private readonly elsewhere?: Elsewhere) {}

  open(): LogChannel {
    const channel: LogChannel = {
      post: (message) => {
        const text = jsonText(message, 'message');
        for (const inbox of this.inboxes)
          if (inbox.channel !== channel) queueMicrotask(() => inbox.put(text));
        this.elsewhere?.send(text);
      },
      messages: (signal) => this.messages(channel, signal),
      listening: Promise.resolve(),
    };
    return channel;
  }

  /** Passes a message of another page to every reader. */
  receive(text: string): void {
    for (const inbox of this.inboxes) inbox.put(text);
  }

  /** Not a generator: a generator starts at the first read and would miss messages posted before it. */
  private messages(channel: LogChannel, signal: AbortSignal): AsyncIterable<JsonObject> {
    const inbox = new Inbox(channel);
    if (!signal.aborted) {
      this.inboxes.add(inbox);
      signal.addEventListener('abort', () => this.inboxes.delete(inbox), { once: true });
      this.elsewhere?.join(signal);
    }
    return this.read(inbox, signal);
  }

  private async *read(inbox: Inbox, signal: AbortSignal): AsyncGenerator<JsonObject, void, void> {
    try {
      while (!signal.aborted) {
        const text = inbox.texts.shift();
        if (text === undefined) await inbox.arrived.wait(signal);
        else yield JSON.parse(text) as JsonObject;
      }
    } finally {
      this.inboxes.delete(inbox);
    }
  }
}
