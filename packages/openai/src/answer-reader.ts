import { AgentSessionError, type ProviderEvent, type WireNames } from '@banister/provider';
import type { AnswerProgress } from '@banister/wire';

/** The origin of an answer. */
export interface AnswerSource {
  readonly names: WireNames;
  /** The wire names of the tools in the request. */
  readonly offered: readonly string[];
  /** The address of the server. Parts that only this server understands are returned only to this server. */
  readonly server: string;
  readonly model: string;
}

/** Turns the events of the official client into events of the port, for one answer. */
export interface AnswerReader extends AnswerProgress {
  /** The server's own name for the finish reason; empty until it arrived. */
  readonly rawFinishReason: string;
  /** True once any event arrived. */
  readonly hasRead: boolean;
  /** Returns true for a complete answer from a server that does not stream. */
  isAnswer(body: unknown): boolean;
  /** The events that one chunk, or one event of the API, causes. */
  read(chunk: unknown): ProviderEvent[];
  /**
   * Returns the last events. There is no `finish` among them if nothing shows that the answer is complete.
   * Throws the failure that the server stated in its answer.
   *
   * @param done whether `[DONE]` arrived
   */
  end(done: boolean): ProviderEvent[];
}

/**
 * Returns a failure that the server stated in its answer, in the shape in which the client throws a refusal.
 */
export function answerError(error: unknown): Error {
  return Object.assign(new Error('The server failed while it answered.'), { error });
}

/** Returns the error for a finish reason that names a failure. */
export function reasonError(finishReason: string): AgentSessionError {
  const isBusy = /insufficient|overload|unavailable/i.test(finishReason);
  const message = isBusy
    ? 'The model is overloaded at the moment.'
    : `The server failed while it answered: it ended with the reason "${finishReason.slice(0, 100)}".`;
  return new AgentSessionError(isBusy ? 'overloaded' : 'server', message, { details: { finishReason } });
}

/** Text in which the model refuses; `refusal` marks it for views. */
export interface RefusalText {
  readonly type: 'text';
  readonly delta: string;
  readonly refusal: true;
}

/** Returns the event for a piece of a refusal. It is text, because the user has to read it. */
export function refusalText(delta: string): ProviderEvent {
  const event: RefusalText = { type: 'text', delta, refusal: true };
  return event;
}
