import type { Message } from '../conversation/message.js';
import { deepFreeze } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import { wrong } from '../json/shape.js';
import type { ProviderRequest } from '../provider/provider.js';
import { checkMessages } from './check-messages.js';

/** A request on its way through the hooks. Each hook gets it frozen. */
export class PassingRequest {
  /**
   * The messages of the latest request; undefined while they are those of the original. A list of its own: lists that hooks get are frozen, and
   * the engine reads those more slowly.
   */
  private messages: Message[] | undefined;

  /** @param request the latest: that of the last hook which returned one */
  constructor(
    private readonly original: ProviderRequest,
    public request = original,
  ) {}

  /** Takes the answer of a hook. Returns whether it is another request, and throws for a value that is none. */
  take(answer: unknown): boolean {
    if (answer === undefined || answer === this.request) return false;
    const { messages, system } = (answer ?? {}) as Partial<ProviderRequest>;
    if (!Array.isArray(messages) || typeof system !== 'string')
      throw new Error('it returned no request: a list of messages and a text "system" are missing');
    if (messages !== this.request.messages) this.takeMessages(messages);
    this.request = Object.freeze(answer as ProviderRequest);
    return true;
  }

  /** Nearly all messages are those that the hook got, which are frozen. */
  private takeMessages(messages: readonly Message[]): void {
    const known = (this.messages ??= [...this.request.messages]);
    for (let index = 0; index < messages.length; index++)
      if (messages[index] !== known[index]) known[index] = deepFreeze(messages[index]!);
    known.length = messages.length;
    Object.freeze(messages);
  }

  /**
   * Checks what the last hook left against what the first one got, and returns it as plain JSON. Throws where a provider would refuse it, or
   * where another field was changed. The time of the check grows with the messages that were changed.
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
