import type { ProviderEvent, WireNames } from '@handrail/session/provider';

/** Where an answer comes from. */
export interface AnswerSource {
  readonly names: WireNames;
  /** The wire names of the tools in the request. */
  readonly offered: readonly string[];
  /** The address of the server. */
  readonly server: string;
  readonly model: string;
}

/** Turns what the official client yields into events, one answer long. */
export interface AnswerReader {
  /** The server's own word for the end; empty until it came. */
  readonly rawFinishReason: string;
  /** True once anything at all came. */
  readonly hasRead: boolean;
  /** True once nothing that may still come belongs to the answer. */
  readonly isOver: boolean;
  /** The events that one chunk, or one event of the API, causes. */
  read(chunk: unknown): ProviderEvent[];
  /**
   * The last events; without evidence that the answer is whole there is no `finish` among them. Throws when the answer
   * says of itself that it failed.
   *
   * @param done whether `[DONE]` came
   */
  end(done: boolean): ProviderEvent[];
}
