import type { Message } from '../conversation/message.js';
import type { JsonObject } from '../json/json.js';
import type { ProviderEvent } from './provider-event.js';

/** A tool as a provider offers it to its model. */
export interface ToolDefinition {
  /** `domain.tool`; the adapter makes a wire name of it that its API accepts. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/** One request. It shares its messages with the session and is frozen: the provider may keep it and cannot change it. */
export interface ProviderRequest {
  /** Persona and live context; empty when there is neither. */
  readonly system: string;
  /** May hold consecutive user messages; adapters merge them, tool results first. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Most tokens that the answer may have, when the user set such a limit. */
  readonly maxOutputTokens?: number;
  /** The same for every attempt of one round trip. */
  readonly idempotencyKey: string;
}

/** What a provider can do. What it does not declare is refused before a turn starts, never silently dropped. */
export interface ProviderCapabilities {
  /** Accepts images in user messages. */
  readonly images: boolean;
  /** Size of the context window in tokens, where it is known. */
  readonly contextWindow?: number | undefined;
}

/** Something about a tool's schema that a provider will not honour. Never fatal. */
export interface SchemaWarning {
  /** `domain.tool` */
  readonly tool: string;
  readonly message: string;
}

/**
 * Adapter to one model API. Stateless: everything it needs is in the request.
 *
 * @example
 * const echo: Provider = {
 *   id: 'echo', model: 'echo-1', capabilities: { images: false },
 *   async *stream(request) {
 *     yield { type: 'text', delta: 'Hello.' };
 *     yield { type: 'finish', reason: 'stop' };
 *   },
 * };
 */
export interface Provider {
  /** For example `openai`; also the owner of opaque parts. */
  readonly id: string;
  readonly model: string;
  readonly capabilities: ProviderCapabilities;
  /**
   * One answer, streamed. Must end with a `finish` event: a stream that merely ends counts as interrupted. Throws an
   * `AgentSessionError` classified by code for everything that goes wrong. When `signal` fires, close the connection;
   * the session does not wait for it.
   */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** What the provider will not honour in these tools. */
  validateTools?(
    tools: readonly ToolDefinition[],
  ): readonly SchemaWarning[] | Promise<readonly SchemaWarning[]>;
}
