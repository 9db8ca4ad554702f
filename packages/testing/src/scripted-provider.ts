import {
  AgentSessionError,
  type Provider,
  type ProviderCapabilities,
  type ProviderEvent,
  type ProviderRequest,
  type SchemaWarning,
  type ToolChoiceKind,
  type ToolResult,
} from '@banister/provider';
import { innerCallEvent, say, type InsideCalls, type ScriptedAnswer } from './scripted-answer.js';
import { validateHistory } from './validate-history.js';

/** An answer, a text to say, or a function that gets the request and its 0-based number. */
export type AnswerSource =
  string | ScriptedAnswer | ((request: ProviderRequest, number: number) => string | ScriptedAnswer);

export interface ScriptedProviderOptions {
  /** Default `scripted`. */
  readonly id?: string | undefined;
  /** Default `scripted-1`. */
  readonly model?: string | undefined;
  /** Whether the provider accepts images. Default true. */
  readonly images?: boolean | undefined;
  /** Whether the provider accepts images in tool results, in addition to user messages. Default true. */
  readonly imagesInResults?: boolean | undefined;
  /** Whether the provider accepts PDFs. Default true. */
  readonly pdfs?: boolean | undefined;
  /** The size of the context window in tokens. */
  readonly contextWindow?: number | undefined;
  /** The highest number of tools in a request; more tools are a fault. Default: unlimited. */
  readonly maxTools?: number | undefined;
  /** The accepted tool choices in addition to `auto`. Default: all. */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /** Whether the provider has a mode for structured output; otherwise `generate` forces a tool. Default true. */
  readonly structuredOutput?: boolean | undefined;
  /** The answer to every request after the script. Without it, such a request fails the turn. */
  readonly otherwise?: AnswerSource | undefined;
  /** Whether requests are checked by the history validator. Default true. */
  readonly validate?: boolean | undefined;
  /** The warnings that `validateTools` returns. */
  readonly schemaWarnings?: readonly SchemaWarning[] | undefined;
}

/** The stream of a request. */
export interface ScriptedStream {
  readonly request: ProviderRequest;
  /** The number of events that were read. */
  readonly emitted: number;
  /** The results of the calls inside the stream, in order of arrival. */
  readonly results: readonly ToolResult[];
  /** Whether the signal of the stream has aborted. */
  readonly aborted: boolean;
  /** Whether the stream has ended, failed, aborted, or lost its reader. A deaf stream stays open after an abort. */
  readonly closed: boolean;
}

/** A provider that answers from a script, and records its requests. */
export interface ScriptedProvider extends Provider {
  /** All requests up to now, including retries. */
  readonly requests: readonly ProviderRequest[];
  /** The stream of each request, in the same order. */
  readonly streams: readonly ScriptedStream[];
  /** The number of answers that no request has used yet. */
  readonly remaining: number;
  /** Requests that a real API would have refused, and requests without an answer. */
  readonly faults: readonly string[];
  /** Adds answers to the end of the script. */
  push(...answers: readonly AnswerSource[]): void;
  /** Throws if there are faults or unused answers. */
  check(): void;
}

/**
 * A provider for tests: the n-th request, including retries, gets the n-th answer.
 *
 * The history validator checks every request first. A request that a real API would refuse fails the turn with `provider-contract`, and
 * stays in `faults` for {@link ScriptedProvider.check}.
 *
 * @example
 * const provider = scriptedProvider([
 *   callTools({ tool: 'board.add_card', args: { title: 'Milk' } }),
 *   say('I added a card.', { usage: { inputTokens: 40, outputTokens: 6 } }),
 * ]);
 * const session = createAgentSession({ provider, domains: [board] });
 * await session.send('Add a card for milk');
 * console.log(provider.requests.length); // 2
 * provider.check();
 */
export function scriptedProvider(
  answers: readonly AnswerSource[],
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const { id = 'scripted', model = 'scripted-1', schemaWarnings } = options;
  const script = [...answers];
  const requests: ProviderRequest[] = [];
  const streams: RecordedStream[] = [];
  const faults: string[] = [];
  const answerTo = createAnswering(script, faults, options);

  return {
    id,
    model,
    capabilities: capabilitiesOf(options),
    stream(request, signal) {
      // If the signal is already aborted, no request is sent, and no answer is used.
      if (signal.aborted)
        return { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(wasAborted()) }) };
      const number = requests.push(request) - 1;
      const stream = new RecordedStream(request, signal);
      streams.push(stream);
      return { [Symbol.asyncIterator]: () => stream.read(() => answerTo(request, number)) };
    },
    ...(schemaWarnings === undefined ? {} : { validateTools: () => schemaWarnings }),
    requests,
    streams,
    faults,
    get remaining() {
      return script.length;
    },
    push: (...more) => void script.push(...more),
    check() {
      const unused = script.length === 0 ? [] : [`${script.length} scripted answers were never asked for`];
      const problems = [...faults, ...unused];
      if (problems.length > 0)
        throw new Error(`The scripted provider was used wrongly: ${problems.join('; ')}.`);
    },
  };
}

function capabilitiesOf(options: ScriptedProviderOptions): ProviderCapabilities {
  const { images = true, imagesInResults, pdfs = true, contextWindow, maxTools } = options;
  const { toolChoices = ['none', 'required', 'tool'], structuredOutput = true } = options;
  return {
    images,
    ...(imagesInResults === undefined ? {} : { imagesInResults }),
    pdfs,
    toolChoices,
    structuredOutput,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxTools === undefined ? {} : { maxTools }),
  };
}

/**
 * Returns a function that gives each request its answer. It throws, and adds to `faults`, if a real API would refuse the request or if the
 * script has no answer left.
 */
function createAnswering(
  script: AnswerSource[],
  faults: string[],
  { validate = true, otherwise, maxTools = Infinity }: ScriptedProviderOptions,
): (request: ProviderRequest, number: number) => ScriptedAnswer {
  const fault = (number: number, problem: string): AgentSessionError => {
    faults.push(`request ${number}: ${problem}`);
    return new AgentSessionError(
      'provider-contract',
      `Request ${number} of the scripted provider: ${problem}`,
    );
  };

  return (request, number) => {
    const problems = validate ? requestProblems(request, maxTools) : [];
    if (problems.length > 0) throw fault(number, `a real API would refuse it: ${problems.join('; ')}`);
    const source = script.shift() ?? otherwise;
    if (source === undefined) throw fault(number, 'no answer is scripted for it');
    const answer = typeof source === 'function' ? source(request, number) : source;
    return typeof answer === 'string' ? say(answer) : answer;
  };
}

function requestProblems({ messages, tools }: ProviderRequest, maxTools: number): readonly string[] {
  const last = messages.at(-1);
  return [
    ...(tools.length > maxTools ? [`it has ${tools.length} tools, and ${maxTools} are possible`] : []),
    ...(last === undefined ? ['there are no messages'] : []),
    ...(last?.role === 'assistant' ? ['the last message must be from the user'] : []),
    ...(messages.some(({ parts }) => parts.some((part) => part.type === 'attachment'))
      ? ['an attachment has no content']
      : []),
    ...validateHistory(messages),
  ];
}

/** A running stream, and what is recorded about it. */
class RecordedStream implements ScriptedStream {
  emitted = 0;
  readonly results: ToolResult[] = [];
  readonly request: ProviderRequest;
  private readonly signal: AbortSignal;
  /** The signal that the stream listens to; for a deaf stream, a signal that never aborts. */
  private heard: AbortSignal;
  private over = false;

  constructor(request: ProviderRequest, signal: AbortSignal) {
    this.request = request;
    this.signal = signal;
    this.heard = signal;
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  get closed(): boolean {
    return this.over || this.heard.aborted;
  }

  read(answer: () => ScriptedAnswer): AsyncIterator<ProviderEvent> {
    const events = this.play(answer);
    return {
      next: () => events.next(),
      // Set here and not in a `finally` of the generator, because a hanging generator never reaches its `finally`.
      return: () => {
        this.over = true;
        return events.return(undefined);
      },
    };
  }

  private async *play(answerTo: () => ScriptedAnswer): AsyncGenerator<ProviderEvent, undefined> {
    try {
      const { steps, ending, deaf } = answerTo();
      if (deaf) this.heard = new AbortController().signal;
      for (const step of steps) {
        if (step.type === 'gate') await unlessAborted(step.pass(), this.heard);
        this.heard.throwIfAborted();
        if (step.type === 'gate') continue;
        if (step.type === 'inside') {
          yield* this.callInside(step);
          continue;
        }
        this.emitted++;
        yield step;
      }
      if (ending === 'stall') await unlessAborted(new Promise(() => {}), this.heard);
      this.heard.throwIfAborted();
      if (ending instanceof Error) throw ending;
      return undefined;
    } catch (thrown) {
      throw this.heard.aborted ? wasAborted() : thrown;
    } finally {
      this.over = true;
    }
  }

  /** Makes all calls at once, as a model does. The answer continues after the last result. */
  private async *callInside({ calls }: InsideCalls): AsyncGenerator<ProviderEvent, void> {
    let left = calls.length;
    let done = () => {};
    const answered = new Promise<void>((resolve) => (done = resolve));
    for (const call of calls) {
      this.emitted++;
      yield innerCallEvent(call, (result) => {
        this.results.push(result);
        if (--left === 0) done();
      });
      this.heard.throwIfAborted();
    }
    await unlessAborted(answered, this.heard);
    this.heard.throwIfAborted();
  }
}

function wasAborted(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The request was aborted.');
}

/** Waits for the promise or the abort, whichever comes first, and then removes its listener. */
async function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    void promise.then(done);
  });
}
