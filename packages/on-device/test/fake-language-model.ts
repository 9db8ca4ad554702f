import type {
  Availability,
  CoreOptions,
  CreateOptions,
  LanguageModelApi,
  ModelSession,
  ModelTool,
  Prompt,
} from '../src/language-model.js';

// A fake of the browser's `LanguageModel`, after the draft https://webmachinelearning.github.io/prompt-api
// (its sections "Creation", "Availability", "Validate and canonicalize a prompt", "Prefilling and
// generating", "Errors") and, for tools, the explainer's sections "Open loop", "Closed loop" and "Concurrent
// tool use". Its rules:
// - Options are WebIDL dictionaries: unknown members are never read, and unknown values of an enum are a
//   TypeError.
// - `create()` needs a click while something has to be downloaded; progress runs from 0 to 1, and a failing
//   download is a
//   NetworkError. Prompts that do not fit are a QuotaExceededError with `requested` and `quota`.
// - Only the first prompt may be a system prompt; content types that were not announced are a
//   NotSupportedError.
// - Prompts of one session wait for each other. An aborted prompt errors its stream with the signal's reason;
//   `destroy()`
//   errors open prompts with an AbortError, and every later use throws an AbortError too.
// - Several tools may be called at once, with their arguments as one object; the answer continues when all
//   have answered.

/** The model's next step in an answer. */
export type Move =
  /** Says this. */
  | string
  /** Says it in the form that thinking and open-loop tools use. */
  | { readonly chunk: unknown }
  /** Calls tools, all at once, and waits for the last of them. */
  | { readonly call: readonly { readonly name: string; readonly args: unknown }[] }
  /** Waits for this. */
  | { readonly wait: Promise<unknown> }
  /** Fails. */
  | { readonly fail: DOMException }
  /** The browser ends the session. */
  | 'destroy'
  /** Says nothing more, forever. */
  | 'stall'
  /** Drops the oldest prompt, because the answer no longer fits. */
  | 'overflow';

export type FakeSession = ModelSession & { readonly prompts: readonly Prompt[] };

export interface FakeOptions {
  readonly availability?: Availability;
  /** Languages that the model knows. Default: all. */
  readonly languages?: readonly string[];
  readonly images?: boolean;
  /**
   * How the browser supports tools: it calls them, it asks for them in the answer, it ignores them, or it
   * reads them in the old form without content types.
   */
  readonly tools?: 'closed' | 'open' | 'none' | 'closed-unannounced' | 'unsupported-by-model';
  readonly contextWindow?: number;
  /** The answers, one for each prompt. The last answer is used for all further prompts. */
  readonly answers?: readonly (readonly Move[])[];
  /** The error that `create()` rejects with. */
  readonly createFails?: Error;
  /** Whether a click is active. */
  readonly activation?: boolean;
  /** The progress values that the download reports, and whether it fails after them. */
  readonly download?: {
    readonly shares?: readonly number[];
    readonly fails?: boolean;
    readonly wait?: Promise<unknown>;
  };
  /** Returns the tokens of a prompt. Default: a quarter of its characters. */
  readonly tokens?: (prompts: readonly Prompt[]) => number;
  /** Whether the counts have their old names. */
  readonly legacyCounts?: boolean;
}

export interface FakeModel extends LanguageModelApi {
  /** Sessions that were made. */
  readonly sessions: readonly FakeSession[];
  /** Sessions that were not destroyed. */
  readonly live: number;
  /** Options of each `create()`, as the browser read them. */
  readonly created: readonly CreateOptions[];
  /** The input of each prompt. */
  readonly asked: readonly (readonly Prompt[])[];
  /** The results of the tools, in order of arrival. */
  readonly toolResults: readonly string[];
}

export function fakeLanguageModel(options: FakeOptions = {}): FakeModel {
  const { tools = 'closed', tokens = quarter, contextWindow = 6_144, answers = [['Done.']] } = options;
  let state = options.availability ?? 'available';
  let answersGiven = 0;
  const sessions: FakeSessionImpl[] = [];
  const created: CreateOptions[] = [];
  const asked: (readonly Prompt[])[] = [];
  const toolResults: string[] = [];

  /** Reads only known members, in the order of the dictionary. */
  const readCore = (given: CoreOptions = {}): CoreOptions => {
    const { expectedInputs = [], expectedOutputs = [] } = given;
    const kinds = [
      'text',
      'image',
      'audio',
      ...(tools === 'closed' || tools === 'open' ? ['tool-call', 'tool-response'] : []),
    ];
    for (const { type, languages = [] } of [...expectedInputs, ...expectedOutputs]) {
      if (!kinds.includes(type)) throw new TypeError(`'${type}' is not a valid LanguageModelMessageType.`);
      Intl.getCanonicalLocales([...languages]);
    }
    if (tools === 'none') return { expectedInputs, expectedOutputs };
    const read = given.tools?.map((tool): ModelTool => {
      const { name, description, inputSchema } = tool;
      if (name === undefined || inputSchema === undefined)
        throw new TypeError('required member is undefined.');
      const execute = tools === 'open' ? () => Promise.resolve('') : tool.execute.bind(tool);
      return { name, description, inputSchema, execute };
    });
    return { expectedInputs, expectedOutputs, ...(read === undefined ? {} : { tools: read }) };
  };

  const availabilityOf = ({
    expectedInputs = [],
    expectedOutputs = [],
    tools: offered = [],
  }: CoreOptions): Availability => {
    const expected = [...expectedInputs, ...expectedOutputs];
    const strange = expected
      .flatMap(({ languages = [] }) => languages)
      .some((language) => options.languages !== undefined && !options.languages.includes(language));
    const blind = expected.some(({ type }) => type === 'image') && !options.images;
    const clumsy = tools === 'unsupported-by-model' && offered.length > 0;
    return strange || blind || clumsy ? 'unavailable' : state;
  };

  const api: FakeModel = {
    sessions,
    created,
    asked,
    toolResults,
    get live() {
      return sessions.filter((session) => !session.destroyed).length;
    },
    availability: async (given) => availabilityOf(readCore(given)),
    async create(given = {}) {
      const core = readCore(given);
      const { initialPrompts = [], signal, monitor } = given;
      checkPrompts(initialPrompts, core, false);
      signal?.throwIfAborted();
      created.push({ ...core, initialPrompts });
      const found = availabilityOf(core);
      if (found === 'unavailable') throw new DOMException('The model is not available.', 'NotSupportedError');
      if (options.createFails) throw options.createFails;
      const { shares = [0, 1], fails = false, wait } = options.download ?? {};
      if (found !== 'available') {
        if (options.activation === false) {
          throw new DOMException(
            'Requires a user gesture when availability is "downloadable".',
            'NotAllowedError',
          );
        }
        state = 'downloading';
      }
      const target = new EventTarget();
      monitor?.(target);
      for (const share of shares) {
        await Promise.resolve();
        target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: share, total: 1 }));
      }
      if (wait) await untilSignal(wait, signal);
      signal?.throwIfAborted();
      if (fails) {
        state = 'downloadable';
        throw new DOMException('The download failed.', 'NetworkError');
      }
      state = 'available';
      const requested = tokens(initialPrompts);
      if (requested > contextWindow) throw quotaExceeded(requested, contextWindow);
      const session = new FakeSessionImpl(
        core,
        requested,
        contextWindow,
        tokens,
        options.legacyCounts ?? false,
        {
          next: (prompts) => {
            asked.push(prompts);
            return answers[Math.min(answersGiven++, answers.length - 1)] ?? [];
          },
          toolAnswered: (result) => void toolResults.push(result),
        },
      );
      sessions.push(session);
      return session;
    },
  };
  return api;
}

interface Script {
  next(prompts: readonly Prompt[]): readonly Move[];
  toolAnswered(result: string): void;
}

class FakeSessionImpl extends EventTarget implements FakeSession {
  destroyed = false;
  readonly prompts: Prompt[] = [];
  private readonly destruction = new AbortController();
  private queue: Promise<unknown> = Promise.resolve();
  private used: number;

  constructor(
    private readonly core: CoreOptions,
    used: number,
    private readonly size: number,
    private readonly tokens: (prompts: readonly Prompt[]) => number,
    legacyCounts: boolean,
    private readonly script: Script,
  ) {
    super();
    this.used = used;
    const usage = { get: () => this.used };
    const window = { get: () => this.size };
    Object.defineProperties(
      this,
      legacyCounts
        ? { inputUsage: usage, inputQuota: window, measureInputUsage: { value: this.measure } }
        : { contextUsage: usage, contextWindow: window, measureContextUsage: { value: this.measure } },
    );
  }

  private readonly measure = async (input: readonly Prompt[]): Promise<number> => {
    this.destruction.signal.throwIfAborted();
    return this.tokens(input);
  };

  promptStreaming(
    input: readonly Prompt[],
    { signal }: { signal?: AbortSignal } = {},
  ): ReadableStream<unknown> {
    const stop = AbortSignal.any([this.destruction.signal, ...(signal ? [signal] : [])]);
    const before = this.queue;
    let finished: () => void = () => {};
    this.queue = new Promise<void>((resolve) => (finished = resolve));
    return new ReadableStream({
      start: (controller) => {
        const onStop = () => controller.error(stop.reason);
        if (stop.aborted) onStop();
        else stop.addEventListener('abort', onStop, { once: true });
        void before
          .then(() => this.generate(input, controller, stop))
          .then(
            () => {
              if (!stop.aborted) controller.close();
            },
            (error: unknown) => {
              if (!stop.aborted) controller.error(error);
            },
          )
          .finally(() => {
            stop.removeEventListener('abort', onStop);
            finished();
          });
      },
    });
  }

  private async generate(
    input: readonly Prompt[],
    controller: ReadableStreamDefaultController<unknown>,
    stop: AbortSignal,
  ): Promise<void> {
    if (stop.aborted) return;
    checkPrompts(input, this.core, this.used > 0);
    const requested = this.tokens(input);
    if (this.used + requested > this.size) throw quotaExceeded(this.used + requested, this.size);
    this.used += requested;
    this.prompts.push(...input);
    for (const move of this.script.next(input)) {
      await Promise.resolve();
      if (stop.aborted) return;
      if (move === 'stall') await untilSignal(new Promise(() => {}), stop);
      else if (move === 'destroy') this.destroy();
      else if (move === 'overflow') this.dispatchEvent(new Event('contextoverflow'));
      else if (typeof move === 'string') {
        this.used += this.tokens([{ role: 'assistant', content: move }]);
        controller.enqueue(move);
      } else if ('chunk' in move) controller.enqueue(move.chunk);
      else if ('wait' in move) await untilSignal(move.wait, stop);
      else if ('fail' in move) throw move.fail;
      else {
        const calls = move.call.map(async ({ name, args }) => {
          const tool = this.core.tools?.find((one) => one.name === name);
          if (!tool)
            throw new DOMException(`The model called ${name}, which is none of its tools.`, 'UnknownError');
          const result = await tool.execute(args);
          if (typeof result !== 'string') throw new TypeError('A tool answers with a string.');
          this.script.toolAnswered(result);
        });
        await untilSignal(Promise.all(calls), stop);
      }
    }
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.destruction.abort(new DOMException('The session was destroyed.', 'AbortError'));
  }
}

function checkPrompts(
  prompts: readonly Prompt[],
  { expectedInputs = [] }: CoreOptions,
  hasInput: boolean,
): void {
  prompts.forEach(({ role, content }, position) => {
    if (role === 'system' && (hasInput || position > 0)) {
      throw new TypeError('The prompt with role "system" must be placed at the 0th index of initialPrompts.');
    }
    if (typeof content === 'string') return;
    for (const { type, value } of content) {
      if (type === 'text' && typeof value !== 'string') throw new TypeError('Text must be a string.');
      if (type !== 'image') continue;
      if (role === 'assistant') throw new DOMException('Assistants send text.', 'NotSupportedError');
      if (!expectedInputs.some((expected) => expected.type === 'image')) {
        throw new DOMException('Images were not announced.', 'NotSupportedError');
      }
    }
  });
}

async function untilSignal(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return void (await promise);
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    promise.then(() => resolve(), reject);
  });
}

function quotaExceeded(requested: number, quota: number): DOMException {
  return Object.assign(new DOMException('The input is too large.', 'QuotaExceededError'), {
    requested,
    quota,
  });
}

function quarter(prompts: readonly Prompt[]): number {
  return Math.ceil(prompts.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0) / 4);
}
