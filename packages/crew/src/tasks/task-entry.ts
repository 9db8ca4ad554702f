import {
  allCallsOf,
  isAgentSessionError,
  type AgentSession,
  type CancelOptions,
  type CancelReport,
  type Operation,
  type TurnRecord,
  type TurnStatus,
  type UndoReport,
} from '@banister/session';
import { effect, signal } from '@banister/session/signals';
import { whatHappened } from '../what-happened.js';
import type { KeptTask, TaskEnd } from './kept-task.js';
import type { Task, TaskInfo, TaskQuestion, TaskStatus } from './task.js';

/** The id of the message with which a task begins. It counts once in the log of the task, so each page may send it. */
const MESSAGE = 'task';

/** A task in this page: what the log keeps of it, and its session if it is open here. */
export class TaskEntry {
  readonly kept;
  readonly session = signal<AgentSession | null>(null);
  /** Whether the session of the user has the message about the end of the task. */
  readonly queued = signal(false);
  /** Why the turn of the task could not begin in this page; null if it could. */
  readonly problem = signal<unknown>(null);
  /** Settles when the turn of the task has ended; null until the page begins it. */
  private turn: Promise<TaskEnd | null> | null = null;
  private readonly begun = signal(false);
  private stop = () => {};

  /**
   * @param make makes the session of the task
   * @param touch is called with the tools whose effects the task makes or takes back
   */
  constructor(
    kept: KeptTask,
    private readonly make: (task: TaskInfo) => AgentSession,
    private readonly touch: (tools: readonly string[]) => void,
  ) {
    this.kept = signal(kept);
  }

  get info(): TaskInfo {
    return this.kept.peek().info;
  }

  /** The task as a view shows it. Reads signals. */
  get shown(): Task {
    const { info, end, delivered = this.queued.value } = this.kept.value;
    return {
      ...info,
      status: this.status,
      usage: end?.usage ?? this.session.value?.totals.value.usage ?? null,
      ...(end === undefined ? {} : { endedAt: end.at }),
      delivered,
    };
  }

  /** The open questions. Reads signals. */
  get questions(): readonly TaskQuestion[] {
    const open = this.session.value?.pendingConfirmations.value ?? [];
    return open.map((question) => ({ ...question, task: this.info.id }));
  }

  private get status(): TaskStatus {
    const session = this.session.value;
    const ended = this.kept.value.end?.status;
    if (session === null || !this.begun.value) return ended ?? 'waiting';
    if (session.pendingConfirmations.value.length > 0 || session.pendingExtension.value !== null)
      return 'asking';
    if (session.isRunning.value) return 'running';
    if (session.interrupted.value !== null || this.problem.value !== null) return 'interrupted';
    return ended ?? 'running';
  }

  /** Takes over what another page has written since. */
  merge({ end, delivered }: KeptTask): void {
    const kept = this.kept.peek();
    this.kept.value = { ...kept, end: kept.end ?? end, delivered: kept.delivered ?? delivered };
  }

  /** Resolves with true if something that the ended task has changed is in place, or may be. */
  async isInPlace(): Promise<boolean> {
    const session = this.opened();
    await openLink(session);
    const record = this.recordIn(session);
    if (record === undefined) return this.kept.peek().end?.told['changed'] !== undefined;
    const { effects, outcome, undo } = record;
    const { failed, irreversible, lost, unknown } = outcome?.report ?? nothingUndone;
    return (
      failed.length + irreversible.length + lost.length + unknown.length > 0 ||
      (effects.length > 0 && undo?.state !== 'undone')
    );
  }

  /** Returns the session of the task. */
  opened(): AgentSession {
    const known = this.session.peek();
    if (known !== null) return known;
    const session = this.make(this.info);
    // A queue is paused after a reload, and where another page gives the log away. The user has nothing to decide before the first turn.
    const stopResuming = effect(() => {
      const waits = session.queue.value.some(({ id }) => id === MESSAGE);
      if (waits && session.queuePaused.value) void session.resumeQueue().catch(() => {});
    });
    const subscription = session.operations$.subscribe((operation) => this.watch(session, operation));
    this.stop = () => {
      stopResuming();
      subscription.unsubscribe();
    };
    return (this.session.value = session);
  }

  /** Begins the turn of the task, unless it has begun. Resolves with its end; with null if another page has to begin it. */
  begin(): Promise<TaskEnd | null> {
    this.begun.value = true;
    return (this.turn ??= this.carriedOut());
  }

  /** Lets a task begin again that could not begin in this page. */
  retry(): void {
    if (this.problem.peek() === null) return;
    this.turn = this.problem.value = null;
    this.begun.value = false;
  }

  /** Cancels the turn, or lets it never begin. Rejects with the error that keeps this page from beginning the turn, if another page can. */
  async cancel(options?: CancelOptions): Promise<CancelReport> {
    const ended = this.begin();
    const session = this.opened();
    const report = await cancelled(session, options);
    if ((await ended) === null) {
      if (session.link.peek().role !== 'writer') throw this.problem.peek();
      this.turn = Promise.resolve(endOf(undefined, 'cancelled'));
      return beforeBegin;
    }
    return report;
  }

  async close(): Promise<void> {
    this.stop();
    await this.session.peek()?.dispose({ turn: 'leave' });
  }

  private async carriedOut(): Promise<TaskEnd | null> {
    const { id, task } = this.info;
    let session: AgentSession;
    try {
      session = this.opened();
    } catch (error) {
      return endOf(undefined, 'failed', reasonOf(error));
    }
    try {
      const status = await session.enqueue(task, { id: MESSAGE, from: { task: id } });
      return endOf(this.recordIn(session), status);
    } catch (error) {
      const record = this.recordIn(session);
      if (record !== undefined || isFinal(error)) return endOf(record, 'failed', reasonOf(error));
      this.problem.value = error;
      return null;
    }
  }

  private watch(session: AgentSession, operation: Operation): void {
    const fact = operation.type === 'subagent' ? operation.inner : operation;
    if (fact.type === 'effectRecorded') {
      const call = allCallsOf(session.state.liveTurn).find(({ id }) => id === fact.callId);
      if (call !== undefined) this.touch([call.tool]);
    } else if (fact.type === 'rolledBack' || fact.type === 'undone' || fact.type === 'redone')
      this.touch(fact.report.done.map(({ toolName }) => toolName));
  }

  /** Returns the record of the turn of the task, a repetition included. */
  private recordIn({ turns }: AgentSession): TurnRecord | undefined {
    return turns.peek().findLast(({ from, outcome }) => from?.task === this.info.id && outcome !== null);
  }
}

/** Cancels the turn of a task, which may wait in the queue, run, or be interrupted. */
async function cancelled(session: AgentSession, options?: CancelOptions): Promise<CancelReport> {
  if (await session.dequeue(MESSAGE)) return beforeBegin;
  if (session.interrupted.peek() === null) return await session.cancel(options);
  return { ...beforeBegin, undo: await session.abandon() };
}

/** Resolves when the log of a session was read. */
function openLink({ link }: AgentSession): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (link.value.open) queueMicrotask(() => (stop(), resolve()));
    });
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'It could not be begun.';
}

/** Returns false for an error after which another page, or this page later, can still carry out the command. */
function isFinal(error: unknown): boolean {
  return (
    !isAgentSessionError(error) || !['storage', 'network', 'unsupported', 'disposed'].includes(error.code)
  );
}

/** @param refusal why the turn could not begin; absent if it has a record */
function endOf(record: TurnRecord | undefined, status: TurnStatus, refusal?: string): TaskEnd {
  const { outcome, effects, rounds = [] } = record ?? {};
  const problem = outcome ? (outcome.error ?? outcome.stop)?.message : refusal;
  const text = rounds
    .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    .findLast((one) => one.trim() !== '');
  return {
    status: outcome?.status ?? status,
    at: Date.now(),
    usage: outcome?.usage ?? null,
    told: whatHappened({ text, effects, report: outcome?.report, problem }),
  };
}

const nothingUndone: UndoReport = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };

/** The report of the cancel of a task whose turn had not begun. */
const beforeBegin: CancelReport = {
  landed: 'idle',
  cancelled: true,
  completed: [],
  skipped: [],
  undo: nothingUndone,
};
