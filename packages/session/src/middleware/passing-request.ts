import type { Message, ProviderRequest } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { wrong } from '@banister/provider/internal/json/shape';
import { checkMessages } from './check-messages.js';

/** A request while it passes through the hooks. Each hook receives it frozen. */
export class PassingRequest {
  /**
   * The messages of the latest request; undefined while they are the original messages. It is a separate list, because the lists that hooks
   * receive are frozen, and the engine reads frozen lists more slowly.
   */
  private messages: Message[] | undefined;

  /** @param request the latest request: the request of the last hook that returned one */
  constructor(
    private readonly original: ProviderRequest,
    public request = original,
  ) {}

  /** Takes the answer of a hook. Returns true if it is another request; throws for a value that is not a request. */
  take(answer: unknown): boolean {
    if (answer === undefined || answer === this.request) return false;
    const { messages, system } = (answer ?? {}) as Partial<ProviderRequest>;
    if (!Array.isArray(messages) || typeof system !== 'string')
      throw new Error('it returned no request: a list of messages and a text "system" are missing');
    if (messages !== this.request.messages) this.takeMessages(messages);
    this.request = Object.freeze(answer as ProviderRequest);
    return true;
  }

  /** Nearly all messages are the messages that the hook received, which are already frozen. */
  private takeMessages(messages: readonly Message[]): void {
    const known = (this.messages ??= [...this.request.messages]);
    for (let index = 0; index < messages.length; index++)
      if (messages[index] !== known[index]) known[index] = deepFreeze(messages[index]!);
    known.length = messages.length;
    Object.freeze(messages);
  }

  /**
   * Compares the last request with the original request, and returns it as plain JSON. Throws if a provider would refuse it, or if another
   * field was changed. The time of the check grows with the number of changed messages.
   */
  checked(): ProviderRequest {
    const { request, original, messages } = this;
    for (const name of Object.keys({ ...original, ...request })) {
      const field = name as keyof ProviderRequest;
      if (field !== 'system' && field !== 'messages' && !sameJson(request[field], original[field]))
        wrong(name, 'only "system" and "messages" may be changed');
    }
    return Object.freeze({
      ...original,
      system: request.system,
      messages: messages ? checkMessages(messages, original.messages) : original.messages,
    });
  }
}
