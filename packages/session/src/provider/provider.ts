import type { Message } from '../conversation/message.js';
import type { JsonObject } from '../json/json.js';
import type { ProviderEvent } from './provider-event.js';

/** A tool as a provider offers it to its model. */
export interface ToolDefinition {
  /** `domain.tool`; the adapter maps it to a name that its API accepts. */
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
  /** Most tokens of the answer; absent without the limit `maxTokensPerRound`. */
  readonly maxOutputTokens?: number;
  /** The same for every attempt of one round trip. */
  readonly idempotencyKey: string;
}

/** Features of a provider's model. Input that needs an undeclared one is refused before a turn starts, never dropped silently. */
export interface ProviderCapabilities {
  /** Accepts images in user messages. */
  readonly images: boolean;
  /** Size of the context window in tokens, where it is known. */
  readonly contextWindow?: number | undefined;
}

/** A part of a tool's schema that a provider does not honour. Never ends a turn. */
export interface SchemaWarning {
  /** `domain.tool` */
  readonly tool: string;
  readonly message: string;
}

/**
 * Adapter to one model API. It keeps no state between requests: each request holds the whole conversation.
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
  /** The model as the API names it. */
  readonly model: string;
  readonly capabilities: ProviderCapabilities;
  /**
   * Streams one answer. The stream must end with a `finish` event; a stream that ends without one counts as interrupted. Throws
   * an `AgentSessionError` whose code classifies the failure. When `signal` fires, close the connection; the session does not
   * wait for it.
   */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** Returns the parts of these tools' schemas that the provider does not honour. */
  validateTools?(
    tools: readonly ToolDefinition[],
  ): readonly SchemaWarning[] | Promise<readonly SchemaWarning[]>;
}
