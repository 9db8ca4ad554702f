import type { Message } from '../conversation/message.js';
import type { ErrorData, AgentSessionError } from '../errors/agent-session-error.js';
import type { ToolChoice, ToolChoiceKind } from '../conversation/tool-choice.js';
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

/** The form of an answer that is JSON. */
export interface OutputFormat {
  /** JSON Schema of an object. The session checks the answer against it, so that an adapter may send a weaker one. */
  readonly schema: JsonObject;
}

/** One request. It shares its messages with the session and is frozen: the provider may keep it and cannot change it. */
export interface ProviderRequest {
  /** Persona and live context; empty when there is neither. */
  readonly system: string;
  /** May hold consecutive user messages; adapters merge them, tool results first. */
  readonly messages: readonly Message[];
  /** Each tool that this answer may call. Where it may call none, also those that the messages name. */
  readonly tools: readonly ToolDefinition[];
  /** The tools that this answer may call; absent for `auto`. The tool that it names is in `tools`. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /** The form of the answer's text, in the provider's own mode; absent for plain text, and where the provider declares no such mode. */
  readonly output?: OutputFormat;
  /** Most tokens of the answer; absent without the limit `maxTokensPerRound`. */
  readonly maxOutputTokens?: number;
  /** The same for every attempt of one round trip that sends the same request to the same provider. */
  readonly idempotencyKey: string;
}

/** Features of a provider's model. Input that needs an undeclared one is refused before a turn starts, never dropped silently. */
export interface ProviderCapabilities {
  /** Accepts images in user messages. */
  readonly images: boolean;
  /** Accepts images in results of tools, beside those in user messages. Default true. */
  readonly imagesInResults?: boolean | undefined;
  /** Accepts PDFs in user messages. Default false. Text files need no capability: the session sends them as text. */
  readonly pdfs?: boolean | undefined;
  /** Size of the context window in tokens, where it is known. */
  readonly contextWindow?: number | undefined;
  /** The tool choices that the model accepts with its options, beside `auto`. Default: none of them. */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /**
   * Whether the API has a mode of its own for answers that fit a schema, {@link ProviderRequest.output}. Without one, `generate` forces a call of
   * a tool, where `toolChoices` permits that. Default false.
   */
  readonly structuredOutput?: boolean | undefined;
  /** The highest number of tools in one request, where the API has such a cap. Default: none. */
  readonly maxTools?: number | undefined;
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
  /** The server, for providers that have several: its address without credentials. A part of the owner of opaque parts. */
  readonly server?: string | undefined;
  /** The account that pays, in the app's words; never a key. A part of the owner of opaque parts. */
  readonly account?: string | undefined;
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
  /** The providers among which a session goes on where one fails; see {@link withFallback}. */
  readonly fallback?: ProviderFallback | undefined;
}

/** The providers of one fallback. A session sends its requests to them directly, one of them at a time. */
export interface ProviderFallback {
  /** At least one. */
  readonly members: readonly Provider[];
  /** Returns the place of the member that a turn begins with. `because` is the failure of the first one where that is paused. */
  first(): { readonly place: number; readonly because: Pick<ErrorData, 'code' | 'message'> | null };
  /** Returns the place of the member that is asked after one that failed; null where the error is final. */
  after(place: number, error: AgentSessionError): number | null;
  /**
   * Resolves when the rate limit of a member permits this request; null where the member has none. Its `stream` waits by itself for a request
   * that has not waited here. Rejects with `cancelled` when the signal fires first.
   */
  permit(place: number, request: ProviderRequest, signal: AbortSignal): Promise<void> | null;
  /**
   * Streams the answer of the first member that gives one, for callers without a session. An answer that has begun is not begun again. A usage
   * includes that of the members that failed before. Throws the error of the last member that was asked.
   *
   * @param ask returns the stream of a member
   */
  stream(
    ask: (member: Provider) => AsyncIterable<ProviderEvent>,
    signal: AbortSignal,
  ): AsyncIterable<ProviderEvent>;
}
