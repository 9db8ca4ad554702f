import {
  defineTool,
  failed,
  type Agent,
  type Domain,
  type JsonObject,
  type Tool,
  type ToolOutcome,
} from '@banister/session';
import { numberOf } from './kept-task.js';
import type { Task } from './task.js';

/** What the tools of tasks need. */
export interface TaskDesk {
  /** Keeps a new task, and returns its id; the id of the task that this key has started, if there is one. Calls `recorded` with the id first. */
  start(given: Pick<Task, 'agent' | 'title' | 'task'>, key: string, recorded: Recorded): Promise<string>;
  /** Resolves with the tasks, the newest last. Rejects if they were not read before, and cannot be read now. */
  list(): Promise<readonly Task[]>;
  /** Returns what the model reads about an ended task; undefined for any other. */
  told(id: string): JsonObject | undefined;
  cancel(id: string): Promise<unknown>;
  /** Resolves with true if something that an ended task has changed is in place, or may be. */
  isInPlace(id: string): Promise<boolean>;
}

type Recorded = (id: string) => Promise<void>;

const byId = {
  type: 'object',
  properties: { id: { type: 'string', description: 'The number of the task.' } },
  required: ['id'],
  additionalProperties: false,
} as const;

/**
 * Creates the domain whose tools start tasks, and look after them.
 *
 * @param tells whether a message tells the end of a task
 */
export function taskDomain(desk: TaskDesk, agents: readonly Agent[], tells: boolean): Domain {
  const tools = [startTool(desk, agents, tells), listTool(desk), resultTool(desk), cancelTool(desk)];
  return { id: 'tasks', tools: tools as readonly Tool[] };
}

/** Why the start of a task is not taken back. */
const stays = 'What the task changed may still be there: undo the task itself.';

function startTool(desk: TaskDesk, agents: readonly Agent[], tells: boolean) {
  return defineTool({
    name: 'start',
    title: 'Start a task in the background',
    description: [
      'Starts a task in the background, and answers at once, so that you go on with the user.',
      ...(tells ? ['A message tells you how the task has ended.'] : []),
      'The agents:',
      ...agents.map(({ id, description, role }) => `- ${id}: ${description ?? role}`),
    ].join('\n'),
    parameters: {
      type: 'object',
      properties: {
        agent: { type: 'string', enum: agents.map(({ id }) => id) },
        title: { type: 'string', minLength: 1, maxLength: 100, description: 'A few words for the user.' },
        task: { type: 'string', minLength: 1, description: 'All that the agent has to know.' },
      },
      required: ['agent', 'title', 'task'],
      additionalProperties: false,
    } as const,
    // If the call runs again after a reload, `start` finds its task by the key of the call, and starts no second task.
    replay: 'safe',
    undo: {
      data: byId,
      revert: async ({ id }: { readonly id: string }) => {
        const tasks = await desk.list();
        const task = tasks.find((one) => one.id === id);
        // The newest task is never removed. So an unknown task with a higher number was not kept, and never began.
        if (task === undefined)
          return tasks.some((one) => Number(numberOf(one.id)) > Number(numberOf(id)))
            ? failed(stays)
            : undefined;
        if (task.endedAt === undefined) await desk.cancel(id);
        return (await desk.isInPlace(id)) ? failed(stays) : undefined;
      },
    },
    execute: async (given, { idempotencyKey, undo }) => {
      const id = await desk.start(given, idempotencyKey, (data) =>
        undo({
          description: `Started the task "${given.title}"`,
          data: { id: data },
          paths: [numberOf(data)],
        }),
      );
      return { id: numberOf(id), status: 'started' };
    },
  });
}

function listTool(desk: TaskDesk) {
  return defineTool({
    name: 'list',
    title: 'List the tasks',
    description: 'Lists the tasks in the background, with their states.',
    parameters: { type: 'object', properties: {}, additionalProperties: false } as const,
    capabilities: ['readOnly'],
    execute: async () => (await desk.list()).map(shown),
  });
}

function resultTool(desk: TaskDesk) {
  return defineTool({
    name: 'result',
    title: 'Look at a task',
    description: 'Returns the state of a task; if it has ended, what it answered and changed.',
    parameters: byId,
    capabilities: ['readOnly'],
    execute: async ({ id }) => {
      const task = await find(desk, id);
      return task === undefined ? await unknown(desk, id) : told(desk, task);
    },
  });
}

function cancelTool(desk: TaskDesk) {
  return defineTool({
    name: 'cancel',
    title: 'Stop a task',
    description: 'Stops a task that has not ended, and takes back what it changed.',
    parameters: byId,
    capabilities: ['destructive'],
    execute: async ({ id }, { irreversible }) => {
      const task = await find(desk, id);
      if (task === undefined) return await unknown(desk, id);
      if (task.endedAt !== undefined) return failed(`The task has ended: ${task.status}.`);
      irreversible(`Stopped the task "${task.title}"`);
      await desk.cancel(task.id);
      return told(desk, (await find(desk, id)) ?? task);
    },
  });
}

async function find(desk: TaskDesk, id: string): Promise<Task | undefined> {
  return (await desk.list()).find((task) => task.id === id || numberOf(task.id) === id);
}

async function unknown(desk: TaskDesk, id: string): Promise<ToolOutcome> {
  const known = (await desk.list()).map((task) => numberOf(task.id));
  return failed(`There is no task ${JSON.stringify(id)}. Tasks: ${known.join(', ') || 'none'}.`);
}

function shown({ id, title, agent, status }: Task): JsonObject {
  return { id: numberOf(id), title, agent, status };
}

function told(desk: TaskDesk, task: Task): JsonObject {
  return { ...shown(task), ...desk.told(task.id) };
}
