// Calls that are given while the code of sessions is on its way have the effects of calls that are given to a session with its code.
import { createCompiledValidator } from '@banister/schema/compiled';
import { createAgentSession, textOf, type LocalAgentSession, type Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import {
  checkOrder,
  createVirtualClock,
  type ScriptedProvider,
  scriptedProvider,
  settle,
  stall,
} from '@banister/testing';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { loadMatcher } from '../../src/tools/pattern-matcher.js';
import { lateCode } from '../late-code.js';

afterEach(() => void vi.restoreAllMocks());

/** Gives calls to a session, and keeps how each of them ended. */
class Caller {
  readonly ends: string[] = [];
  private given = 0;
  private aborter = new AbortController();
  private leave = () => {};

  constructor(private readonly session: LocalAgentSession) {}

  send(): void {
    this.aborter = new AbortController();
    this.follow('send', this.session.send(this.message, { signal: this.aborter.signal }));
  }

  turn$(): void {
    const end = this.ended('turn$');
    const subscription = this.session.turn$(this.message).subscribe({
      // A turn that has no operation yet ends with an error, where one that has some completes.
      complete: () => end('cancelled'),
      error: (error: { readonly code?: string }) => end(error.code),
    });
    this.leave = () => subscription.unsubscribe();
  }

  abort(): void {
    this.aborter.abort();
  }

  unsubscribe(): void {
    this.leave();
  }

  cancel(): void {
    this.follow('cancel', this.session.cancel());
  }

  keep(): void {
    this.follow('keep', this.session.cancel({ sideEffects: 'keep' }));
  }

  enqueue(): void {
    const { message } = this;
    this.follow('enqueue', this.session.enqueue(message, { id: message }));
  }

  steer(): void {
    this.follow('steer', this.session.steer(this.message));
  }

  dequeue(): void {
    this.follow('dequeue', this.session.dequeue(`Message ${this.given}`));
  }

  resumeQueue(): void {
    this.follow('resumeQueue', this.session.resumeQueue());
  }

  retry(): void {
    this.follow('retry', this.session.retry());
  }

  undo(): void {
    this.follow('undo', this.session.undo());
  }

  resume(): void {
    this.follow('resume', this.session.resume());
  }

  respond(): void {
    this.follow('respond', this.session.respond('question', { approve: true }));
  }

  configure(): void {
    this.session.configure({ role: this.message });
  }

  private get message(): string {
    return `Message ${++this.given}`;
  }

  private follow(name: string, call: Promise<unknown>): void {
    const end = this.ended(name);
    call.then(
      (value) => end(typeof value === 'object' ? 'resolved' : value),
      (error: { readonly code?: string }) => end(error.code),
    );
  }

  private ended(name: string): (how: unknown) => void {
    const index = this.ends.push(`${name} waits`) - 1;
    return (how) => void (this.ends[index] = `${name} ${String(how)}`);
  }
}

type Call = Exclude<keyof Caller, 'ends'>;

const call = fc.constantFrom<Call>(
  ...(['send', 'send', 'send', 'turn$', 'abort', 'unsubscribe', 'cancel', 'cancel', 'keep'] as const),
  ...([
    'enqueue',
    'enqueue',
    'steer',
    'dequeue',
    'resumeQueue',
    'retry',
    'undo',
    'resume',
    'respond',
  ] as const),
  'configure',
);

/**
 * Leaves out the calls behind one that starts a turn, but is not shown as starting it before the code is there: a cancel does not end that turn at
 * once, so that the calls behind it find another session.
 */
function untilHiddenStart(calls: readonly Call[]): readonly Call[] {
  let running: Call | null = null;
  const end = calls.findIndex((name) => {
    if (running === null && startsHidden.has(name)) return true;
    if (name === 'send' || name === 'turn$') running ??= name;
    else if (ends(name, running)) running = null;
    return false;
  });
  return end < 0 ? calls : calls.slice(0, end + 1);
}

const startsHidden: ReadonlySet<Call> = new Set(['enqueue', 'steer', 'retry', 'resumeQueue']);

function ends(name: Call, running: Call | null): boolean {
  if (name === 'abort') return running === 'send';
  if (name === 'unsubscribe') return running === 'turn$';
  return name === 'cancel' || name === 'keep';
}

/** The last request to the model. A turn that is cancelled before the code is there makes none. */
function requestOf({ requests }: ScriptedProvider): readonly string[] {
  const { system, messages } = requests.at(-1)!;
  return [system, ...messages.map(textOf)];
}

/** Gives the calls to a new session, and returns all that readers and the model can see of them. */
async function outcomeOf(calls: readonly Call[], isLate: boolean) {
  const code = lateCode();
  if (!isLate) code.restore();
  const clock = createVirtualClock(1_000);
  const provider = scriptedProvider([], { otherwise: stall('Hello') });
  const reported: unknown[] = [];
  const validator = createCompiledValidator(loadMatcher);
  const session = createAgentSession({
    provider,
    ports: { clock, validator, reportError: (error) => reported.push(error) },
  });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  const caller = new Caller(session);
  for (const name of calls) {
    caller[name]();
    if (!isLate) await settle();
  }
  code.arrive();
  await settle();
  await clock.advance(10);
  await settle();
  const { turns, liveTurn, queue, queuePaused, isRunning, lastOutcome } = session.state;
  const outcome = {
    ends: caller.ends.slice(),
    turns: turns.map(({ input, status }) => [textOf(input), status]),
    liveTurn: liveTurn && textOf(liveTurn.input),
    queue: queue.map(({ input, steering }) => [input, steering]),
    queuePaused,
    isRunning,
    lastOutcome: lastOutcome?.status,
    request: isRunning ? requestOf(provider) : null,
    reported,
  };
  await session.dispose();
  expect(checkOrder(operations)).toEqual([]);
  expect(fold(initialState(), operations)).toEqual(session.state);
  expect(clock.pending).toBe(0);
  code.restore();
  return outcome;
}

test('random calls have the same effects before the code of sessions is there', async () => {
  const calls = fc.array(call, { minLength: 1, maxLength: 12 }).map(untilHiddenStart);
  const areAlike = async (given: readonly Call[]) => {
    expect(await outcomeOf(given, true)).toEqual(await outcomeOf(given, false));
  };
  await fc.assert(fc.asyncProperty(calls, areAlike), propertyRun('early calls', 1_000));
});
