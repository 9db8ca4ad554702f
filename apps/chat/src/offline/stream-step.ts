import { AgentSessionError } from '@banister/session';
import type { ProviderEvent } from '@banister/provider';
import type { Fault } from './fault.js';
import { pause, type Pace } from './pace.js';
import type { PlannedCall, Step } from './step.js';

export interface StreamOptions {
  readonly pace: Pace;
  readonly fault: Fault;
  readonly signal: AbortSignal;
  readonly inputTokens: number;
}

/** A fault occurs after this many words of a thought or a last answer, so that there is something to lose. */
const WORDS_BEFORE_FAULT = 4;
/** A fault occurs after this many pieces of a call, for the same reason. */
const FRAGMENTS_BEFORE_FAULT = 14;
/** The wait that a busy server asks for, in milliseconds. It is long enough to be visible. */
const BUSY_MS = 8_000;

/** Streams a step in small pieces, as a model does. */
export async function* streamStep(step: Step, options: StreamOptions): AsyncGenerator<ProviderEvent> {
  const { pace, fault, signal, inputTokens } = options;
  if (fault.strike('busy'))
    throw new AgentSessionError('overloaded', 'The model is busy (503).', { retry: { afterMs: BUSY_MS } });
  await pause(pace.start, signal);

  for (const [index, delta] of words(step.thinking).entries()) {
    if (index === WORDS_BEFORE_FAULT && fault.strike('stall-thinking')) await breakDown(fault, signal);
    await pause(pace.thought, signal);
    yield { type: 'thinking', delta };
  }

  for (const [index, delta] of words(step.text).entries()) {
    const mayFail = index === WORDS_BEFORE_FAULT && step.calls.length === 0;
    if (mayFail && fault.strike('stall', 'cut', 'error', 'deaf')) {
      if (fault.kind === 'cut') return;
      await breakDown(fault, signal);
    }
    await pause(pace.word, signal);
    yield { type: 'text', delta };
  }

  for (const [index, call] of step.calls.entries()) yield* writeCall(call, index, options);

  const outputTokens = Math.ceil(JSON.stringify(step).length / 4);
  yield { type: 'usage', usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
  yield { type: 'finish', reason: step.calls.length > 0 ? 'tool-calls' : 'stop' };
}

async function* writeCall(
  { tool, arguments: args }: PlannedCall,
  index: number,
  { pace, fault, signal }: StreamOptions,
): AsyncGenerator<ProviderEvent> {
  yield { type: 'tool-call', index, tool, delta: '' };
  for (const [at, delta] of fragments(JSON.stringify(args)).entries()) {
    if (at === FRAGMENTS_BEFORE_FAULT && fault.strike('stall-call')) await breakDown(fault, signal);
    await pause(pace.fragment, signal);
    yield { type: 'tool-call', index, delta };
  }
}

async function breakDown({ kind }: Fault, signal: AbortSignal): Promise<void> {
  if (kind === 'error') {
    throw new AgentSessionError('server', 'The model’s server failed in the middle of its answer (500).');
  }
  // The model stalls. A deaf model does not hear the signal either, so its promise never settles.
  await new Promise<void>((_resolve, reject) => {
    if (kind !== 'deaf') signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}

/** Returns words, each with the space before it. */
function words(text = ''): readonly string[] {
  return text.match(/\s*\S+/g) ?? [];
}

/** Returns pieces of two to five characters, as tokens are: they end in the middle of words and of JSON. */
function fragments(text: string): readonly string[] {
  const characters = [...text];
  const pieces: string[] = [];
  let at = 0;
  while (at < characters.length) {
    const size = 2 + ((at * 7) % 4);
    pieces.push(characters.slice(at, at + size).join(''));
    at += size;
  }
  return pieces;
}
