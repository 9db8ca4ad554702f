import { effect, type AgentSession, type Confirmation, type TurnRecord } from '@banister/session';
import { computed, signal, untracked, type ReadonlySignal } from '@banister/session/signals';
import { messageOf } from '@banister/provider';
import { counted } from '../session/counted.js';
import type { Cues } from '../session/cues.js';
import type { StepState } from '../session/step-words.js';
import { visibleText } from '../text/visible-text.js';
import type { TaskDesks } from './task-desks.js';
import { agentWords, openTaskState, taskEndWords, type TaskEndWords } from './task-words.js';

/** A task that has not ended, as a row. */
export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly state: StepState;
  /** "Working", "Asking". */
  readonly status: string;
  readonly canStop: boolean;
}

/** The tasks of the shown chat. */
export interface TaskStrip {
  /** The tasks that have not ended, the newest last. */
  readonly rows: ReadonlySignal<readonly TaskRow[]>;
  /** The title of the task whose questions are shown; null if no task asks, or if the chat itself asks. */
  readonly asking: ReadonlySignal<string | null>;
  /** The session whose questions are shown: the session of the chat, or of a task that asks. */
  readonly asked: ReadonlySignal<AgentSession>;
  /** Returns the confirmation with the name of the task that asks. */
  signed(confirmation: Confirmation): Confirmation;
  /** Stops a task, and takes back what it changed. */
  stop(row: TaskRow): Promise<void>;
  /** Stops the task whose questions are shown. Returns false if there is none. */
  stopAsking(): boolean;
  /** Returns the words for the turn that the end of a task has begun. Reads signals. */
  endOf(record: TurnRecord): TaskEndWords & { readonly canUndo: boolean };
  /** Takes back what a task changed. */
  undo(record: TurnRecord): Promise<void>;
}

interface TaskStripOptions {
  readonly desks: Pick<TaskDesks, 'of'>;
  /** The id and the session of the shown chat. */
  readonly id: ReadonlySignal<string>;
  readonly session: ReadonlySignal<AgentSession>;
  readonly cues: Pick<Cues, 'focus' | 'say'>;
}

export function createTaskStrip({ desks, id, session, cues }: TaskStripOptions): TaskStrip {
  const desk = computed(() => desks.of(id.value));
  const stopping = signal<ReadonlySet<string>>(new Set());

  const rows = computed(() =>
    desk.value.tasks.value.flatMap((task): readonly TaskRow[] => {
      const open = openTaskState(task);
      if (open === null) return [];
      const isStopping = stopping.value.has(task.id);
      const [state, status] = open;
      const [title, agent] = [visibleText(task.title), agentWords(task.agent)];
      return [
        { id: task.id, title, agent, state, status: isStopping ? 'Stopping…' : status, canStop: !isStopping },
      ];
    }),
  );
  /** The id of the task whose questions are shown. Questions of the chat itself come first. */
  const askingId = computed(() => {
    const own = session.value.pendingConfirmations.value.some(({ answeredBy }) => answeredBy === 'signal');
    return own ? null : (desk.value.questions.value[0]?.task ?? null);
  });
  const asking = computed(() => rows.value.find((row) => row.id === askingId.value)?.title ?? null);
  /** The sessions of ended tasks that have changed something, so that their rows offer Undo. */
  const changed = signal<ReadonlyMap<string, AgentSession>>(new Map());
  effect(() => {
    const { tasks, session: sessionOf } = desk.value;
    const known = new Set(tasks.value.map((task) => task.id));
    const ids = session.value.turns.value.flatMap((record) =>
      record.from !== undefined && known.has(record.from.task) && taskEndWords(record, false).state === 'done'
        ? record.from.task
        : [],
    );
    untracked(() => {
      const missing = ids.filter((task) => !changed.peek().has(task));
      if (missing.length === 0) return;
      changed.value = new Map([
        ...changed.peek(),
        ...missing.map((task) => [task, sessionOf(task)!] as const),
      ]);
    });
  });

  const stop = async ({ id: task, title }: TaskRow): Promise<void> => {
    stopping.value = new Set([...stopping.peek(), task]);
    cues.focus('message');
    try {
      await desk.peek().cancel(task);
      cues.say(`Stopped: ${title}`);
    } catch (error) {
      cues.say(`${title} is not stopped. ${messageOf(error)}`);
    }
    stopping.value = new Set([...stopping.peek()].filter((one) => one !== task));
  };

  return {
    rows,
    asking,
    asked: computed(() => {
      const task = askingId.value;
      return (task === null ? undefined : desk.value.session(task)) ?? session.value;
    }),
    signed(confirmation) {
      const title = asking.value;
      if (title === null) return confirmation;
      return { ...confirmation, agent: { id: 'task', title: `Task “${title}”`, child: '', path: [] } };
    },
    stop,
    stopAsking() {
      const row = rows.peek().find(({ id: task }) => task === askingId.peek());
      if (row !== undefined) void stop(row);
      return row !== undefined;
    },
    endOf(record) {
      const task = changed.value.get(record.from?.task ?? '');
      const isUndone = task?.turns.value.at(-1)?.undo?.state === 'undone';
      return { ...taskEndWords(record, isUndone), canUndo: task?.canUndo.value === true };
    },
    async undo(record) {
      if (record.from === undefined) return;
      try {
        const { done, failed, lost } = await desk.peek().undo(record.from.task);
        const all = done.length + failed.length + lost.length;
        cues.say(`${done.length} of ${counted(all, 'change')} taken back`);
      } catch (error) {
        cues.say(`Not taken back. ${messageOf(error)}`);
      }
    },
  };
}
