import fc from 'fast-check';
import { isAgentSessionError, type Operation } from '@banister/session';
import { apply, initialState } from '@banister/session/operations';
import { expect, test } from 'vitest';
import { movedOf } from '../../src/operations/moved.js';
import type { TurnFact } from '../../src/operations/operation.js';
import { foldStateOf } from '../../src/state/session-state.js';
import type { Revisions } from '../../src/undo/revisions.js';
import { UndoStack, type UndoableTurn } from '../../src/undo/undo-stack.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

/** Two domains whose revision counts their changes. */
type DomainId = 'board' | 'notes';
const domainIds: readonly DomainId[] = ['board', 'notes'];

/** How an undo or a redo ends. */
type Outcome = 'done' | 'in part' | 'fails';

type Step =
  | {
      readonly kind: 'commit';
      readonly domains: readonly DomainId[];
      readonly redoable: boolean;
      /** Whether the user changed something in them while the turn ran. */
      readonly userMeanwhile: boolean;
    }
  | { readonly kind: 'user edit'; readonly domain: DomainId }
  | { readonly kind: 'rollback'; readonly domain: DomainId }
  | {
      readonly kind: 'undo' | 'redo';
      readonly force: boolean;
      readonly outcome: Outcome;
      /** The user changes something while the step runs. */
      readonly userMeanwhile: DomainId | null;
    };

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('commit' as const),
        domains: fc.subarray([...domainIds], { minLength: 1 }),
        redoable: fc.integer({ min: 0, max: 3 }).map((one) => one > 0),
        userMeanwhile: fc.integer({ min: 0, max: 4 }).map((one) => one === 4),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('user edit' as const),
        domain: fc.constantFrom(...domainIds),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('rollback' as const), domain: fc.constantFrom(...domainIds) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('undo' as const, 'undo' as const, 'redo' as const),
        force: fc.integer({ min: 0, max: 3 }).map((one) => one === 3),
        outcome: fc.constantFrom<Outcome>('done', 'done', 'done', 'done', 'in part', 'fails'),
        userMeanwhile: fc.constantFrom<DomainId | null>(null, null, null, null, 'board', 'notes'),
      }),
    },
  ),
  { maxLength: 30, size: 'max' },
);

/** A turn of the model: whether the user has changed one of its domains since the last step of the session. */
interface ModelTurn {
  readonly id: string;
  readonly domains: readonly DomainId[];
  readonly redoable: boolean;
  readonly changed: Set<DomainId>;
}

/** The stack under test beside its model, on two counters. The operations of each step are folded into the state that it reads. */
class Bench {
  readonly done: ModelTurn[] = [];
  readonly undone: ModelTurn[] = [];
  private readonly revisions: Record<DomainId, number> = { board: 0, notes: 0 };
  private state = initialState();
  private readonly stack = new UndoStack(
    () => foldStateOf(this.state),
    () => ({ ...this.revisions }),
    (turnId) => {
      throw new Error(`${turnId} is no turn of an earlier session`);
    },
  );
  private commits = 0;
  /** False once a turn was undone for good: this model leaves open whether newer ones can be redone without it. */
  private isRedoOpen = true;
  private next: Outcome = 'done';
  private userDuringStep: DomainId | null = null;

  commit({ domains, redoable, userMeanwhile }: Extract<Step, { kind: 'commit' }>): void {
    const id = `turn-${++this.commits}`;
    this.start(id);
    const before = this.read(domains);
    if (userMeanwhile) for (const domain of domains) this.userEdit(domain);
    this.move(domains);
    const item = { toolCallId: id, toolName: 'any', description: id };
    const step = () => {
      const failed = this.next === 'done' ? [] : [{ ...item, reason: 'no' }];
      if (this.next !== 'fails') this.move(domains);
      const report = {
        done: this.next === 'fails' ? [] : [item],
        failed,
        irreversible: [],
        lost: [],
        unknown: [],
      };
      const known = this.read(domains);
      // An edit during a step that waits counts as one of the user.
      if (this.userDuringStep !== null) this.userEdit(this.userDuringStep);
      return Promise.resolve({ report, known });
    };
    this.stack.keep(id, { revert: step, ...(redoable ? { reapply: step } : {}) });
    // Like the revisions of a turn: the one before it is known only where the turn alone changed the domain.
    this.fold(id, {
      type: 'committed',
      effects: [{ ...item, irreversible: false }],
      unknown: [],
      undoable: true,
      redoable,
      domains,
      before: userMeanwhile ? {} : before,
      after: this.read(domains),
    });
    this.end(id);
    this.done.push({ id, domains, redoable, changed: new Set() });
  }

  /** A turn with one effect starts. */
  private start(id: string): void {
    this.undone.length = 0;
    this.isRedoOpen = true;
    const input = { id: `${id}-input`, role: 'user', parts: [] } as const;
    const { budget } = this.state;
    this.fold(id, { type: 'turnStarted', input, limits: {}, provider: { id: 'p', model: 'm' }, budget });
    this.fold(id, { type: 'roundStarted', round: 1, budget, contextPressure: null });
    this.fold(id, { type: 'toolCallPartial', callId: id, tool: 'any', index: 0, delta: '{}' });
    const effect = { callId: id, step: 1, description: id, irreversible: false };
    this.fold(id, { type: 'effectRecorded', ...effect });
  }

  private end(id: string): void {
    const { budget } = this.state;
    this.fold(id, { type: 'completed', usage: null, rounds: 1, budget, text: '', messages: [] });
  }

  private fold(turnId: string, fact: TurnFact): void {
    this.state = apply(this.state, { ...fact, turnId, sequence: 1, at: 1 } as Operation);
  }

  userEdit(domain: DomainId): void {
    this.revisions[domain]++;
    for (const turn of [...this.done, ...this.undone])
      if (turn.domains.includes(domain)) turn.changed.add(domain);
  }

  /** A turn that left nothing behind: it started, changed the domain, and took everything back. */
  rollback(domain: DomainId): void {
    const id = `turn-${++this.commits}`;
    this.start(id);
    const before = this.read(domainIds);
    this.move([domain]);
    this.move([domain]);
    const report = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
    this.fold(id, { type: 'rolledBack', report, moved: movedOf([domain], before, this.read(domainIds)) });
    this.end(id);
  }

  async step({
    kind,
    force,
    outcome,
    userMeanwhile,
  }: Extract<Step, { kind: 'undo' | 'redo' }>): Promise<void> {
    if (kind === 'redo' && !this.isRedoOpen) return;
    const from = kind === 'undo' ? this.done : this.undone;
    const model = from.at(-1);
    const turn = this.stack.next(kind);
    expect(turn?.turnId).toBe(model?.id);
    if (turn === undefined || model === undefined) return;
    if (!force && this.refuses(turn, kind)) {
      expect([...model.changed]).not.toEqual([]);
      return;
    }
    if (!force) expect([...model.changed]).toEqual([]);
    model.changed.clear();
    this.next = outcome;
    this.userDuringStep = userMeanwhile;
    const stepped = await this.stack.prepare(turn, kind)();
    const type = kind === 'undo' ? 'undone' : 'redone';
    this.state = apply(this.state, {
      type,
      target: turn.turnId,
      ...stepped,
      sequence: 1,
      at: 1,
    });
    this.userDuringStep = null;
    if (kind === 'undo') this.afterUndo(model, outcome);
    else this.afterRedo(model, outcome);
  }

  /** A turn that was redone in part stands on both sides. */
  private afterUndo(model: ModelTurn, outcome: Outcome): void {
    if (this.undone.at(-1) === model) this.undone.pop();
    if (outcome !== 'done') return;
    this.done.pop();
    if (model.redoable) this.undone.push(model);
    else this.isRedoOpen = false;
  }

  private afterRedo(model: ModelTurn, outcome: Outcome): void {
    if (outcome === 'done') this.undone.pop();
    if (outcome !== 'fails' && this.done.at(-1) !== model) this.done.push(model);
  }

  private refuses(turn: UndoableTurn, kind: 'undo' | 'redo'): boolean {
    try {
      this.stack.check(turn, kind);
      return false;
    } catch (error) {
      expect(isAgentSessionError(error) && error.code).toBe('conflict');
      return true;
    }
  }

  private move(domains: readonly DomainId[]): void {
    for (const domain of domains) this.revisions[domain]++;
  }

  private read(domains: readonly DomainId[]): Revisions {
    return Object.fromEntries(domains.map((domain) => [domain, this.revisions[domain]]));
  }
}

test(
  'undo and redo conflict exactly if the user changed a domain of the turn afterwards',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const bench = new Bench();
        for (const step of given) {
          if (step.kind === 'commit') bench.commit(step);
          else if (step.kind === 'user edit') bench.userEdit(step.domain);
          else if (step.kind === 'rollback') bench.rollback(step.domain);
          else await bench.step(step);
        }
      }),
      propertyRun('undo stack', 3_000),
    );
  },
);
