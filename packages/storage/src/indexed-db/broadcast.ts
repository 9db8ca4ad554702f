import type { LogChannel } from '@banister/session/log';
import { Bell } from '../bell.js';
import { Channels } from '../channels.js';
import type { Changes } from '../changes.js';

/** A message between pages that use the same database. With `text`: a message of the session's channel; without: the session has changed. */
interface Letter {
  readonly id: string;
  readonly text?: string;
}

/** The bell and the channels of one session in this page. */
interface Ends {
  readonly bell: Bell;
  readonly channels: Channels;
}

/** Connects the pages that use the same database. The `BroadcastChannel` stays open while this page has listeners. */
export class Broadcast implements Changes {
  private readonly sessions = new Map<string, Ends>();
  private open: BroadcastChannel | null = null;
  private listeners = 0;

  constructor(private readonly name: string) {}

  announce(id: string): void {
    this.sessions.get(id)?.bell.ring();
    this.send({ id });
  }

  follow(id: string, signal: AbortSignal): Bell {
    this.join(signal);
    return this.endsOf(id).bell;
  }

  channel(id: string): LogChannel {
    return this.endsOf(id).channels.open();
  }

  private endsOf(id: string): Ends {
    const known = this.sessions.get(id);
    if (known) return known;
    const channels = new Channels({
      send: (text) => this.send({ id, text }),
      join: (signal) => this.join(signal),
    });
    const ends = { bell: new Bell(), channels };
    this.sessions.set(id, ends);
    return ends;
  }

  private join(signal: AbortSignal): void {
    if (signal.aborted) return;
    this.listeners++;
    this.open ??= this.opened();
    signal.addEventListener('abort', () => this.leave(), { once: true });
  }

  private leave(): void {
    if (--this.listeners > 0) return;
    this.open?.close();
    this.open = null;
  }

  private opened(): BroadcastChannel {
    const channel = new BroadcastChannel(this.name);
    channel.onmessage = ({ data }: MessageEvent<Letter>) => this.receive(data);
    return channel;
  }

  private send(letter: Letter): void {
    if (this.open) return this.open.postMessage(letter);
    const channel = new BroadcastChannel(this.name);
    channel.postMessage(letter);
    channel.close();
  }

  private receive({ id, text }: Letter): void {
    const ends = this.sessions.get(id);
    if (text === undefined) ends?.bell.ring();
    else ends?.channels.receive(text);
  }
}
