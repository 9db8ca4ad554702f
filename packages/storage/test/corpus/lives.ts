import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  type LocalAgentSession,
  type SessionLog,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import {
  callTools,
  createSequentialIds,
  createVirtualClock,
  memoryLog,
  say,
  scriptedProvider,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { exportLog } from '@banister/storage/jsonl';

const add = (title: string) => ({ tool: 'board.add', args: { title } });
const usage = { inputTokens: 120, outputTokens: 34, cost: { amount: 0.0042, currency: 'EUR' } };

/** The app of these sessions. The effects of its tools are data, a closure, or final. */
export function boardDomain(cards = new Set<string>()) {
  const parameters = {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
  } as const;
  const byData = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters,
    undo: {
      revert: ({ title }: { title: string }) => void cards.delete(title),
      reapply: ({ title }: { title: string }) => void cards.add(title),
    },
    async execute({ title }, context) {
      await context.undo({ description: `Added ${title}`, data: { title } });
      cards.add(title);
      return { title };
    },
  });
  const byClosure = defineTool({
    name: 'paint',
    description: 'Paints a card.',
    parameters,
    execute({ title }, context) {
      cards.add(title);
      context.undo({ description: `Painted ${title}`, revert: () => void cards.delete(title) });
    },
  });
  const final = defineTool({
    name: 'mail',
    description: 'Sends a mail.',
    parameters,
    execute: ({ title }, context) => context.irreversible(`Sent ${title}`),
  });
  return defineDomain({ id: 'board', tools: [byData, byClosure, final] });
}

/** Runs a session whose ids and times are the same in each run, and returns its log as lines. */
async function life(
  answers: readonly AnswerSource[],
  run: (session: LocalAgentSession, log: SessionLog) => Promise<unknown>,
): Promise<string> {
  const clock = createVirtualClock(1_800_000_000_000);
  const log = memoryLog({ clock });
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [boardDomain()],
    guards: [confirmTools('board.mail')],
    id: 'chat-42',
    log,
    ports: { clock, ids: createSequentialIds(), random: () => 0.5 },
  });
  await run(session, log);
  await session.dispose({ turn: 'leave' });
  let lines = '';
  for await (const line of exportLog(log, 'chat-42')) lines += line;
  return lines;
}

/** Sessions whose logs are the corpus, by the name of the log. */
export const lives: Readonly<Record<string, () => Promise<string>>> = {
  text: () =>
    life([say(['Hello, ', 'Ada. \u{1f44b}'], { usage }), say('Again.')], async (session) => {
      await session.send('Hi\n\n"quoted" \\ </script> \u2028');
      await session.send({ text: 'Look', images: [{ mediaType: 'image/png', data: 'QUJD' }] });
    }),

  thinking: () =>
    life(
      [
        callTools(
          { type: 'thinking', delta: 'First ' },
          { type: 'thinking', delta: 'this.', signature: 'sig-1==' },
          { type: 'thinking', delta: '', signature: 'redacted==' },
          'I look. ',
          { type: 'opaque', data: { item: { id: 'rs_1', encrypted: 'abc' } } },
          add('A'),
        ),
        say('Done.'),
      ],
      (session) => session.send('Add A'),
    ),

  effects: () =>
    life(
      [
        callTools(add('A'), { tool: 'board.paint', args: { title: 'B' } }),
        say('Done.'),
        callTools(add('C')),
        say('Done.'),
      ],
      async (session) => {
        await session.send('Add A, paint B');
        await session.send('Add C');
        await session.undo();
        await session.redo();
        await session.undo();
      },
    ),

  branches: () =>
    life(
      ['A', 'B', 'C', 'D'].flatMap((title) => [callTools(add(title)), say(`Added ${title}.`)]),
      async (session) => {
        await session.send('Add A');
        await session.send('Add B');
        const [one, two] = session.turns.value;
        await session.edit(two!.id, 'Add C');
        await session.regenerate();
        await session.switchTo(two!.id, { effects: 'follow' });
        await session.switchTo(one!.id);
      },
    ),

  queue: () =>
    life([callTools(add('A')), say('Done.'), say('Also.'), stall('So')], async (session) => {
      const first = session.send('Add A');
      void session.steer('Also this').catch(() => {});
      void session.enqueue('Then that', { id: 'that' }).catch(() => {});
      void session.enqueue('And more', { id: 'more' }).catch(() => {});
      await first;
      await settle();
    }),

  'interrupted answer': () =>
    life([callTools(add('A')), stall('Half an ans')], async (session) => {
      void session.send('Add A').catch(() => {});
      await settle();
    }),

  'open question': () =>
    life([callTools(add('A'), { tool: 'board.mail', args: { title: 'B' } })], async (session) => {
      void session.send('Add A, mail B').catch(() => {});
      await settle();
    }),

  snapshot: () =>
    life([callTools(add('A')), say('Done.'), say('More.')], async (session, log) => {
      await session.send('Add A');
      const { revision } = await log.load('chat-42');
      // Uses the lease of the session, which is the only lease of this log.
      await log.snapshot({ id: 'chat-42', epoch: 1, revision }, revision, savedState(session.state));
      await session.send('More');
    }),
};
