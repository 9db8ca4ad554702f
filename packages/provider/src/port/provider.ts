import type { Message } from '../messages/message.js';
import type { ErrorData, AgentSessionError } from '../errors/agent-session-error.js';
import type { ToolChoice, ToolChoiceKind } from '../messages/tool-choice.js';
import type { JsonObject } from '../json/json.js';
import type { ProviderEvent } from './provider-event.js';

/** A tool in the form in which a provider offers it to its model. */
export interface ToolDefinition {
  /** `domain.tool`. The adapter maps it to a name that its API accepts. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, with an object as its root. */
  readonly parameters: JsonObject;
}

/** The form of an answer in JSON. */
export interface OutputFormat {
  /**
   * The JSON Schema of the answer, with an object as its root. The session checks the answer against it, so an adapter may send a weaker
   * schema.
   */
  readonly schema: JsonObject;
}

/** One request. It shares its messages with the session and is frozen, so the provider may keep it but cannot change it. */
export interface ProviderRequest {
  /** Persona and live context; empty when there is neither. */
  readonly system: string;
  /** May contain consecutive user messages. Adapters merge them, tool results first. */
  readonly messages: readonly Message[];
  /** Each tool that this answer may call. If it may call none, the list also has the tools that the messages name. */
  readonly tools: readonly ToolDefinition[];
  /** Which of the tools this answer may call; absent for `auto`. If it names a tool, the tool is in `tools`. */
  readonly toolChoice?: Exclude<ToolChoice, 'auto'>;
  /**
   * The form of the answer's text, for the provider's own mode for structured output. Absent for plain text, and if the provider declares
   * no such mode.
   */
  readonly output?: OutputFormat;
  /** The highest number of tokens of the answer; absent without the limit `maxTokensPerRound`. */
  readonly maxOutputTokens?: number;
  /** The id of the agent whose child turn sends the request; absent for a request of the session's own model. It is not for the model. */
  readonly agent?: string;
  /** Equal for all attempts of one round that send the same request to the same provider. */
  readonly idempotencyKey: string;
}

/**
 * Features of a provider's model. If the input needs a feature that is not declared, it is refused before a turn starts, and never dropped
 * silently.
 */
export interface ProviderCapabilities {
  /** Accepts images in user messages. */
  readonly images: boolean;
  /** Accepts images in results of tools too, and not only in user messages. Default true. */
  readonly imagesInResults?: boolean | undefined;
  /** Accepts PDFs in user messages. Default false. Text files need no capability: the session sends them as text. */
  readonly pdfs?: boolean | undefined;
  /** The size of the context window in tokens, if it is known. */
  readonly contextWindow?: number | undefined;
  /** The tool choices that the model accepts, besides `auto`. Default: none of them. */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /**
   * Whether the API has a mode of its own for answers that fit a schema, {@link ProviderRequest.output}. Otherwise `generate` forces a tool
   * call, if `toolChoices` permits it. Default false.
   */
  readonly structuredOutput?: boolean | undefined;
  /** The highest number of tools in one request, if the API has such a limit. Default: no limit. */
  readonly maxTools?: number | undefined;
}

/** A part of a tool's schema that a provider does not honour. It never ends a turn. */
export interface SchemaWarning {
  /** `domain.tool` */
  readonly tool: string;
  readonly message: string;
}

/**
 * An adapter to one model API. It keeps no state between requests: each request contains the whole conversation.
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
  /** For example `openai`. It is also a part of the owner of opaque parts. */
  readonly id: string;
  /** The name of the model in the API. */
  readonly model: string;
  /** The server, if the provider may use several: its address without credentials. It is a part of the owner of opaque parts. */
  readonly server?: string | undefined;
  /** The account that pays, under a name from the app; never a key. It is a part of the owner of opaque parts. */
  readonly account?: string | undefined;
  readonly capabilities: ProviderCapabilities;
  /**
   * Streams one answer. The stream must end with a `finish` event; otherwise it counts as interrupted. Throws an `AgentSessionError` with a
   * code for the kind of failure. When `signal` fires, the connection must be closed; the session does not wait for that.
   */
  stream(request: ProviderRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
  /** Returns the parts of these tools' schemas that the provider does not honour. */
  validateTools?(
    tools: readonly ToolDefinition[],
  ): readonly SchemaWarning[] | Promise<readonly SchemaWarning[]>;
  /** The providers among which a session goes on if one fails; see {@link withFallback}. */
  readonly fallback?: ProviderFallback | undefined;
}

/** The providers of one fallback. A session sends its requests directly to one of them at a time. */
export interface ProviderFallback {
  /** The providers; at least one. */
  readonly members: readonly Provider[];
  /** Returns the index of the member with which a turn begins. If the first member is paused, `because` is its failure. */
  first(): { readonly place: number; readonly because: Pick<ErrorData, 'code' | 'message'> | null };
  /** Returns the index of the member that gets the request after the failed member; null if the error is final. */
  after(place: number, error: AgentSessionError): number | null;
  /**
   * Resolves when the rate limit of a member permits this request; null if the member has no limit. A request that has not waited here
   * waits in the member's `stream`. Rejects with `cancelled` if the signal fires first.
   */
  permit(place: number, request: ProviderRequest, signal: AbortSignal): Promise<void> | null;
  /**
   * Streams the answer of the first member that gives one, for callers without a session. An answer that has begun is not started again.
   * Reported usage includes the usage of the members that failed before. Throws the error of the last member.
   *
   * @param ask returns the stream of a member
   */
  stream(
    ask: (member: Provider) => AsyncIterable<ProviderEvent>,
    signal: AbortSignal,
  ): AsyncIterable<ProviderEvent>;
}
