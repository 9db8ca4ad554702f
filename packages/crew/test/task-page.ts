// A page with a session and its background tasks. Several pages may share a log and an app; a page can be killed.
import { callTools, say, scriptedProvider, type AnswerSource } from '@banister/testing';
import {
  conflict,
  createAgentSession,
  defineAgent,
  defineTool,
  textOf,
  type AgentSession,
  type Domain,
  type SessionLog,
  type SessionOptions,
} from '@banister/session';
import { backgroundTasks, type BackgroundTasksOptions, type TaskInfo } from '@banister/crew/tasks';

/** The state of the app, which outlives its pages: titles of cards, by the keys of the calls that added them. */
export class Cards {
  readonly byKey = new Map<string, string>();
  /** How often a card was added, also by a call that ran twice. */
  readonly added: string[] = [];

  get titles(): readonly string[] {
    return [...this.byKey.values()];
  }

  get domain(): Domain {
    const add = defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      replay: 'safe',
      execute: async ({ title }, { idempotencyKey: key, undo }) => {
        await undo({ description: `Added ${title}`, data: { key, title } });
        if (!this.byKey.has(key)) this.added.push(title);
        this.byKey.set(key, title);
        return 'Added.';
      },
      undo: {
        revert: ({ key, title }: { readonly key: string; readonly title: string }) => {
          if (!this.byKey.has(key)) return undefined;
          if (this.byKey.get(key) !== title) return conflict(title, this.byKey.get(key)!);
          this.byKey.delete(key);
          return undefined;
        },
        reapply: ({ key, title }: { readonly key: string; readonly title: string }) =>
          void this.byKey.set(key, title),
      },
    });
    return { id: 'cards', tools: [add] };
  }
}

export const scout = defineAgent({ id: 'scout', role: 'You look.', description: 'Looks.' });

export const add = (title: string) => callTools({ tool: 'cards.add', args: { title } });
export const startTask = (title: string) =>
  callTools({ tool: 'tasks.start', args: { agent: 'scout', title, task: `Do ${title}.` } });

export interface Given extends Partial<BackgroundTasksOptions> {
  readonly log: SessionLog;
  readonly cards: Cards;
  /** The answers of the model of the session. */
  readonly answers?: readonly AnswerSource[];
  readonly otherwise?: AnswerSource;
  /** The answers of the model of a task, by its title. Default: it adds a card with the title, and says so. */
  readonly work?: Readonly<Record<string, readonly AnswerSource[]>>;
  readonly session?: Partial<SessionOptions>;
  readonly taskSession?: Partial<SessionOptions>;
  /** Whether the tasks have no session. */
  readonly detached?: boolean;
}

export function openPage({
  log,
  cards,
  answers = [],
  otherwise,
  work,
  session,
  taskSession,
  detached,
  ...options
}: Given) {
  const providers = new Map<string, ReturnType<typeof scriptedProvider>>();
  const makeTask = ({ id, title }: Pick<TaskInfo, 'id' | 'title'>) => {
    const model = scriptedProvider(work?.[title] ?? [], { otherwise: worksOn(title) });
    providers.set(id, model);
    return createAgentSession({
      id,
      log,
      provider: model,
      domains: [cards.domain],
      onInterrupted: 'resume',
      ...taskSession,
    });
  };
  const tasks = backgroundTasks({ id: 'chat', log, agents: [scout], open: makeTask, ...options });
  const provider = scriptedProvider(answers, { ...(otherwise === undefined ? {} : { otherwise }) });
  const above = createAgentSession({
    id: 'chat',
    log,
    provider,
    domains: [cards.domain, tasks.domain],
    ...session,
  });
  if (detached !== true) tasks.attach(above);
  return {
    tasks,
    session: above,
    provider,
    providers,
    makeTask,
    async close() {
      await tasks.dispose();
      await above.dispose({ turn: 'leave' });
    },
  };
}

/** The model of a task: it adds a card, and says so. It reads from the request how far it is. */
function worksOn(title: string): AnswerSource {
  return ({ messages }) =>
    messages.at(-1)!.parts.some(({ type }) => type === 'tool-result') ? say(`${title} is done.`) : add(title);
}

/** The texts of the user messages of a session, with their sources. */
export function asked(session: AgentSession): readonly string[] {
  return session.state.turns.map(({ input, from }) => `${from?.task ?? 'user'}: ${textOf(input)}`);
}
