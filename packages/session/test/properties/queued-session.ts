import { createInterpretedValidator } from '@banister/schema/interpreted';
import {
  createAgentSession,
  createMirror,
  immediate,
  isAgentSessionError,
  stop,
  textOf,
  type LocalAgentSession,
  type Mirror,
  type Operation,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import {
  createSequentialIds,
  createVirtualClock,
  gatedTool,
  recordingHistory,
  type GatedTool,
} from '@banister/testing';
import { cachedValidator } from '../cached-validator.js';
import { loadMatcher } from '../../src/tools/pattern-matcher.js';
import { HandFedProvider } from './hand-fed-provider.js';

const validator = cachedValidator(createInterpretedValidator(loadMatcher));

export type Way = 'send' | 'enqueue' | 'steer';

/** One message of the user, and the promise of its command. */
export interface GivenInput {
  readonly way: Way;
  readonly text: string;
  /** The number of times that its promise was settled. */
  settled: number;
  /** The result, or the code of the error. */
  result: string | null;
}

/** A session with a queue, whose user, provider and tool are driven by a schedule. */
export class QueuedSession {
  readonly clock = createVirtualClock(1_000);
  readonly provider = new HandFedProvider();
  readonly tool: GatedTool = gatedTool('act');
  readonly session: LocalAgentSession;
  readonly mirror: Mirror = createMirror(initialState());
  readonly operations: Operation[] = [];
  readonly inputs: GivenInput[] = [];
  readonly reported: unknown[] = [];
  /** Is called once, at the next operation, by a subscriber. */
  reaction: (() => void) | null = null;
  private texts = 0;

  constructor(maxRounds: number) {
    this.session = createAgentSession({
      provider: this.provider,
      domains: [{ id: 'app', tools: [this.tool] }],
      history: recordingHistory(),
      limits: { maxRounds, maxRetries: 0 },
      ports: {
        clock: this.clock,
        ids: createSequentialIds(),
        random: () => 0.5,
        scheduler: immediate(),
        validator,
        reportError: (error) => this.reported.push(error),
      },
    });
    this.session.operations$.subscribe((operation) => {
      this.operations.push(operation);
      this.mirror.fold([operation]);
      const { reaction } = this;
      this.reaction = null;
      reaction?.();
    });
  }

  /** Gives the session a new message. */
  give(way: Way): void {
    const input: GivenInput = { way, text: this.newText(), settled: 0, result: null };
    this.inputs.push(input);
    const end = (result: string) => Object.assign(input, { settled: input.settled + 1, result });
    const given: Promise<unknown> = this.session[way](input.text);
    given.then(
      (result) => end(typeof result === 'string' ? result : (result as { status: string }).status),
      (error: unknown) => end(isAgentSessionError(error) ? `error ${error.code}` : String(error)),
    );
  }

  /** Changes a message in the queue, moves it, or both. */
  requeue(detail: number): void {
    const { queue } = this.session.state;
    const item = queue[detail % Math.max(1, queue.length)];
    if (item === undefined) return;
    const before = [undefined, null, queue[(detail >> 3) % queue.length]!.id][detail % 3];
    const input = detail % 2 === 0 ? this.newText() : undefined;
    this.session.requeue(item.id, { before, input }).catch(() => {});
  }

  dequeue(detail: number): void {
    const { queue } = this.session.state;
    const item = queue[detail % Math.max(1, queue.length)];
    if (item !== undefined) this.session.dequeue(item.id).catch(() => {});
  }

  /** Ends the answer that streams: with a call of the tool, or as the final one. */
  answer(detail: number): void {
    const stream = this.provider.streams.findLast(({ over, finished }) => !over && !finished);
    if (stream === undefined) return;
    if (detail % 5 === 4) return stream.fail(new Error('It went wrong.'));
    if (detail % 3 > 0) stream.feed({ type: 'text', delta: `answer ${detail}` });
    if (detail % 2 > 0) stream.feed({ type: 'tool-call', index: 0, tool: 'app.act', delta: '{}' });
    if (detail % 7 === 6) return;
    stream.feed({ type: 'finish', reason: stream.calls.length > 0 ? 'tool-calls' : 'stop' });
    stream.end();
  }

  endTool(detail: number): void {
    const run = this.tool.runs.find(({ settled }) => !settled);
    if (run === undefined) return;
    if (detail % 5 === 0) run.settle(stop('Enough.'));
    else if (detail % 5 === 1) run.throw(new Error('No.'));
    else {
      run.context.undo({ description: 'Acted', revert: () => {}, reapply: () => {} });
      run.settle('Done.');
    }
  }

  /** The places where a message is: each text that the user gave is in one of them. */
  placesOf(input: GivenInput): readonly string[] {
    const { queue, turns, liveTurn } = this.session.state;
    const { ids, texts } = this.formsOf(input);
    const isIt = (text: unknown) => texts.has(text as string);
    const places: string[] = [];
    for (const operation of this.operations) {
      if (
        operation.type === 'turnStarted' &&
        operation.retryOf === undefined &&
        isIt(textOf(operation.input))
      )
        places.push('started');
      if (operation.type === 'steered' && isIt(textOf(operation.message))) places.push('joined');
      if (operation.type === 'dequeued' && operation.reason === 'removed' && ids.has(operation.id))
        places.push('cancelled');
    }
    for (const item of queue) if (isIt(item.input)) places.push(item.steering ? 'steering' : 'queued');
    const parts = [...turns, ...(liveTurn === null ? [] : [liveTurn])].flatMap((turn) =>
      turn.rounds.flatMap((round) => round.parts),
    );
    const inRecord = parts.filter((part) => part.type === 'steering' && isIt(textOf(part.message))).length;
    if (inRecord > places.filter((place) => place === 'joined').length) places.push('joined twice');
    return places;
  }

  /** Returns the ids that a message had in the queue, and all texts that it was changed to. */
  private formsOf({ text }: GivenInput): { ids: ReadonlySet<string>; texts: ReadonlySet<string> } {
    const ids = new Set<string>();
    const texts = new Set([text]);
    for (const operation of this.operations) {
      if (operation.type !== 'queued') continue;
      if (texts.has(operation.input as string)) ids.add(operation.id);
      else if (ids.has(operation.id)) texts.add(operation.input as string);
    }
    return { ids, texts };
  }

  /** The status of the turn that began with a message; `running` while it runs. */
  statusOf(input: GivenInput): string | undefined {
    const { texts } = this.formsOf(input);
    const started = this.operations.find(
      (operation) =>
        operation.type === 'turnStarted' &&
        operation.retryOf === undefined &&
        texts.has(textOf(operation.input)),
    );
    if (started === undefined) return undefined;
    const end = this.operations.find(
      ({ type, turnId }) =>
        turnId === started.turnId && ['completed', 'stopped', 'cancelled', 'failed'].includes(type),
    );
    return end?.type ?? 'running';
  }

  private newText(): string {
    return `message ${this.texts++}`;
  }
}
