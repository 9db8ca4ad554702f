import {
  AgentSessionError,
  createWireNames,
  type ProviderEvent,
  type ProviderRequest,
  type ToolResult,
  type UsageReport,
  type WireNames,
} from '@banister/provider';
import { coreOptions } from './core-options.js';
import { EventQueue } from './event-queue.js';
import {
  measure,
  usageOf,
  windowOf,
  type LanguageModelApi,
  type ModelSession,
  type ModelTool,
} from './language-model.js';
import type { OnDeviceOptions } from './on-device-options.js';
import { readChunks } from './read-chunks.js';
import { resultText } from './result-text.js';
import { cancelled, deviceError, type Stage } from './device-error.js';
import { toPrompts } from './to-prompts.js';
import { noTools, type ToolSupport } from './tool-support.js';
import { untilAborted } from './until-aborted.js';

/** The parts of the provider that one answer uses. */
export interface Device {
  readonly api: LanguageModelApi;
  readonly options: OnDeviceOptions;
  tools(): Promise<ToolSupport>;
  /** Called with each new model session, because only a session states the size of its window. */
  contextWindow(tokens: number | undefined): void;
}

/**
 * Streams an answer from its own model session, which is made from the whole conversation and destroyed after the answer: nothing of
 * an undone or failed turn stays in the model, and no unused model stays in memory.
 */
export async function* streamAnswer(
  { api, options, tools, contextWindow }: Device,
  request: ProviderRequest,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void> {
  const queue = new EventQueue();
  const names = createWireNames(request.tools.map((tool) => tool.name));
  const { initial, asked } = toPrompts(request, names);
  const onAbort = () => queue.fail(cancelled(signal), { drop: true });
  signal.addEventListener('abort', onAbort);
  let stage: Stage = 'creating';
  let session: ModelSession | undefined;
  try {
    const mayCall = request.tools.length > 0 && request.toolChoice !== 'none';
    const support = !mayCall ? noTools : await untilAborted(tools(), signal);
    const offered = support.calls === 'none' ? [] : modelTools(request, names, queue, signal);
    const creating = api.create({
      ...coreOptions(options, offered, support),
      initialPrompts: initial,
      signal,
    });
    session = await untilAborted(creating, signal, (late) => late.destroy());
    stage = 'answering';
    contextWindow(windowOf(session));
    session.addEventListener('contextoverflow', () => queue.fail(overflowed()));
    const before = usageOf(session);
    const measured = measure(session, asked, signal);
    const { output } = request;
    const constraint = output && { responseConstraint: output.schema };
    const stream = session.promptStreaming(asked, { signal, ...constraint });
    readChunks(stream, names, queue).catch((error: unknown) => queue.fail(error));
    for await (const event of queue.read()) {
      if (event.type === 'finish') {
        const usage = usageReport(before, await untilAborted(measured, signal), usageOf(session));
        if (usage !== null) yield { type: 'usage', usage };
      }
      yield event;
    }
  } catch (thrown) {
    throw deviceError(thrown, stage, signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    session?.destroy();
  }
}

/** The tools for the browser to call: each call emits an `inner-call` and waits for its result. */
function modelTools(
  { tools }: ProviderRequest,
  names: WireNames,
  queue: EventQueue,
  signal: AbortSignal,
): readonly ModelTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name: names.toWire(name),
    description,
    inputSchema: parameters,
    execute: async (args: unknown) => {
      const result = new Promise<ToolResult>((answered) => {
        queue.push({ type: 'inner-call', tool: name, argumentsText: argumentsText(args), answer: answered });
      });
      return resultText(await untilAborted(result, signal));
    },
  }));
}

function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '');
}

function usageReport(
  before: number | undefined,
  asked: number | undefined,
  after: number | undefined,
): UsageReport | null {
  if (before === undefined || asked === undefined) return after === undefined ? null : { totalTokens: after };
  const inputTokens = before + asked;
  // The browser counts tool results together with the model's output.
  return after === undefined || after < inputTokens
    ? { inputTokens }
    : { inputTokens, outputTokens: after - inputTokens };
}

function overflowed(): AgentSessionError {
  return new AgentSessionError(
    'context-length',
    'The answer grew past what the model of this device can hold, which would make it forget what it was asked.',
  );
}
