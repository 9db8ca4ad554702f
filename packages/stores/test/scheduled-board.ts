import {
  createAgentSession,
  immediate,
  type LocalAgentSession,
  type Operation,
  type RevertContext,
  type SessionOptions,
  type SavedConversation,
  type Tool,
  type ToolContext,
  type UndoReport,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import { toStored } from '@banister/session/operations';
import {
  callTools,
  checkOrder,
  fail,
  say,
  type ScriptedProvider,
  scriptedProvider,
  settle,
  type StoreBoard,
} from '@banister/testing';
import type { Patch, Undoable } from '@banister/stores';
import type { BoardFixture } from './boards.js';
import { carryOut, changeOf, pathOf, type Change } from './board-changes.js';
import { ReferenceBoard, type Group } from './reference-board.js';
import type { ScheduleCall, SchedulePart, ScheduleStep, Seed } from './schedule.js';

type Step<T extends ScheduleStep['type']> = Extract<ScheduleStep, { readonly type: T }>;

/**
 * A board that the user and calls change in turns, beside a reference without patches. The reference makes
 * all changes of the user, and the changes of calls that are reported as in effect, on an empty board.
 */
export class ScheduledBoard {
  /** The problems that were found in reports so far. */
  readonly unreported: string[] = [];
  private readonly changes = new ReferenceBoard();
  private readonly provider: ScriptedProvider;
  private session: LocalAgentSession;
  /** The state that the log begins with; null if the log begins empty. */
  private snapshot: SavedConversation | null = null;
  private operations: Operation[] = [];
  private readonly calls: (ScheduleCall & { readonly cancels: boolean })[] = [];
  /** The paths that changed outside of calls while they waited. */
  private readonly outside: [callId: string, paths: readonly string[]][] = [];
  private position = 0;
  private current: Group | null = null;
  private count = 0;

  constructor(
    private readonly fixture: BoardFixture,
    steps: readonly ScheduleStep[],
  ) {
    let number = 0;
    const answers = steps.flatMap((step) => {
      if (step.type !== 'turn') return [];
      this.calls.push(
        ...step.calls.map((call, index) => ({
          ...call,
          cancels: step.end === 'cancelled' && index === step.calls.length - 1,
        })),
      );
      // Equal calls would be stopped as repeated.
      const calls = callTools(...step.calls.map(() => ({ tool: 'board.act', args: { call: ++number } })));
      if (step.end === 'cancelled') return [calls];
      return [calls, step.end === 'completed' ? say('Done.') : fail('model')];
    });
    this.provider = scriptedProvider(answers);
    this.session = this.open();
    this.edit([
      { kind: 0, card: 0, place: 0 },
      { kind: 0, card: 0, place: 1 },
      { kind: 0, card: 0, place: 1 },
    ]);
  }

  async run(step: ScheduleStep): Promise<void> {
    if (step.type === 'edit') this.edit(step.seeds);
    else if (step.type === 'turn') await this.turn(step);
    else if (step.type === 'reload') await this.reload(step.from);
    else if (step.type === 'decide') await this.decide(step);
    else await this.move(step);
    this.checkUnattributed();
    // The order checker reads whole logs.
    const problems = this.snapshot === null ? checkOrder(this.operations) : [];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.dispose();
    await this.fixture.dispose?.();
  }

  /** The content of the store, regardless of the order of its cards. */
  get board() {
    return contentOf(this.fixture.read());
  }

  get reference() {
    return contentOf(this.changes.replay());
  }

  /** The order of the cards that no undone change has moved. */
  get order(): readonly string[] {
    return this.changes.settledOrder(this.fixture.read());
  }

  get referenceOrder(): readonly string[] {
    return this.changes.settledOrder(this.changes.replay());
  }

  private open(from: Pick<SessionOptions, 'restored' | 'conversation'> = {}): LocalAgentSession {
    const undoable = this.fixture.reopened();
    const session = createAgentSession({
      provider: this.provider,
      domains: [{ id: 'board', tools: [this.tool(undoable)], revision: () => undoable.revision() }],
      ports: { scheduler: immediate() },
      limits: { maxRetries: 0 },
      ...from,
    });
    session.operations$.subscribe((operation) => {
      this.operations.push(operation);
      if (operation.type !== 'effectRecorded' || this.current === null) return;
      const { callId, step, data } = operation;
      const { patches = [] } = (data ?? {}) as { patches?: readonly Patch[] };
      this.changes.recorded(`${callId}/${step}`, this.current, patches);
    });
    return session;
  }

  private get isReviewing(): boolean {
    return this.session.pendingReview.value !== null;
  }

  private edit(seeds: readonly Seed[], call: string | null = null): readonly Change[] {
    const group = this.changes.begin(call);
    const before = this.current;
    this.current = call === null ? before : group;
    for (const seed of seeds) {
      const change = changeOf(seed, this.fixture.read(), `${++this.count}`);
      if (change === null) continue;
      group.changes.push(change);
      this.fixture.update((board) => carryOut(board, change));
    }
    return group.changes;
  }

  private async turn({ end, isReviewed }: Step<'turn'>): Promise<void> {
    if (this.isReviewing) this.check((await this.session.cancel()).undo, 'undo');
    const reviewing = new Promise<'reviewing'>((resolve) => {
      this.session.operations$.subscribe(({ type }) => type === 'reviewOpened' && resolve('reviewing'));
    });
    const turn = this.session.send('Go', isReviewed ? { commit: 'review' } : {}).then(
      () => 'completed',
      (error: { code: string }) => (error.code === 'cancelled' ? 'cancelled' : 'failed'),
    );
    const ended = await Promise.race([turn, reviewing]);
    if (ended === 'reviewing' && isReviewed && end === 'completed') return;
    if (ended !== end) throw new Error(`The turn is ${ended}, not ${end}.`);
    const { report } = this.session.turns.value.at(-1)!.outcome!;
    if (end !== 'completed') this.check(report!, 'undo');
  }

  private async decide({ decision, effects }: Step<'decide'>): Promise<void> {
    const open = this.session.pendingReview.value?.effects.map(({ toolCallId }) => toolCallId);
    if (open === undefined) return;
    const ids = effects === null ? undefined : open.filter((_, index) => effects & (1 << index));
    this.check(await this.session[decision](ids), 'undo');
    for (const id of ids ?? open) {
      const stays = this.session.pendingReview.value?.effects.find((effect) => effect.toolCallId === id);
      // An effect stays open only with a reason.
      if (stays && stays.conflict === undefined) this.unreported.push(`${id} is open after ${decision}`);
    }
  }

  private async move({ type, turn }: Step<'undo' | 'redo'>): Promise<void> {
    const { session } = this;
    if (this.isReviewing) return;
    if (turn === null) {
      const can = type === 'undo' ? session.canUndo.value : session.canRedo.value;
      if (can) this.check(await session[type](), type);
      return;
    }
    const entries = session.undoEntries.value;
    const entry = entries[turn % entries.length];
    if (entry === undefined) return;
    const before = this.fixture.read();
    const report = await session[type]({ turnId: entry.turnId }).catch(
      (error: { code: string }) => error.code,
    );
    if (typeof report !== 'string') return this.check(report, type);
    const isInTheWay = report === 'conflict' && entry.inTheWay !== undefined;
    if (!isInTheWay && report !== 'nothing-to-undo') this.unreported.push(`${type} rejects ${report}`);
    if (JSON.stringify(this.fixture.read()) !== JSON.stringify(before))
      this.unreported.push(`${type} that rejects ${report} changes the store`);
  }

  /** Leaves the page, and opens its session in another page. The store stays. */
  private async reload(from: Step<'reload'>['from']): Promise<void> {
    const { session } = this;
    const asJson = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
    if (from === 'conversation' && !this.isReviewing) {
      const conversation = asJson(session.save());
      await session.dispose();
      this.session = this.open({ conversation });
      this.snapshot = asJson(savedState(this.session.state));
      this.operations = [];
      return;
    }
    const operations = this.operations.slice();
    if (from === 'snapshot') {
      this.snapshot = asJson(savedState(session.state));
      operations.length = 0;
    }
    await session.dispose({ turn: 'leave' });
    this.operations = operations;
    const record = { version: 1, revision: 1, epoch: 1, operations: asJson([...toStored(operations)]) };
    this.session = this.open({
      restored: { snapshot: this.snapshot, records: operations.length === 0 ? [] : [record] },
    });
    while (!this.session.link.value.open) await settle(5);
  }

  /** Makes the tool. Its undo notes the end of each attempt. */
  private tool(undoable: Undoable): Tool {
    const wrapped = undoable.wrap<Tool>({
      name: 'act',
      description: 'Changes the board.',
      parameters: { type: 'object', properties: {} },
      execute: (_args, context) => this.execute(this.calls[this.position++]!, context),
    });
    const undo = wrapped.undo!;
    const noted = (direction: 'revert' | 'reapply') => async (data: unknown, context: RevertContext) => {
      const outcome = await undo[direction]!(data, context);
      const [, step] = /-(\d+)-(?:revert|reapply)-\d+$/.exec(context.idempotencyKey)!;
      const failure = outcome?.outcome === 'failed' ? outcome.message : null;
      this.changes.moved(`${context.callId}/${step}`, direction, failure);
      return outcome;
    };
    return {
      ...wrapped,
      undo: { revert: noted('revert'), reapply: noted('reapply'), keepsEdits: undo.keepsEdits },
    };
  }

  private execute(
    { isAsync, parts, cancels }: ScheduleCall & { cancels: boolean },
    context: ToolContext,
  ): unknown {
    if (cancels) void this.session.cancel();
    if (!isAsync) {
      // One group, because its changes are recorded when the tool returns.
      this.edit(
        parts.flatMap(({ by, seeds }) => (by === 'agent' ? seeds : [])),
        context.callId,
      );
      return undefined;
    }
    return this.executeParts(parts, context);
  }

  private async executeParts(
    [first, ...parts]: readonly SchedulePart[],
    context: ToolContext,
  ): Promise<void> {
    this.edit(first!.by === 'agent' ? first!.seeds : [], context.callId);
    const changed: string[] = [];
    for (const { by, seeds } of parts) {
      await Promise.resolve();
      if (by === 'agent') context.change(() => this.edit(seeds, context.callId));
      else
        changed.push(
          ...this.edit(seeds)
            .filter(({ type }) => type !== 'move')
            .map(pathOf),
        );
    }
    await Promise.resolve();
    const there = new Set(this.fixture.read().cards.map(({ id }) => id));
    // A card that was added and removed meanwhile is not a change. If two cards swapped, either may be the
    // moved card.
    const isThere = (path: string) => path === 'filter' || there.has(path.split('/')[1]!);
    this.outside.push([context.callId, changed.filter(isThere)]);
  }

  /** Checks that changes outside of `context.change` are in the records of the calls that waited. */
  private checkUnattributed(): void {
    const { turns, state } = this.session;
    const records = state.liveTurn === null ? turns.value : [...turns.value, state.liveTurn];
    const parts = records.flatMap(({ rounds }) => rounds).flatMap((round) => round.parts);
    for (const [callId, changed] of this.outside.splice(0)) {
      const part = parts.find((one) => one.type === 'tool-call' && one.id === callId);
      const reported = part?.type === 'tool-call' ? (part.unattributed ?? []) : [];
      for (const path of changed)
        if (!reported.some((one) => one === path || path.startsWith(`${one}/`))) this.unreported.push(path);
    }
  }

  private check(report: UndoReport, direction: 'undo' | 'redo'): void {
    this.unreported.push(...this.changes.problemsOf(report, direction));
  }
}

function contentOf({ cards, filter }: StoreBoard) {
  return { filter, cards: Object.fromEntries(cards.map((card) => [card.id, card])) };
}
