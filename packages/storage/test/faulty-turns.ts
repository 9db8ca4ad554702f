import {
  createAgentSession,
  defineDomain,
  defineTool,
  type LocalAgentSession,
  type Ports,
  type SessionLog,
  type SessionOptions,
} from '@banister/session';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { expect } from 'vitest';

/** Returns the log without `snapshot`, so that each record stays. */
export const withoutSnapshots = (log: SessionLog): SessionLog => ({ ...log, snapshot: async () => {} });

/** A page with a session whose tool has an effect with data. The board outlives the page. */
export function makePage() {
  const cards = new Set<string>();
  let executions = 0;
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    undo: { revert: ({ title }: { title: string }) => void cards.delete(title) },
    async execute({ title }, context) {
      executions++;
      await context.undo({ description: `Added ${title}`, data: { title } });
      cards.add(title);
      return { title };
    },
  });
  const domains = [defineDomain({ id: 'board', tools: [add] })];
  const errors: unknown[] = [];
  const open = (
    log: SessionLog,
    answers: Parameters<typeof scriptedProvider>[0],
    ports: Partial<Ports> = {},
    options: Partial<SessionOptions> = {},
  ): LocalAgentSession =>
    createAgentSession({
      provider: scriptedProvider(answers),
      domains,
      id: 'chat-42',
      log,
      ...options,
      ports: { reportError: (error) => void errors.push(error), ...ports },
    });
  return {
    cards,
    errors,
    open,
    get executions() {
      return executions;
    },
  };
}

export const turn = () => [callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('There it is.')];

/** Resolves when the session has read its log. */
export async function opened(session: LocalAgentSession): Promise<LocalAgentSession> {
  await new Promise<void>((done) => {
    const stop = session.link.subscribe(({ open }) => {
      if (open) queueMicrotask(() => (stop(), done()));
    });
  });
  return session;
}

/** Checks the promises of a session in which a fault happened, against the log after the fault. */
export async function expectNothingLost(
  page: ReturnType<typeof makePage>,
  session: LocalAgentSession,
  wasAcknowledged: boolean,
  log: SessionLog,
): Promise<void> {
  expect(page.executions, 'executions').toBeLessThanOrEqual(1);
  const { saved } = session.link.value;
  const before = session.turns.value;
  await session.dispose();
  const loaded = await log.load('chat-42');
  expect(loaded.damage).toBeUndefined();

  const next = await opened(page.open(log, [say('Good.')]));
  expect(next.link.value).toEqual({ role: 'writer', open: true, saved: true });
  if (wasAcknowledged && saved) {
    expect(next.turns.value).toEqual(before);
    expect(next.turns.value.at(-1)?.status).toBe('completed');
  }
  if (next.interrupted.value !== null) await next.abandon();
  // A card without a record may be on the board only if the user was told that nothing is saved.
  const known = next.undoEntries.value.length > 0;
  if (saved) expect([...page.cards], 'the board').toEqual(known ? ['Plan'] : []);
  const { text } = await next.send('And now?');
  expect(text).toBe('Good.');
  await next.dispose();
}
