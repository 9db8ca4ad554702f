import type { AgentSession, SessionLog } from '@banister/session';
import { backgroundTasks, type BackgroundTasks, type TaskInfo } from '@banister/crew/tasks';
import { helper } from './helper-agent.js';

/** The tasks of each chat. They go on while another chat is shown. */
export interface TaskDesks {
  /** Returns the tasks of a chat. */
  of(chat: string): BackgroundTasks;
  /** Names the session that is told when a task of the chat ends. It replaces an earlier session of the same chat. */
  attach(chat: string, session: AgentSession): void;
  /** Stops the tasks of a chat that have not ended. Their ends are told when the chat is opened again. */
  stopAll(chat: string): Promise<void>;
  /** Closes the tasks of a chat. */
  close(chat: string): Promise<void>;
}

/** A part of the id of each task, which no id of a chat has. */
const IN_ID = '/task/';

/** Returns whether a session in the log is a task, and no chat. */
export function isTask({ id }: { readonly id: string }): boolean {
  return id.includes(IN_ID);
}

/** Returns whether a session in the log is a task of a chat. */
export function isTaskOf(chat: string, { id }: { readonly id: string }): boolean {
  return id.startsWith(`${chat}${IN_ID}`);
}

/** @param open makes the session of a task */
export function createTaskDesks(log: SessionLog, open: (task: TaskInfo) => AgentSession): TaskDesks {
  const desks = new Map<string, { readonly tasks: BackgroundTasks; detach(): void }>();
  const deskOf = (chat: string) => {
    const known = desks.get(chat);
    if (known !== undefined) return known;
    const made = { tasks: backgroundTasks({ id: chat, log, agents: [helper], open }), detach: () => {} };
    desks.set(chat, made);
    return made;
  };
  return {
    of: (chat) => deskOf(chat).tasks,
    attach(chat, session) {
      const desk = deskOf(chat);
      desk.detach();
      desk.detach = desk.tasks.attach(session);
    },
    async stopAll(chat) {
      const desk = desks.get(chat);
      if (desk === undefined) return;
      desk.detach();
      const { tasks } = desk;
      const open = tasks.tasks.peek().filter(({ endedAt }) => endedAt === undefined);
      await Promise.allSettled(open.map(({ id }) => tasks.cancel(id)));
    },
    async close(chat) {
      const desk = desks.get(chat);
      desks.delete(chat);
      desk?.detach();
      await desk?.tasks.dispose();
    },
  };
}
