// Section 15 of the contract: no call runs unasked that no grant covers, whatever the user, the app, another tab and the store do meanwhile.
import fc from 'fast-check';
import { callTools, createVirtualClock, gatedTool, memoryLog, say, settle, spyTool } from '@handrail/testing';
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
} from '@handrail/session';
import { beforeAll, expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { defined } from '../../src/json/defined.js';
import { createSession, type OpenedSession } from '../opened.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([import('../../src/session/log-chunk.js'), import('../../src/session/consent-chunk.js')]),
);

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
  readonly session: number;
}

const call = fc.record({ tool: fc.constantFrom(...toolNames), id: fc.constantFrom('a', 'b') });
const answer = fc.record({
  approve: fc.constantFrom(true, true, true, false),
  remember: fc.constantFrom(undefined, 'turn', 'session', 'always'),
  scope: fc.constantFrom(undefined, 'tool', 'arguments'),
  edit: fc.constantFrom(undefined, undefined, undefined, 'a', 'b'),
});
const meddling = fc.oneof(
  fc.record({ act: fc.constant('revoke' as const), which: fc.nat(9) }),
  fc.record({ act: fc.constant('revoke elsewhere' as const), which: fc.nat(9) }),
  fc.record({
    act: fc.constantFrom('store fails' as const, 'store answers' as const, 'plan' as const, 'work' as const),
    which: fc.constant(0),
  }),
  fc.record({ act: fc.constant('nothing' as const), which: fc.constant(0) }),
);
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

/** The sessions of a user, one after the other, and the store of grants that they share. */
class World {
  readonly problems: string[] = [];
  private readonly clock = createVirtualClock(1_000);
  private readonly log = memoryLog({ clock: this.clock });
  private readonly kept = new Map<string, Grant>();
  /** What the user asked to be remembered, by the id of its grant, as long as it was not revoked. */
  private readonly remembered = new Map<string, Remembered>();
  private readonly approved = new Set<string>();
  private readonly gate = gatedTool('gate', { capabilities: ['readOnly'] });
  private storeFails = false;
  private version = 0;
  private turnNumber = 0;
  private sessionNumber = 0;
  private current!: OpenedSession;

  private readonly store: GrantStore = {
    load: () => this.answering(() => [...this.kept.values()]),
    put: (grant) => this.answering(() => void this.kept.set(grant.id, grant)),
    remove: (id) => this.answering(() => void this.kept.delete(id)),
  };

  constructor() {
    this.open();
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'turn') await this.turn(step);
    else if (step.kind === 'between') await this.meddle(step.meddling);
    else if (step.kind === 'other definition') this.version++;
    else {
      await this.end();
      if (step.kind === 'import') await this.import();
      this.open();
    }
    this.session.configure({ domains: [this.domain()] });
    await settle();
  }

  async end(): Promise<void> {
    await this.session.dispose();
  }

  private get session(): LocalAgentSession {
    return this.current.session;
  }

  private async answering<T>(answer: () => T): Promise<T> {
    if (this.storeFails) throw new Error('The disk is gone.');
    return answer();
  }

  private open(): void {
    const options = {
      id: `chat-${this.sessionNumber}`,
      log: this.log,
      domains: [this.domain()],
      guards: [confirmTools('board.plain', 'board.grave')],
      modes: [
        { id: 'work', title: 'Work', guards: [] },
        { id: 'plan', title: 'Plan only', guards: [denyTools('board.plain', 'board.grave')] },
      ],
      grants: this.store,
    };
    this.current = createSession([], options, this.clock);
    this.session.operations$.subscribe((operation) => this.watch(operation));
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
    this.turnNumber++;
    const calls: { tool: string; args: { id: string } }[][] = batches.map((batch) =>
      batch.map(({ tool, id }) => ({ tool: `board.${tool}`, args: { id } })),
    );
    calls[0] = [{ tool: 'board.gate', args: { id: '' } }, ...calls[0]!];
    this.current.provider.push(...calls.map((batch) => callTools(...batch)), say('Done.'));
    const ended = this.session.send('Go');
    await settle();
    const left = [...answers];
    let waits = 0;
    while (this.session.isRunning.value) {
      const question = this.session.pendingConfirmation.value;
      const gate = this.gate.runs.find((run) => !run.settled);
      if (question !== null) await this.answer(question, left.shift() ?? { approve: false });
      else if (gate !== undefined) {
        for (const one of meanwhile) await this.meddle(one);
        gate.settle();
      } else if (++waits > 50) throw new Error('The turn hangs.');
      await settle();
    }
    await ended;
  }

  private async answer(question: Confirmation, { approve, remember, scope, edit }: Answer): Promise<void> {
    if (!approve) return void (await question.deny());
    const { tool, arguments: args } = question.call;
    await question.approve(
      defined({
        remember,
        scope,
        arguments: edit === undefined ? undefined : { id: edit },
      }) as ApproveOptions,
    );
    const resolved = this.current.operations.findLast((one) => one.type === 'confirmationResolved');
    if (remember === undefined || resolved?.grant === undefined) return;
    const name = tool.slice('board.'.length) as ToolName;
    this.remembered.set(resolved.grant.id, {
      tool: name,
      id: edit ?? String(args['id']),
      any: scope === 'tool' && name !== 'grave',
      version: this.version,
      until: remember,
      turn: this.turnNumber,
      session: this.sessionNumber,
    });
  }

  private async meddle({ act, which }: Meddling): Promise<void> {
    if (act === 'store fails' || act === 'store answers') this.storeFails = act === 'store fails';
    else if (act === 'plan' || act === 'work') await this.session.setMode(act);
    else if (act === 'revoke') {
      const { value: grants } = this.session.grants;
      const grant = grants[which % Math.max(1, grants.length)];
      const isGone =
        grant &&
        (await this.session.revoke(grant.id).then(
          () => true,
          () => false,
        ));
      if (isGone) this.remembered.delete(grant.id);
    } else if (act === 'revoke elsewhere') {
      const id = [...this.kept.keys()][which % Math.max(1, this.kept.size)];
      if (id === undefined) return;
      this.kept.delete(id);
      this.remembered.delete(id);
    }
    await settle();
  }

  private watch(operation: Operation): void {
    if (operation.type === 'confirmationResolved' && /approved|edited/.test(operation.decision))
      this.approved.add(operation.callId);
    if (operation.type === 'confirmationRequested') {
      const { tool, arguments: args } = operation.request.call;
      if (this.covering(tool, args) !== undefined)
        this.problems.push(`${tool} is asked about, and a grant covers it`);
    }
    if (operation.type !== 'toolStarted' || operation.tool === 'board.gate') return;
    const { tool, arguments: args, callId } = operation;
    if (this.session.mode.value === 'plan') this.problems.push(`${tool} starts in a mode that denies it`);
    if (!this.approved.has(callId) && this.covering(tool, args) === undefined)
      this.problems.push(`${tool} ${JSON.stringify(args)} starts unasked`);
  }

  /** Returns the approval that covers a call now. */
  private covering(tool: string, { id }: JsonObject): Remembered | undefined {
    const found = [...this.remembered].find(
      ([grant, one]) =>
        `board.${one.tool}` === tool &&
        (one.any || one.id === id) &&
        one.version === this.version &&
        (one.until === 'turn'
          ? one.turn === this.turnNumber
          : one.until === 'session'
            ? one.session === this.sessionNumber
            : !this.storeFails && this.kept.has(grant)),
    );
    return found?.[1];
  }
}

test('no call runs unasked that no approval of the user covers', { timeout: 600_000 }, async () => {
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
});
