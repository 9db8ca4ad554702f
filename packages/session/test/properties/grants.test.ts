// A call without a grant always asks, whatever the user, the app, another tab and the store do meanwhile.
import fc from 'fast-check';
import { defined } from '@banister/provider/internal/json/defined';
import { callTools, createVirtualClock, gatedTool, memoryLog, say, settle, spyTool } from '@banister/testing';
import {
  confirmTools,
  denyTools,
  type ApproveOptions,
  type Confirmation,
  type Grant,
  type GrantStore,
  type JsonObject,
  type LocalAgentSession,
  type Operation,
} from '@banister/session';
import { beforeAll, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { createSession, linked, type OpenedSession } from '../opened.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() => import('../../src/session/log-chunk.js'));

const toolNames = ['plain', 'grave'] as const;
type ToolName = (typeof toolNames)[number];

interface Call {
  readonly tool: ToolName;
  readonly id: string;
}

/** The user's approval, as the model of the test remembers it. */
interface Remembered extends Call {
  readonly any: boolean;
  readonly version: number;
  readonly until: 'turn' | 'session' | 'always';
  readonly turn: number;
  /** The id of the session. */
  readonly session: string;
}

/** A tab of the user: its session, and the turn that runs in it. */
interface Tab {
  readonly id: string;
  readonly opened: OpenedSession;
  readonly approved: Set<string>;
  turn: number;
}

const call = fc.record({ tool: fc.constantFrom(...toolNames), id: fc.constantFrom('a', 'b') });
const answer = fc.record({
  approve: fc.constantFrom(true, true, true, false),
  remember: fc.constantFrom(undefined, 'turn', 'session', 'always'),
  scope: fc.constantFrom(undefined, 'tool', 'arguments'),
  edit: fc.constantFrom(undefined, undefined, undefined, 'a', 'b'),
});
const here = fc.oneof(
  fc.record({ act: fc.constant('revoke' as const), which: fc.nat(9) }),
  fc.record({ act: fc.constant('revoke elsewhere' as const), which: fc.nat(9) }),
  fc.record({
    act: fc.constantFrom('store fails' as const, 'store answers' as const, 'plan' as const, 'work' as const),
    which: fc.constant(0),
  }),
  fc.record({ act: fc.constant('nothing' as const), which: fc.constant(0) }),
);
const inOtherTabs = fc.oneof(
  fc.record({
    act: fc.constantFrom('revoke in another tab' as const, 'revoke in a follower' as const),
    which: fc.nat(9),
  }),
  fc.record({
    act: fc.constantFrom(
      'plan in a follower' as const,
      'work in a follower' as const,
      'plan in another tab' as const,
    ),
    which: fc.constant(0),
  }),
  fc.record({
    act: fc.constant('turn in another tab' as const),
    which: fc.constant(0),
    call,
    answer: fc.option(answer),
  }),
);
const meddling = fc.oneof({ weight: 14, arbitrary: here }, { weight: 1, arbitrary: inOtherTabs });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('turn' as const),
      batches: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
      answers: fc.array(answer, { minLength: 6, maxLength: 6 }),
      /** Happens while a call at the front of the first batch runs, when the others are decided. */
      meanwhile: fc.array(meddling, { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('between' as const), meddling }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('other definition' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('reload' as const, 'import' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Meddling = typeof meddling extends fc.Arbitrary<infer M> ? M : never;
type Answer = Pick<typeof answer extends fc.Arbitrary<infer A> ? A : never, 'approve'> &
  Partial<typeof answer extends fc.Arbitrary<infer A> ? A : never>;

/**
 * The sessions of a user, one after the other, and the store of grants that they share. Another tab has a session of its own over this store, and a
 * follower has the log of the current one.
 */
class World {
  readonly problems: string[] = [];
  private readonly clock = createVirtualClock(1_000);
  private readonly log = memoryLog({ clock: this.clock });
  private readonly kept = new Map<string, Grant>();
  private readonly listeners = new Set<() => void>();
  /** The approvals that the user asked to be remembered, by the id of the grant, until the grant is revoked. */
  private readonly remembered = new Map<string, Remembered>();
  private readonly gate = gatedTool('gate', { capabilities: ['readOnly'] });
  private storeFails = false;
  private version = 0;
  private turnNumber = 0;
  private sessionNumber = 0;
  private current!: Tab;
  private other: Tab | null = null;
  private follower: LocalAgentSession | null = null;

  private readonly store: GrantStore = {
    load: () => this.answering(() => [...this.kept.values()]),
    put: (grant) => this.changing(() => void this.kept.set(grant.id, grant)),
    remove: (id) => this.changing(() => void this.kept.delete(id)),
    subscribe: (changed) => {
      this.listeners.add(changed);
      return () => void this.listeners.delete(changed);
    },
  };

  constructor() {
    this.current = this.tab(`chat-${this.sessionNumber}`);
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'turn') await this.turn(step);
    else if (step.kind === 'between') await this.meddle(step.meddling);
    else if (step.kind === 'other definition') this.version++;
    else {
      await this.leave();
      if (step.kind === 'import') await this.import();
      this.current = this.tab(`chat-${this.sessionNumber}`);
    }
    for (const tab of [this.current, this.other]) tab?.opened.session.configure({ domains: [this.domain()] });
    await settle();
  }

  async end(): Promise<void> {
    await this.leave();
    await this.other?.opened.session.dispose();
  }

  private get session(): LocalAgentSession {
    return this.current.opened.session;
  }

  /** Disposes the follower before the session that it follows: it never takes the log over. */
  private async leave(): Promise<void> {
    await this.follower?.dispose();
    this.follower = null;
    await this.session.dispose();
  }

  private async answering<T>(answer: () => T): Promise<T> {
    if (this.storeFails) throw new Error('The disk is gone.');
    return answer();
  }

  private async changing(change: () => void): Promise<void> {
    await this.answering(change);
    for (const changed of this.listeners) changed();
  }

  private tab(id: string): Tab {
    const opened = createSession([], this.options(id), this.clock);
    const tab: Tab = { id, opened, approved: new Set(), turn: 0 };
    opened.session.operations$.subscribe((operation) => this.watch(tab, operation));
    return tab;
  }

  private options(id: string) {
    return {
      id,
      log: this.log,
      domains: [this.domain()],
      guards: [confirmTools('board.plain', 'board.grave')],
      modes: [
        { id: 'work', title: 'Work', guards: [] },
        { id: 'plan', title: 'Plan only', guards: [denyTools('board.plain', 'board.grave')] },
      ],
      grants: this.store,
    };
  }

  /** Copies the log: the next session has another id. */
  private async import(): Promise<void> {
    const { snapshot, records } = await this.log.load(`chat-${this.sessionNumber++}`);
    const lease = (await this.log.claim(`chat-${this.sessionNumber}`, 'import', 1_000))!;
    for (const [index, record] of records.entries())
      await this.log.append(lease, { ...record, revision: index + 1, epoch: lease.epoch }, { barrier: true });
    if (snapshot !== null) await this.log.snapshot(lease, records.length, snapshot);
    await this.log.release(lease);
  }

  private domain() {
    const tool = (name: ToolName) =>
      spyTool(name, {
        description: `${name}, version ${this.version}`,
        capabilities: name === 'grave' ? ['destructive'] : ['mutating'],
      });
    return { id: 'board', tools: [this.gate, ...toolNames.map(tool)] };
  }

  private async turn({ batches, answers, meanwhile }: Extract<Step, { kind: 'turn' }>): Promise<void> {
    const tab = this.current;
    tab.turn = ++this.turnNumber;
    const calls: { tool: string; args: { id: string } }[][] = batches.map((batch) =>
      batch.map(({ tool, id }) => ({ tool: `board.${tool}`, args: { id } })),
    );
    calls[0] = [{ tool: 'board.gate', args: { id: '' } }, ...calls[0]!];
    tab.opened.provider.push(...calls.map((batch) => callTools(...batch)), say('Done.'));
    const ended = this.session.send('Go');
    await settle();
    const left = [...answers];
    let waits = 0;
    while (this.session.isRunning.value) {
      const question = this.session.pendingConfirmation.value;
      const gate = this.gate.runs.find((run) => !run.settled);
      if (question !== null) await this.answer(tab, question, left.shift() ?? { approve: false });
      else if (gate !== undefined) {
        for (const one of meanwhile) await this.meddle(one);
        gate.settle();
      } else if (++waits > 50) throw new Error('The turn hangs.');
      await settle();
    }
    await ended;
  }

  private async answer(
    tab: Tab,
    question: Confirmation,
    { approve, remember, scope, edit }: Answer,
  ): Promise<void> {
    if (!approve) return void (await question.deny());
    const { tool, arguments: args } = question.call;
    await question.approve(
      defined({
        remember,
        scope,
        arguments: edit === undefined ? undefined : { id: edit },
      }) as ApproveOptions,
    );
    const resolved = tab.opened.operations.findLast((one) => one.type === 'confirmationResolved');
    if (remember === undefined || resolved?.grant === undefined) return;
    const name = tool.slice('board.'.length) as ToolName;
    this.remembered.set(resolved.grant.id, {
      tool: name,
      id: edit ?? String(args['id']),
      any: scope === 'tool' && name !== 'grave',
      version: this.version,
      until: remember,
      turn: tab.turn,
      session: tab.id,
    });
  }

  private async meddle(meddling: Meddling): Promise<void> {
    const { act, which } = meddling;
    if (act === 'store fails' || act === 'store answers') this.storeFails = act === 'store fails';
    else if (act === 'plan' || act === 'work') await this.session.setMode(act);
    else if (act === 'revoke') await this.revoke(this.session, which);
    else if (act === 'revoke elsewhere') {
      const id = [...this.kept.keys()][which % Math.max(1, this.kept.size)];
      if (id === undefined) return;
      this.kept.delete(id);
      this.remembered.delete(id);
    } else if (act.endsWith('follower')) await this.follow(act, which);
    else await this.elsewhere(meddling);
    await settle();
  }

  /** The user does something in a tab that follows the log: its commands travel to the current one. */
  private async follow(act: Meddling['act'], which: number): Promise<void> {
    if (this.follower === null) {
      this.follower = createSession([], this.options(this.current.id), this.clock).session;
      await linked(this.follower, { open: true });
    }
    if (act === 'revoke in a follower') await this.revoke(this.follower, which);
    else await this.follower.setMode(act === 'plan in a follower' ? 'plan' : 'work');
  }

  /** The user does something in a tab that has another chat. */
  private async elsewhere(meddling: Meddling): Promise<void> {
    const tab = (this.other ??= this.tab('another'));
    const { session, provider } = tab.opened;
    await settle();
    if (meddling.act === 'revoke in another tab') return this.revoke(session, meddling.which);
    if (meddling.act !== 'turn in another tab') return session.setMode('plan');
    await session.setMode('work');
    tab.turn = ++this.turnNumber;
    const { tool, id } = meddling.call;
    provider.push(callTools({ tool: `board.${tool}`, args: { id } }), say('Done.'));
    const ended = session.send('Go');
    await settle();
    const question = session.pendingConfirmation.value;
    if (question !== null)
      await this.answer(tab, question, meddling.answer ?? { approve: true, remember: 'always' });
    await ended;
  }

  private async revoke({ grants, revoke }: LocalAgentSession, which: number): Promise<void> {
    const { value: all } = grants;
    const grant = all[which % Math.max(1, all.length)];
    if (grant === undefined) return;
    const isGone = await revoke(grant.id).then(
      () => true,
      () => false,
    );
    if (isGone) this.remembered.delete(grant.id);
  }

  private watch(tab: Tab, operation: Operation): void {
    const { approved } = tab;
    const { session } = tab.opened;
    if (operation.type === 'confirmationResolved' && /approved|edited/.test(operation.decision))
      approved.add(operation.callId);
    if (operation.type === 'confirmationRequested') {
      const { tool, arguments: args } = operation.request.call;
      if (this.covering(tab, tool, args) !== undefined)
        this.problems.push(`${tool} is asked about, and a grant covers it`);
    }
    if (operation.type !== 'toolStarted' || operation.tool === 'board.gate') return;
    const { tool, arguments: args, callId } = operation;
    if (session.mode.value === 'plan') this.problems.push(`${tool} starts in a mode that denies it`);
    if (!approved.has(callId) && this.covering(tab, tool, args) === undefined)
      this.problems.push(`${tool} ${JSON.stringify(args)} starts unasked`);
  }

  /** Returns the approval that covers a call of a tab now. */
  private covering(tab: Tab, tool: string, { id }: JsonObject): Remembered | undefined {
    const found = [...this.remembered].find(
      ([grant, one]) =>
        `board.${one.tool}` === tool &&
        (one.any || one.id === id) &&
        one.version === this.version &&
        (one.until === 'turn'
          ? one.turn === tab.turn
          : one.until === 'session'
            ? one.session === tab.id
            : !this.storeFails && this.kept.has(grant)),
    );
    return found?.[1];
  }
}

test(
  'no call runs without a question unless an approval of the user covers it',
  { timeout: 3_600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const world = new World();
        await settle();
        for (const one of steps) await world.run(one);
        await world.end();
        expect(world.problems).toEqual([]);
      }),
      propertyRun('grants', 10_000),
    );
  },
);
