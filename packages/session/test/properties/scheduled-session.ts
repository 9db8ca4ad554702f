import { createInterpretedValidator } from '@banister/schema/interpreted';
import {
  createAgentSession,
  defineGuard,
  effect,
  immediate,
  type LocalAgentSession,
  type Decision,
  type Guard,
  type Operation,
  type Verdict,
} from '@banister/session';
import { untracked } from '@banister/session/signals';
import {
  createManualScheduler,
  createSequentialIds,
  createVirtualClock,
  recordingHistory,
  type ManualScheduler,
  type RecordingHistory,
  type VirtualClock,
} from '@banister/testing';
import fc from 'fast-check';
import type { Subscription } from 'rxjs';
import { cachedValidator } from '../cached-validator.js';
import { loadMatcher } from '../../src/tools/pattern-matcher.js';
import type { BoardRun } from './board-domain.js';
import { HandFedProvider } from './hand-fed-provider.js';
import { JoinedReader } from './joined-reader.js';
import { ScheduledApp } from './scheduled-app.js';
import { ScheduleWatch } from './schedule-watch.js';
import { createWatchedSignal, type WatchedSignal } from './watched-signal.js';

/** The options of a scheduled session. */
export interface ScheduleSetup {
  readonly history: boolean;
  readonly immediate: boolean;
  /** Whether an effect reads the signals. */
  readonly watched: boolean;
  /** Tools that a guard wants confirmed, and one that it denies. */
  readonly confirm: readonly string[];
  readonly deny: string | null;
  /** A second guard, whose answers the schedule gives. */
  readonly slowGuard: boolean;
  /** Confirmations are answered by a handler of the app. */
  readonly handler: boolean;
  /** A context source, whose answers the schedule gives. */
  readonly slowContext: boolean;
  readonly limits: {
    readonly maxRounds: number;
    readonly maxToolCalls: number;
    readonly maxRetries: number;
    readonly confirmationTimeoutMs: number;
    readonly maxTokens: number;
    readonly maxCost: number;
    readonly onTrip: 'fail' | 'stop';
  };
}

const confirmable = ['board.write', 'board.look', 'board.mail', 'board.publish', 'shelf.write'];

export const setups: fc.Arbitrary<ScheduleSetup> = fc.record({
  history: fc.integer({ min: 0, max: 4 }).map((one) => one < 4),
  immediate: fc.boolean(),
  watched: fc.boolean(),
  confirm: fc.subarray(confirmable),
  deny: fc.constantFrom(null, null, null, 'board.mail', 'board.publish'),
  slowGuard: fc.integer({ min: 0, max: 4 }).map((one) => one === 4),
  handler: fc.integer({ min: 0, max: 3 }).map((one) => one === 3),
  slowContext: fc.integer({ min: 0, max: 5 }).map((one) => one === 5),
  limits: fc.record({
    maxRounds: fc.constantFrom(8, 4, 2, 1),
    maxToolCalls: fc.constantFrom(12, 12, 3, 1),
    maxRetries: fc.constantFrom(3, 1, 0),
    confirmationTimeoutMs: fc.constantFrom(45_000, 45_000, Infinity),
    maxTokens: fc.constantFrom(Infinity, Infinity, 700),
    maxCost: fc.constantFrom(Infinity, Infinity, 6),
    onTrip: fc.constantFrom('fail', 'stop'),
  }),
});

/** The places in which a reader joins, beside those between two actions. */
export const places = ['an effect', 'a delivery', 'a guard', 'a tool', 'a provider'] as const;
export type Place = (typeof places)[number];

/** A guard, handler or context source that waits for an answer of the schedule. */
export interface OpenAnswer<T> {
  readonly signal?: AbortSignal;
  answered: boolean;
  resolve(value: T): void;
  reject(error: Error): void;
}

/** A command that was called, and the state of its promise. */
export interface GivenCommand {
  readonly name: string;
  outcome: 'pending' | 'resolved' | 'rejected';
  value?: unknown;
  /** Code of the rejection that must come, or `resolved`. */
  expected?: string;
}

const validator = cachedValidator(createInterpretedValidator(loadMatcher));

/** A session whose provider, tools, user and app are driven by a schedule. */
export class ScheduledSession {
  readonly clock: VirtualClock = createVirtualClock(1_000_000);
  readonly scheduler: ManualScheduler = createManualScheduler();
  readonly provider: HandFedProvider;
  readonly app: ScheduledApp;
  readonly history: RecordingHistory = recordingHistory();
  readonly session: LocalAgentSession;
  readonly watch: ScheduleWatch;
  readonly signals: WatchedSignal[] = [];
  /** Subscribers that joined on the way. */
  readonly readers: JoinedReader[] = [];
  readonly commands: GivenCommand[] = [];
  readonly verdicts: OpenAnswer<Verdict>[] = [];
  readonly decisions: OpenAnswer<Decision>[] = [];
  readonly summaries: OpenAnswer<string>[] = [];
  readonly turnStreams: { readonly subscription: Subscription; readonly operations: Operation[] }[] = [];
  /** Called once, at the next operation, inside the subscriber. */
  reaction: ((operation: Operation) => void) | null = null;
  /** The place in which the next reader joins, once. */
  joinsIn: Place | null = null;
  disposed = false;
  /** Whether a fault of the undo history was ever set. */
  historyBroke = false;
  /** The errors that the `reportError` port received. */
  readonly reported: unknown[] = [];

  constructor(readonly setup: ScheduleSetup) {
    this.provider = new HandFedProvider(({ idempotencyKey }) => {
      this.watch.requestBuilt(idempotencyKey);
      this.reached('a provider');
    });
    this.app = new ScheduledApp((run: BoardRun) => {
      this.watch.runStarted(run);
      this.reached('a tool');
    });
    const { limits, handler, slowContext, history } = setup;
    this.session = createAgentSession({
      provider: this.provider,
      domains: this.app.domains,
      guards: this.guards(),
      limits: { ...limits },
      role: 'You keep a board.',
      ...(handler ? { confirm: (_request, { signal }) => this.wait(this.decisions, signal) } : {}),
      ...(slowContext
        ? { context: [{ id: 'board', policy: 'always', summary: () => this.wait(this.summaries) } as const] }
        : {}),
      history: history ? this.history : null,
      ports: {
        clock: this.clock,
        ids: createSequentialIds(),
        random: () => 0.5,
        scheduler: setup.immediate ? immediate() : this.scheduler,
        validator,
        reportError: (error) => this.reported.push(error),
      },
    });
    this.watch = new ScheduleWatch(this);
    this.session.operations$.subscribe({
      next: (operation) => {
        this.watch.follow(operation);
        this.reached('a delivery');
        const { reaction } = this;
        if (reaction === null) return;
        this.reaction = null;
        reaction(operation);
      },
      complete: () => this.watch.completed(),
    });
    if (setup.watched) this.watchSignals();
  }

  /** Lets a reader join. */
  join(where: string): void {
    this.readers.push(new JoinedReader(this.session, where, () => this.watch.mirror));
  }

  /** Remembers the promise of a command. Its rejection stays unhandled, as in most apps. */
  give(name: string, promise: Promise<unknown>): GivenCommand {
    const command: GivenCommand = { name, outcome: 'pending' };
    this.commands.push(command);
    promise.then(
      (value) => Object.assign(command, { outcome: 'resolved', value }),
      (error: unknown) => Object.assign(command, { outcome: 'rejected', value: error }),
    );
    return command;
  }

  newSignal(): AbortSignal {
    const watched = createWatchedSignal();
    this.signals.push(watched);
    return watched.signal;
  }

  private watchSignals(): void {
    const { sequence, liveTurn, pendingConfirmations, lastOutcome } = this.session;
    effect(() => {
      void [sequence.value, liveTurn.value, pendingConfirmations.value, lastOutcome.value];
      untracked(() => this.reached('an effect'));
    });
  }

  private reached(place: Place): void {
    if (this.joinsIn !== place) return;
    this.joinsIn = null;
    this.join(place);
  }

  private guards(): readonly Guard[] {
    const { confirm, deny, slowGuard } = this.setup;
    return [
      defineGuard('rules', ({ tool }) => {
        this.reached('a guard');
        if (tool === deny) return { deny: 'Not here.' };
        return confirm.includes(tool) ? { confirm: `Run ${tool}?` } : 'allow';
      }),
      ...(slowGuard ? [defineGuard('slow', (_call, { signal }) => this.wait(this.verdicts, signal))] : []),
    ];
  }

  private wait<T>(list: OpenAnswer<T>[], signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const open: OpenAnswer<T> = {
        ...(signal === undefined ? {} : { signal }),
        answered: false,
        resolve: (value) => {
          open.answered = true;
          resolve(value);
        },
        reject: (error) => {
          open.answered = true;
          reject(error);
        },
      };
      list.push(open);
    });
  }
}
