import { AgentSessionError, type Provider } from '@banister/session';
import type { ProviderCapabilities, ProviderEvent, ProviderRequest } from '@banister/provider';
import { validateHistory } from '@banister/testing';

/** One answer on its way. */
export interface FedStream {
  readonly request: ProviderRequest;
  readonly signal: AbortSignal;
  /** Tool of each call that was begun, by index. */
  readonly calls: string[];
  /** Inner calls that have no result yet. */
  readonly openInnerCalls: number;
  /** Whether a finish was fed. */
  readonly finished: boolean;
  /** Whether it ended, failed, was aborted, or its reader left. */
  readonly over: boolean;
  /** The answer goes on when it is aborted. */
  deaf: boolean;
  feed(event: ProviderEvent): void;
  /** Feeds an inner call, and waits for its result. */
  feedInnerCall(id: string, tool: string, argumentsText: string): void;
  end(): void;
  fail(error: Error): void;
}

/** A provider whose answers are fed event by event, by the test. Checks every request. */
export class HandFedProvider implements Provider {
  /** The provider id of the opaque parts in its answers; changes between two turns, as if the app had changed its provider. */
  id = 'hand-fed';
  /** Changes as the id does. */
  model = 'hand-fed-1';
  capabilities: ProviderCapabilities = { images: true, pdfs: true, contextWindow: 1000 };
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
    const stream = new Feed(request, signal, (problem) => this.problems.push(problem));
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
  openInnerCalls = 0;
  private left = false;
  private readonly items: Item[] = [];
  private wake: () => void = () => {};

  constructor(
    readonly request: ProviderRequest,
    readonly signal: AbortSignal,
    private readonly report: (problem: string) => void,
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

  feedInnerCall(id: string, tool: string, argumentsText: string): void {
    let isOpen = true;
    this.openInnerCalls++;
    const answer = () => {
      if (!isOpen) this.report(`the inner call ${id} gets a second result`);
      if (this.signal.aborted) this.report(`the inner call ${id} gets a result after its stream was aborted`);
      isOpen = false;
      this.openInnerCalls--;
    };
    this.put({ type: 'inner-call', id, tool, argumentsText, answer });
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
