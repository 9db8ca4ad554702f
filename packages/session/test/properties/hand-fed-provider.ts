import {
  AgentSessionError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@handrail/session';
import { validateHistory } from '@handrail/testing';

/** One answer on its way. */
export interface FedStream {
  readonly request: ProviderRequest;
  readonly signal: AbortSignal;
  /** Tool of each call that was begun, by index. */
  readonly calls: string[];
  /** Whether a finish was fed. */
  readonly finished: boolean;
  /** Whether it ended, failed, was aborted, or its reader left. */
  readonly over: boolean;
  /** The answer goes on when it is aborted. */
  deaf: boolean;
  feed(event: ProviderEvent): void;
  end(): void;
  fail(error: Error): void;
}

/** A provider whose answers are fed event by event, by the test. Checks every request. */
export class HandFedProvider implements Provider {
  /** The provider id of the opaque parts in its answers; changes between two turns, as if the app had changed its provider. */
  id = 'hand-fed';
  readonly model = 'hand-fed-1';
  readonly capabilities = { images: true, contextWindow: 1000 };
  readonly streams: FedStream[] = [];
  /** The problems for which a real API would have refused a request. */
  readonly problems: string[] = [];

  /** @param requested called with each request */
  constructor(private readonly requested: (request: ProviderRequest) => void = () => {}) {}

  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent> {
    const { messages } = request;
    if (messages.at(-1)?.role !== 'user')
      this.problems.push("the last message of a request is not the user's");
    this.problems.push(...validateHistory(messages).map((one) => `request ${this.streams.length}: ${one}`));
    const stream = new Feed(request, signal);
    this.streams.push(stream);
    this.requested(request);
    return { [Symbol.asyncIterator]: () => stream };
  }
}

type Item = ProviderEvent | 'end' | Error;

class Feed implements FedStream, AsyncIterator<ProviderEvent> {
  readonly calls: string[] = [];
  deaf = false;
  finished = false;
  private left = false;
  private readonly items: Item[] = [];
  private wake: () => void = () => {};

  constructor(
    readonly request: ProviderRequest,
    readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  get over(): boolean {
    return this.left || (this.signal.aborted && !this.deaf);
  }

  feed(event: ProviderEvent): void {
    if (event.type === 'finish') this.finished = true;
    if (event.type === 'tool-call' && event.tool !== undefined) this.calls[event.index] = event.tool;
    this.put(event);
  }

  end(): void {
    this.put('end');
  }

  fail(error: Error): void {
    this.put(error);
  }

  async next(): Promise<IteratorResult<ProviderEvent>> {
    while (this.items.length === 0 && !this.over) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.signal.aborted && !this.deaf)
      throw new AgentSessionError('cancelled', 'The request was aborted.');
    const item = this.items.shift();
    if (item === undefined || item === 'end') {
      this.left = true;
      return { done: true, value: undefined };
    }
    if (item instanceof Error) {
      this.left = true;
      throw item;
    }
    return { done: false, value: item };
  }

  return(): Promise<IteratorResult<ProviderEvent>> {
    this.left = true;
    this.wake();
    return Promise.resolve({ done: true, value: undefined });
  }

  private put(item: Item): void {
    this.items.push(item);
    this.wake();
  }
}
