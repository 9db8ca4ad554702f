import {
  AgentSessionError,
  isAgentSessionError,
  type Agent,
  type AgentSession,
  type CancelOptions,
  type CancelReport,
  type Domain,
  type JsonObject,
  type LocalAgentSession,
  type SessionLog,
  type UndoReport,
} from '@banister/session';
import { computed, effect, signal, untracked, type ReadonlySignal } from '@banister/session/signals';
import { noteOf, numberOf, readNote, type KeptTask, type TaskEnd } from './kept-task.js';
import { taskDomain, type TaskDesk } from './task-domain.js';
import { TaskEntry } from './task-entry.js';
import type { Task, TaskInfo, TaskQuestion } from './task.js';
import { messageOf } from './told-end.js';

/** Options of {@link backgroundTasks}. */
export interface BackgroundTasksOptions {
  /** The id of the session of the user, as in its option `id`. The ids of its tasks are `<id>/task/<number>`. */
  readonly id: string;
  /** The log of the tasks, in which the session of the user may be too. */
  readonly log: SessionLog;
  /** The agents that do tasks. The model reads their ids and descriptions. */
  readonly agents: readonly Agent[];
  /** Makes the session of a task, with `id: task.id`, the log, and the tools, guards and limits of its agent. */
  readonly open: (task: TaskInfo) => AgentSession;
  /** The highest number of tasks that run at the same time. Others wait. Default 4. */
  readonly maxRunning?: number | undefined;
  /** The highest number of ended tasks that are kept. If there are more, the tasks that ended first are removed from the log. Default 64. */
  readonly maxKept?: number | undefined;
  /**
   * `queue`: when a task ends, a message about its end is put into the queue of the attached session. `none`: there is no such message, and
   * the model reads the end with `tasks.result`. Default `queue`.
   */
  readonly deliver?: 'queue' | 'none' | undefined;
}

/** Tasks in the background. */
export interface BackgroundTasks {
  /** The domain `tasks`, with the tools `start`, `list`, `result` and `cancel`. */
  readonly domain: Domain;
  /** The tasks, the newest last. Empty until the log is read. */
  readonly tasks: ReadonlySignal<readonly Task[]>;
  /** The open questions of all tasks. */
  readonly questions: ReadonlySignal<readonly TaskQuestion[]>;
  /**
   * Names the session that is told when a task ends. Returns a function that detaches the session. Throws `invalid-configuration` while a
   * session is attached.
   */
  attach(session: AgentSession): () => void;
  /** Returns the session of a task, to show and to command; undefined for an unknown task. */
  session(id: string): AgentSession | undefined;
  /**
   * Cancels the turn of a task, as `cancel` of a session does. A task that waits never begins. If the turn was interrupted, its effects are
   * taken back, as by `abandon` of a session. Rejects `invalid-input` for an unknown task.
   */
  cancel(id: string, options?: CancelOptions): Promise<CancelReport>;
  /** Takes back what a task changed last, as `undo` of a session does. Rejects `invalid-input` for an unknown task. */
  undo(id: string): Promise<UndoReport>;
  /** Closes the sessions of the tasks. A turn that runs here is interrupted, and goes on when `backgroundTasks` opens the task again. */
  dispose(): Promise<void>;
}

/**
 * Returns tasks that run beside a session, each a session of its own in the log. A task outlives a reload, and the user can look at it, answer
 * it, cancel it and undo it as any session.
 *
 * @throws AgentSessionError `invalid-configuration` for a missing option, no agent, and a number that is no whole number from 1 on
 *
 * @example
 * const tasks = backgroundTasks({
 *   id: 'chat-42', log, agents: [scout],
 *   open: ({ id }) => createAgentSession({ id, log, provider, role: scout.role, domains: [docs], onInterrupted: 'resume' }),
 * });
 * const session = createAgentSession({ id: 'chat-42', log, provider, domains: [tasks.domain] });
 * tasks.attach(session);
 */
export function backgroundTasks(options: BackgroundTasksOptions): BackgroundTasks {
  const { id, log, agents, open, maxRunning = 4, maxKept = 64, deliver = 'queue' } = options;
  if (typeof id !== 'string' || id === '' || typeof log?.list !== 'function' || typeof open !== 'function')
    throw refused('backgroundTasks needs an id, a log and a function open.');
  const given: unknown = agents;
  if (!Array.isArray(given) || given.length === 0) throw refused('backgroundTasks needs agents.');
  for (const [name, value] of Object.entries({ maxRunning, maxKept }))
    if (!Number.isInteger(value) || value < 1)
      throw refused(`The option ${name} of backgroundTasks is ${String(value)}, no whole number from 1 on.`);
  if (deliver !== 'queue' && deliver !== 'none')
    throw refused(`The option deliver of backgroundTasks is ${String(deliver)}, neither queue nor none.`);
  return new Desk({ id, log, agents: [...agents], open, maxRunning, maxKept, deliver });
}

class Desk implements BackgroundTasks, TaskDesk {
  readonly domain: Domain;
  private readonly entries = signal<readonly TaskEntry[]>([]);
  readonly tasks = computed(() => this.entries.value.map((entry) => entry.shown));
  readonly questions = computed(() => this.entries.value.flatMap((entry) => entry.questions));
  private attached: AgentSession | null = null;
  /** The reads and writes of the list of tasks, one after the other. */
  private listing: Promise<unknown> = Promise.resolve();
  private isDisposed = false;
  /** Whether the list was read before. */
  private wasRead = false;
  private readonly prefix: string;
  private readonly stop: () => void;

  constructor(private readonly options: Required<BackgroundTasksOptions>) {
    this.prefix = `${options.id}/task/`;
    this.domain = taskDomain(this, options.agents, options.deliver === 'queue');
    this.stop = effect(() => this.beginMore(this.tasks.value));
    void this.refresh();
  }

  readonly attach = (session: AgentSession): (() => void) => {
    if (this.attached !== null) throw refused('A session is attached to these tasks already.');
    this.attached = session;
    const stopMarking = effect(() => {
      const waiting = new Set(session.queue.value.map(({ id }) => id));
      for (const { info, queued } of this.entries.value) if (waiting.has(info.id)) queued.value = true;
    });
    const subscription = session.operations$.subscribe((operation) => {
      const { type } = operation.type === 'subagent' ? operation.inner : operation;
      // Another page writes the log, and may have started a task.
      if (type === 'toolCompleted' && session.link.peek().role === 'follower') void this.refresh();
    });
    for (const entry of this.entries.peek()) entry.retry();
    void this.refresh();
    let isAttached = true;
    return () => {
      stopMarking();
      subscription.unsubscribe();
      if (isAttached) this.attached = null;
      isAttached = false;
    };
  };

  readonly session = (id: string): AgentSession | undefined =>
    this.isDisposed ? undefined : this.find(id)?.opened();

  readonly cancel = async (id: string, options?: CancelOptions): Promise<CancelReport> => {
    const entry = this.known(id);
    if (entry.kept.peek().end !== undefined) return await entry.opened().cancel(options);
    const report = await entry.cancel(options);
    await this.end(entry, await entry.begin());
    return report;
  };

  readonly undo = async (id: string): Promise<UndoReport> => await this.known(id).opened().undo();

  readonly dispose = async (): Promise<void> => {
    this.isDisposed = true;
    this.stop();
    await Promise.all([this.listing, ...this.entries.peek().map((entry) => entry.close())]);
  };

  async start(
    given: Pick<Task, 'agent' | 'title' | 'task'>,
    key: string,
    recorded: (id: string) => Promise<void>,
  ): Promise<string> {
    return await this.inOrder(async () => {
      this.check();
      await this.read();
      const known = this.entries.peek().find(({ kept }) => kept.peek().key === key);
      if (known !== undefined) return known.info.id;
      const number = 1 + Math.max(0, ...this.entries.peek().map(({ info }) => Number(numberOf(info.id))));
      const id = `${this.prefix}${number}`;
      const kept = { info: { ...given, id, startedAt: Date.now() }, key };
      await recorded(id);
      await this.options.log.describe(id, { title: given.title, note: noteOf(kept) });
      this.add([kept]);
      return id;
    });
  }

  async list(): Promise<readonly Task[]> {
    this.check();
    await this.inOrder(async () => {
      if (!this.wasRead) await this.read();
    });
    return this.tasks.peek();
  }

  isInPlace(id: string): Promise<boolean> {
    return this.known(id).isInPlace();
  }

  told(id: string): JsonObject | undefined {
    return this.find(id)?.kept.peek().end?.told;
  }

  /** Reads the list of tasks again, and delivers the ends that were not delivered. */
  private async refresh(): Promise<void> {
    try {
      await this.inOrder(() => this.read());
    } catch (error) {
      report(error);
    }
    for (const entry of this.entries.peek()) void this.deliver(entry);
  }

  private async read(): Promise<void> {
    const listed = await this.options.log.list({ prefix: this.prefix });
    const read = listed.flatMap(({ id, note }) => readNote(id, this.prefix, note) ?? []);
    for (const kept of read) this.find(kept.info.id)?.merge(kept);
    this.add(read.filter(({ info }) => this.find(info.id) === undefined));
    this.wasRead = true;
  }

  private add(fresh: readonly KeptTask[]): void {
    if (fresh.length === 0 || this.isDisposed) return;
    const added = fresh.map((kept) => new TaskEntry(kept, this.options.open, this.touch));
    this.entries.value = [...this.entries.peek(), ...added].toSorted(
      (one, other) => Number(numberOf(one.info.id)) - Number(numberOf(other.info.id)),
    );
  }

  /** Begins the tasks that wait, as long as there is room. */
  private beginMore(tasks: readonly Task[]): void {
    let room = this.options.maxRunning;
    for (const { status } of tasks) if (status === 'running' || status === 'asking') room--;
    for (const { id } of tasks.filter(({ status }) => status === 'waiting').slice(0, Math.max(0, room)))
      untracked(() => void this.begin(this.find(id)!));
  }

  private async begin(entry: TaskEntry): Promise<void> {
    const end = await entry.begin();
    if (end === null) report(entry.problem.peek());
    else await this.end(entry, end);
  }

  private async end(entry: TaskEntry, end: TaskEnd | null): Promise<void> {
    if (end === null || this.isDisposed || entry.kept.peek().end !== undefined) return;
    await this.keep(entry, { end });
    void this.deliver(entry);
  }

  private async deliver(entry: TaskEntry): Promise<void> {
    const { attached } = this;
    const kept = entry.kept.peek();
    if (kept.end === undefined || kept.delivered === true) return;
    if (this.options.deliver === 'none') return await this.removeOldest();
    if (attached === null) return;
    try {
      const { id } = kept.info;
      await attached.enqueue(messageOf(kept.info, kept.end), { id, from: { task: id } });
    } catch (error) {
      if (!wasTold(attached, kept.info.id, error)) return this.isDisposed ? undefined : report(error);
    }
    await this.keep(entry, { delivered: true });
    await this.removeOldest();
  }

  /** Keeps more about a task. */
  private async keep(entry: TaskEntry, more: Pick<KeptTask, 'end' | 'delivered'>): Promise<void> {
    const kept = { ...entry.kept.peek(), ...more };
    entry.kept.value = kept;
    try {
      await this.inOrder(() => this.options.log.describe(kept.info.id, { note: noteOf(kept) }));
    } catch (error) {
      report(error);
    }
  }

  /** Removes the tasks that ended first. The newest task stays in any case, because its number must not be given again. */
  private async removeOldest(): Promise<void> {
    const { maxKept, deliver, log } = this.options;
    const over = this.entries
      .peek()
      .slice(0, -1)
      .filter(({ kept }) => kept.peek().end !== undefined && (deliver === 'none' || kept.peek().delivered))
      .toSorted((one, other) => other.kept.peek().end!.at - one.kept.peek().end!.at)
      .slice(maxKept - 1);
    if (over.length === 0) return;
    this.entries.value = this.entries.peek().filter((entry) => !over.includes(entry));
    for (const entry of over) {
      await entry.close();
      await this.inOrder(() => log.remove(entry.info.id)).catch(report);
    }
  }

  /** Tells the attached session that the state of the app has changed: a task is no part of its turns. */
  private readonly touch = (tools: readonly string[]): void => {
    const session = this.attached as Partial<LocalAgentSession> | null;
    try {
      for (const domain of new Set(tools.map((tool) => tool.split('.', 1)[0]!))) session?.touch?.(domain);
    } catch {
      // The session was disposed, or another page writes its log: then it redoes nothing here.
    }
  };

  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.listing.then(work);
    this.listing = done.catch(() => {});
    return done;
  }

  private find(id: string): TaskEntry | undefined {
    return this.entries.peek().find(({ info }) => info.id === id);
  }

  /** Throws if these tasks were disposed. */
  private check(): void {
    if (this.isDisposed) throw new AgentSessionError('disposed', 'These tasks were disposed.');
  }

  private known(id: string): TaskEntry {
    this.check();
    const entry = this.find(id);
    if (entry === undefined)
      throw new AgentSessionError('invalid-input', `There is no task with the id ${JSON.stringify(id)}.`);
    return entry;
  }
}

/** Returns true if a message was told, although its turn has failed or was cancelled. */
function wasTold({ turns }: AgentSession, id: string, error: unknown): boolean {
  const isCancelled = isAgentSessionError(error) && error.code === 'cancelled';
  return isCancelled || turns.peek().some(({ from }) => from?.task === id);
}

function refused(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}

/** Reports an error that no caller gets. */
function report(error: unknown): void {
  // Its session was disposed, or its chat was removed: then it has no more to tell.
  if (isAgentSessionError(error) && (error.code === 'disposed' || error.details['reason'] === 'removed'))
    return;
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (typeof reportError === 'function') reportError(error);
  else console.error(error);
}
