import type { JsonObject, LogChannel } from '@banister/session';
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

/** The way of messages to the ends in other pages. */
export interface Elsewhere {
  /** Sends a message to them. */
  send(text: string): void;
  /** Is called when a reader begins here: their messages go to `receive` until the signal fires. */
  join(signal: AbortSignal): void;
}

/** The channels of one session: each is an end, and a message goes to the readers of every other end. */
export class Channels {
  private readonly inboxes = new Set<Inbox>();

  /** @param elsewhere default: all ends are here */
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
    };
    return channel;
  }

  /** Passes a message from elsewhere to every reader. */
  receive(text: string): void {
    for (const inbox of this.inboxes) inbox.put(text);
  }

  /** The inbox is there from the call on: a generator would run at the first read, and miss the messages before it. */
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
