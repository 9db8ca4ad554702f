// Properties of branches, for any sequence of commands: the state of the app, the records and the head.
import type { ProviderRequest } from '@banister/provider';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  createMirror,
  isAgentSessionError,
  type AgentSessionError,
  type LocalAgentSession,
  type Operation,
} from '@banister/session';
import { callTools, say, settle, validateHistory, validateRequest } from '@banister/testing';
import { beforeAll, expect, inject, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { apis, bodyOf } from '../../../../test/request-bodies.js';
import { fixture, rejection, type Fixture } from '../fixture.js';
import { BranchedApp, recordedInPlace } from './branched-app.js';

const steps = fc.noBias(
  fc.array(
    fc.record({
      choice: fc.nat(119),
      detail: fc.nat(999),
      /** Mostly all microtasks; a small number lets two things happen nearly at once. */
      ticks: fc.constantFrom(200, 200, 200, 0, 1, 3, 7, 15, 40),
      /** Whether timers run before the next step: a turn of the queue starts after one. */
      time: fc.boolean(),
    }),
    { minLength: 4, maxLength: 40, size: 'max' },
  ),
);
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** The answers of the model: calls while the user spoke last, then a text; now and then a failure. */
function answering(roll: () => number) {
  return ({ messages }: ProviderRequest) => {
    const hasResults = messages.at(-1)?.parts.some(({ type }) => type === 'tool-result');
    if (hasResults || roll() % 5 === 0) return say('Done.');
    const tools = ['board.add', 'board.paint', 'board.add', 'board.keep', 'board.paint', 'board.add'];
    const calls = Array.from({ length: 1 + (roll() % 2) }, () => {
      const number = roll();
      return { tool: number % 11 === 0 ? 'board.mail' : tools[number % tools.length]!, args: {} };
    });
    return callTools(...calls);
  };
}

/** One schedule: a session, an app, and the promises of its commands. */
class Branched {
  readonly f: Fixture;
  readonly app: BranchedApp;
  readonly problems: string[] = [];
  private readonly waits: (() => void)[] = [];
  private readonly log: Operation[] = [];
  private rolled = 0;
  private open = 0;
  /** How often commands rejected with each code, and with effects that were not put back. */
  readonly rejections: string[] = [];
  /** Edits of the user, and late ends of tools: what a command left in the app cannot be compared with the app before it. */
  private changes = 0;
  private commands = 0;
  /** Effects that changed during a rejected command, from this operation on, and that its error does not name. */
  private readonly unnamed: { readonly code: string; readonly id: string; readonly from: number }[] = [];

  constructor(private readonly numbers: readonly number[]) {
    const roll = () => this.numbers[this.rolled++ % this.numbers.length]! + this.rolled;
    this.app = new BranchedApp(roll, () => new Promise((resolve) => this.waits.push(resolve)));
    this.f = fixture([], {
      domains: [this.app.domain],
      scripted: { otherwise: answering(roll) },
      leavesTimers: true,
    });
    this.follow();
  }

  get session(): LocalAgentSession {
    return this.f.session;
  }

  private follow(): void {
    const mirror = createMirror(this.session.state);
    this.session.operations$.subscribe((operation) => {
      this.log.push(operation);
      if (operation.type === 'lateToolSettled') this.changes++;
      mirror.fold([JSON.parse(JSON.stringify(operation)) as Operation]);
      const { state } = this.session;
      if (state.sequence !== operation.sequence) return;
      const { isRunning, phase } = mirror.state;
      // While the code of a command is loaded, the session is shown as running.
      if (!isDeepStrictEqual({ ...state, isRunning, phase }, mirror.state))
        this.problems.push(`the mirror differs at ${operation.type}`);
    });
  }

  run({ choice, detail }: Step): void {
    const { session } = this;
    const force = detail % 4 === 0;
    const turns = session.save().turns.map(({ record }) => record.id);
    const turnId = turns[detail % Math.max(turns.length, 1)] ?? 'turn_0';
    const effects = detail % 7 === 0 ? ('keep' as const) : ('undo' as const);
    if (choice < 22) void this.command(() => session.send(`Do ${detail}`), 'turn');
    else if (choice < 32) void this.command(() => session.regenerate({ turnId, effects, force }), 'turn');
    else if (choice < 36) void this.command(() => session.regenerate({ effects, force }), 'turn');
    else if (choice < 44)
      void this.command(() => session.edit(turnId, `Do ${detail}`, { effects, force }), 'turn');
    else if (choice < 48) void this.command(() => session.retry(), 'turn');
    else if (choice < 54) void this.command(() => session.switchTo(turnId), 'head');
    else if (choice < 66)
      void this.command(() => session.switchTo(turnId, { effects: 'follow', force }), 'head');
    else if (choice < 69) void this.command(() => session.undo({ force }), null);
    else if (choice < 72) void this.command(() => session.undo({ force, turnId }), null);
    else if (choice < 74) void this.command(() => session.redo({ force }), null);
    else if (choice < 76) void this.command(() => session.redo({ force, turnId }), null);
    else if (choice < 81) void session.cancel({ immediate: detail % 2 === 0 }).catch(() => {});
    else if (choice < 86) {
      this.changes++;
      this.app.edit(detail);
    } else if (choice < 100) this.waits.shift()?.();
    else this.runQueue(choice, detail);
  }

  private runQueue(choice: number, detail: number): void {
    const { session } = this;
    const { queue } = session.state;
    const ids = queue.map(({ id }) => id);
    const id = ids[detail % Math.max(ids.length, 1)] ?? 'queued_0';
    const input = `Then ${detail}`;
    if (choice < 106) void this.queueCommand(() => session.enqueue(input));
    else if (choice < 111) void this.queueCommand(() => session.steer(input));
    else if (choice < 114) void this.queueCommand(() => session.resumeQueue());
    else if (choice < 117) void this.queueCommand(() => session.dequeue(id));
    else void this.queueCommand(() => session.requeue(id, { input, before: ids[detail % 3] ?? null }));
  }

  /** A command of the queue changes no effect: a command that is rejected meanwhile left the app as it was before it. */
  private async queueCommand(run: () => Promise<unknown>): Promise<void> {
    this.open++;
    try {
      await run();
    } catch (error) {
      if (!isAgentSessionError(error)) this.problems.push(`a command of the queue rejects ${String(error)}`);
    } finally {
      this.open--;
    }
  }

  /** Lets the turn of the next message of the queue start, where it may. */
  async nextInQueue(): Promise<void> {
    await this.f.clock.advance(0);
  }

  /** Follows a command: one that rejects before its turn starts has not moved the head, and names what it left. */
  private async command(run: () => Promise<unknown>, moves: 'turn' | 'head' | null): Promise<void> {
    const from = this.log.length;
    const before = this.app.inPlace();
    const { changes } = this;
    const number = ++this.commands;
    this.open++;
    try {
      await run();
    } catch (error) {
      if (!isAgentSessionError(error)) this.problems.push(`a command rejects ${String(error)}`);
      else if (moves !== null && error.code !== 'already-running' && this.commands === number)
        this.rejected(error, from, changes === this.changes ? before : null);
    } finally {
      this.open--;
    }
  }

  private rejected(error: AgentSessionError, from: number, before: readonly string[] | null): void {
    const own = this.log.slice(from);
    if (own.some(({ type }) => type === 'turnStarted')) return;
    if (own.some(({ type }) => type === 'headMoved')) this.problems.push(`${error.code} has moved the head`);
    if (before === null) return;
    const after = this.app.inPlace();
    const differing = [
      ...before.filter((id) => !after.includes(id)),
      ...after.filter((id) => !before.includes(id)),
    ];
    const { failed = [], notRestored = [] } = error.details as {
      readonly [list: string]: readonly { readonly toolCallId: string }[];
    };
    this.rejections.push(`rejected ${error.code}`, ...(notRestored.length > 0 ? ['not restored'] : []));
    const named = [...failed, ...notRestored].map(({ toolCallId }) => toolCallId);
    if (new Set(named).size !== named.length) this.problems.push(`${error.code} names an effect twice`);
    for (const id of differing) if (!named.includes(id)) this.unnamed.push({ code: error.code, id, from });
  }

  /** A tool that ended late is taken back before its operation: its effect is not one of the command. */
  private checkUnnamed(): void {
    for (const { code, id, from } of this.unnamed) {
      const isLate = this.log
        .slice(from)
        .some((operation) => operation.type === 'lateToolSettled' && operation.callId === id);
      if (!isLate) this.problems.push(`${code} does not name ${id}, which is not as it was`);
    }
  }

  /** A message that steers without a turn waits in the queue, and its promise does not. */
  private get isAtRest(): boolean {
    const { isRunning, queue } = this.session.state;
    return this.open === 0 && this.waits.length === 0 && !isRunning && queue.length === 0;
  }

  /** Lets everything end, and compares the app with the records. */
  async rest(): Promise<void> {
    // A call that was cut in the last step may end still.
    await settle(60);
    for (let i = 0; i < 200 && !this.isAtRest; i++) {
      for (const resume of this.waits.splice(0)) resume();
      void this.session.resumeQueue();
      await this.nextInQueue();
      await settle(60);
    }
    if (this.open > 0) this.problems.push(`${this.open} commands never end`);
    this.checkUnnamed();
    const { state } = this.session;
    if (state.isRunning || state.phase !== 'idle') this.problems.push(`at rest it is ${state.phase}`);
    if (state.queue.length > 0) this.problems.push('messages stay in the queue');
    const recorded = recordedInPlace(this.session.save());
    const cards = recorded.filter((id) => !this.app.isPaint(id)).sort();
    if (!isDeepStrictEqual(cards, this.app.inPlace()))
      this.problems.push(`the app has ${this.app.inPlace().join()}, the records have ${cards.join()}`);
    this.problems.push(...this.app.wrongColours(recorded));
    this.problems.push(...validateHistory(state.conversation.messages));
  }

  /** The request that the next turn of this path would send, for each API. */
  async checkRequests(): Promise<void> {
    const next = { id: 'next', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] } as const;
    const messages = [...this.session.state.conversation.messages, next];
    const request: ProviderRequest = { system: '', messages, tools: [], idempotencyKey: 'key' };
    for (const api of apis) this.problems.push(...validateRequest(api, await bodyOf(api, request)));
  }
}

// Loads the code of these commands: no schedule waits for it then.
beforeAll(async () => {
  await using f = fixture([]);
  await rejection(f.session.regenerate());
});

test(
  'after any sequence of commands the app matches the records, and a rejected command did not move the head',
  { timeout: 1_800_000 },
  async () => {
    const counts = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.noBias(fc.array(fc.nat(999), { minLength: 20, maxLength: 60 })),
        async (schedule, numbers) => {
          const branched = new Branched(numbers);
          for (const step of schedule) {
            branched.run(step);
            await settle(step.ticks);
            if (step.time) await branched.nextInQueue();
          }
          await branched.rest();
          await branched.checkRequests();
          const types = branched.f.observed.operations.map(({ type }) => type);
          for (const event of [...types, ...branched.rejections])
            counts.set(event, (counts.get(event) ?? 0) + 1);
          expect(branched.problems).toEqual([]);
          await branched.f[Symbol.asyncDispose]();
        },
      ),
      propertyRun('branches', inject('tier') === 'full' ? 3_000 : 400),
    );
    // Schedules in which nothing happens would pass as well.
    const events = ['headMoved', 'undone', 'redone', 'rolledBack', 'lateToolSettled', 'steered', 'dequeued'];
    if (process.env.PROPERTY_COUNTS !== undefined) console.log(Object.fromEntries(counts));
    const ends = ['rejected conflict', 'rejected undo-failed', 'rejected cancelled', 'not restored'];
    // The few schedules of the quick tier need not meet the rare ends.
    const met = inject('tier') === 'full' ? [...events, ...ends] : ['headMoved', 'undone'];
    for (const event of met) expect(counts.get(event) ?? 0, event).toBeGreaterThan(0);
  },
);
