// The used part of the Prompt API, after https://webmachinelearning.github.io/prompt-api and its explainer. Published
// declarations describe one browser's release, and the shape of tools differs between releases.

/** Whether the model can be used: now, after a download, after the current download, or not at all. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** A type of content that a session is prepared for, in these languages (BCP 47). */
export interface Expected {
  readonly type: 'text' | 'image' | 'tool-call' | 'tool-response';
  readonly languages?: readonly string[];
}

/** A tool in the form of the browser's API. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Called by the browser, several times at once if the model does; the model reads the result. */
  execute(...args: readonly unknown[]): Promise<string>;
}

export interface CoreOptions {
  readonly expectedInputs?: readonly Expected[];
  readonly expectedOutputs?: readonly Expected[];
  readonly tools?: readonly ModelTool[];
}

/** One piece of a message's content. */
export type PromptContent =
  { readonly type: 'text'; readonly value: string } | { readonly type: 'image'; readonly value: Blob };

export interface Prompt {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string | readonly PromptContent[];
}

export interface CreateOptions extends CoreOptions {
  readonly initialPrompts?: readonly Prompt[];
  readonly signal?: AbortSignal;
  readonly monitor?: (monitor: EventTarget) => void;
}

/** A session of the model. It holds memory until it is destroyed. */
export interface ModelSession extends EventTarget {
  promptStreaming(
    input: readonly Prompt[],
    options?: { readonly signal?: AbortSignal; readonly responseConstraint?: object },
  ): ReadableStream<unknown>;
  /** In tokens. */
  measureContextUsage?(
    input: readonly Prompt[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<number>;
  readonly contextUsage?: number;
  readonly contextWindow?: number;
  /** Before Chrome 148, and in extensions, these three had other names. */
  measureInputUsage?(input: readonly Prompt[], options?: { readonly signal?: AbortSignal }): Promise<number>;
  readonly inputUsage?: number;
  readonly inputQuota?: number;
  destroy(): void;
}

/** The global `LanguageModel`. */
export interface LanguageModelApi {
  availability(options?: CoreOptions): Promise<Availability>;
  create(options?: CreateOptions): Promise<ModelSession>;
}

/** The browser's API; undefined if the browser has none. Only `availability()` tells whether there is a model. */
export function builtInModel(): LanguageModelApi | undefined {
  const { LanguageModel } = globalThis as { readonly LanguageModel?: LanguageModelApi };
  return typeof LanguageModel?.availability === 'function' && typeof LanguageModel.create === 'function'
    ? LanguageModel
    : undefined;
}

/** Tokens that the session holds. */
export function usageOf(session: ModelSession): number | undefined {
  return finite(session.contextUsage ?? session.inputUsage);
}

/** Tokens that the session can hold; undefined if there is no limit. */
export function windowOf(session: ModelSession): number | undefined {
  return finite(session.contextWindow ?? session.inputQuota);
}

/** Tokens that a prompt would add; undefined if the browser cannot count them. */
export async function measure(
  session: ModelSession,
  prompt: readonly Prompt[],
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    if (session.measureContextUsage) return finite(await session.measureContextUsage(prompt, { signal }));
    return finite(await session.measureInputUsage?.(prompt, { signal }));
  } catch {
    // A missing count is not an error of the answer.
    return undefined;
  }
}

function finite(value: number | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
