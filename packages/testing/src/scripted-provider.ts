import {
  AgentSessionError,
  type Provider,
  type ProviderCapabilities,
  type ProviderEvent,
  type ProviderRequest,
  type SchemaWarning,
  type ToolChoiceKind,
  type ToolResult,
} from '@banister/session/provider';
import { innerCallEvent, say, type InsideCalls, type ScriptedAnswer } from './scripted-answer.js';
import { validateHistory } from './validate-history.js';

/** An answer, a text to say, or a function that looks at the request (and its 0-based number) first. */
export type AnswerSource =
  string | ScriptedAnswer | ((request: ProviderRequest, number: number) => string | ScriptedAnswer);

export interface ScriptedProviderOptions {
  /** Default `scripted`. */
  readonly id?: string | undefined;
  /** Default `scripted-1`. */
  readonly model?: string | undefined;
  /** Whether it accepts images. Default true. */
  readonly images?: boolean | undefined;
  /** Whether it accepts images in results of tools, beside those in user messages. Default true. */
  readonly imagesInResults?: boolean | undefined;
  /** Whether it accepts PDFs. Default true. */
  readonly pdfs?: boolean | undefined;
  /** Size of the context window in tokens. */
  readonly contextWindow?: number | undefined;
  /** The highest number of tools in one request; a request with more is a fault. Default: none. */
  readonly maxTools?: number | undefined;
  /** The tool choices that it accepts beside `auto`. Default: all of them. */
  readonly toolChoices?: readonly ToolChoiceKind[] | undefined;
  /** Whether it declares a mode for structured output; else `generate` forces a tool. Default true. */
  readonly structuredOutput?: boolean | undefined;
  /** Answers every request after the scripted ones. Without it, such a request fails the turn. */
  readonly otherwise?: AnswerSource | undefined;
  /** Whether requests pass through the history validator. Default true. */
  readonly validate?: boolean | undefined;
  /** Warnings that its `validateTools` returns. */
  readonly schemaWarnings?: readonly SchemaWarning[] | undefined;
}

/** The stream of one request. */
export interface ScriptedStream {
  readonly request: ProviderRequest;
  /** Events that were read from it. */
  readonly emitted: number;
  /** The results of the calls inside it, in order of their arrival. */
  readonly results: readonly ToolResult[];
  /** Whether its signal fired. */
  readonly aborted: boolean;
  /** Whether it is over: ended, failed, aborted, or its reader left. A deaf stream stays open when aborted. */
  readonly closed: boolean;
}

/** A provider that answers from a script, and remembers what it was asked. */
export interface ScriptedProvider extends Provider {
  /** Every request so far, retries included. */
  readonly requests: readonly ProviderRequest[];
  /** The stream of each request, in the same order. */
  readonly streams: readonly ScriptedStream[];
  /** How many answers have not been asked for yet. */
  readonly remaining: number;
  /** Requests that a real API would have refused, and requests without an answer. */
  readonly faults: readonly string[];
  /** Adds answers to the end of the script. */
  push(...answers: readonly AnswerSource[]): void;
  /** Throws when there are faults, or answers that were never asked for. */
  check(): void;
}

/**
 * A provider for tests: the n-th request, retries included, gets the n-th answer.
 *
 * Every request passes through the history validator first. One that a real API would refuse fails the turn with
 * `provider-contract`, and stays in `faults` for {@link ScriptedProvider.check}.
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
      // Aborted beforehand: no provider sends such a request, and no answer is used up.
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
 * A function that gives each request its answer. It throws, and adds to `faults`, when a real API would refuse the request
 * and when the script has no answer left.
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

/** One stream on its way, and what is remembered of it. */
class RecordedStream implements ScriptedStream {
  emitted = 0;
  readonly results: ToolResult[] = [];
  readonly request: ProviderRequest;
  private readonly signal: AbortSignal;
  /** The signal that the stream listens to; for a deaf one, a signal that never fires. */
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
      // Noted here and not in a `finally` of the generator: one that hangs never gets that far.
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

  /** All calls at once, as a model makes them; the answer goes on with the last result. */
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

/** Waits for the promise or the abort, whichever comes first, and leaves no listener behind. */
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
