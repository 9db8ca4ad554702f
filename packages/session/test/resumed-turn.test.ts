// Readers and commands that meet an interrupted turn as it is taken up.
import { expect, it } from 'vitest';
import {
  callInside,
  callTools,
  fail,
  finishWith,
  forcedGuard,
  say,
  settle,
  spyTool,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { defineTool, stop, type LocalAgentSession, type Operation } from '@banister/session';
import { textPieces, type TextPiece } from '@banister/session/view';
import { dataBoard } from './data-board.js';
import { atOperation } from './fixture.js';
import { codeOf, createSession, opened, recordsOf, type OpenedSession } from './opened.js';

const board = dataBoard();
const domains = [board.domain()];

/** The operations of a session up to now, one write for each. */
async function logOf(answers: readonly AnswerSource[]): Promise<readonly (readonly Operation[])[]> {
  const { session, operations } = createSession(answers, { domains });
  void session.send('Go');
  await settle();
  const log = operations.map((operation) => [operation]);
  await session.dispose({ turn: 'leave' });
  return log;
}

async function taken(
  log: readonly (readonly Operation[])[],
  answers: readonly AnswerSource[],
): Promise<OpenedSession> {
  const restored = { snapshot: null, records: recordsOf(log) };
  const next = createSession(answers, { domains, restored });
  await opened(next.session);
  return next;
}

const messageIds = (session: LocalAgentSession) => session.conversation.value.messages.map(({ id }) => id);

it('a cancel while an interrupted turn is being resumed undoes its effects, and lists them', async () => {
  const log = await logOf([callTools({ tool: 'board.add', args: { title: 'Plan' } }), stall('Half')]);
  expect(board.cards).toEqual(['Plan']);
  const { session, operations } = await taken(log, [say('Whole.')]);
  atOperation(session, 'turnResumed', () => void session.cancel());
  expect(await codeOf(session.resume())).toBe('cancelled');
  expect(board.cards).toEqual([]);
  expect(session.lastOutcome.value?.report?.done).toMatchObject([{ description: 'Added Plan' }]);
  expect(new Set(messageIds(session)).size).toBe(messageIds(session).length);
  expect(operations.filter(({ type }) => type === 'rolledBack')).toHaveLength(1);
  await session.dispose();
});

it('from `commitStarted` on, a cancel of a resumed turn does nothing', async () => {
  const log = await logOf([say('Done.')]);
  const cut = log.findIndex(([operation]) => operation!.type === 'commitStarted');
  const { session, operations } = await taken(log.slice(0, cut + 1), []);
  const phases: string[] = [];
  atOperation(session, 'turnResumed', () => {
    phases.push(session.state.phase);
    void session.cancel();
  });
  expect(await codeOf(session.resume())).toBe('resolved');
  expect(phases).toEqual(['committing']);
  expect(operations.at(-1)?.type).toBe('completed');
  await session.dispose();
});

it('the second of two resumes is refused, no matter how soon it follows', async () => {
  const log = await logOf([stall('Half')]);
  for (let ticks = 0; ticks < 12; ticks++) {
    const { session, operations } = await taken(log, [say('Whole.')]);
    const first = codeOf(session.resume());
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    const second = codeOf(session.resume());
    expect([await first, await second].sort()).toEqual(['already-running', 'resolved']);
    expect(operations.filter(({ type }) => type === 'turnResumed')).toHaveLength(1);
    await session.dispose();
  }
});

it('calls of an answer that stopped the turn are neither guarded nor run when the turn is resumed before their results', async () => {
  const log = await logOf([finishWith('length', { tool: 'board.add', args: { title: 'Cut' } })]);
  const cut = log.findIndex(([operation]) => operation!.type === 'toolsRequested');
  const restored = { snapshot: null, records: recordsOf(log.slice(0, cut + 1)) };
  const guard = forcedGuard('guard', 'allow');
  const { session, operations } = createSession([], { domains, restored, guards: [guard] });
  await opened(session);
  expect(await session.resume()).toMatchObject({ status: 'stopped' });
  expect(guard.calls).toEqual([]);
  expect(operations.map(({ type }) => type)).not.toContain('toolStarted');
  expect(board.cards).not.toContain('Cut');
  await session.dispose();
});

it('a safe call that was interrupted beside a call that stopped the turn is reported as unknown, and does not run again', async () => {
  const side = (name: string, execute: () => unknown) =>
    spyTool(name, { parallel: true, replay: 'safe', execute });
  const domainsWith = (execute: () => unknown) => [
    { id: 'lab', tools: [side('ends', () => stop('Enough.')), side('sends', execute)] },
  ];
  const first = createSession([callTools({ tool: 'lab.ends' }, { tool: 'lab.sends' })], {
    domains: domainsWith(() => new Promise(() => {})),
  });
  void first.session.send('Go');
  await settle();
  const restored = { snapshot: null, records: recordsOf([first.operations.slice()]) };
  await first.session.dispose({ turn: 'leave' });
  let runs = 0;
  const { session, operations } = createSession([], { domains: domainsWith(() => void runs++), restored });
  await opened(session);
  expect(await session.resume()).toMatchObject({ status: 'stopped', stop: { message: 'Enough.' } });
  expect(runs).toBe(0);
  expect(operations.filter(({ type }) => type === 'toolInterrupted')).toMatchObject([
    { decision: 'unknown' },
  ]);
  expect(session.turns.value[0]!.rounds[0]!.parts[1]).toMatchObject({ result: { outcome: 'interrupted' } });
  await session.dispose();
});

/** A domain whose tool notes the idempotency key of each of its runs. */
function noting(keys: string[], execute: () => unknown = () => 'Sent.') {
  return [
    {
      id: 'mail',
      tools: [
        defineTool({
          name: 'send',
          description: 'Sends a message once for each key.',
          parameters: { type: 'object' },
          capabilities: ['mutating'],
          replay: 'safe',
          execute: (_args, { idempotencyKey }) => {
            keys.push(idempotencyKey);
            return execute();
          },
        }),
      ],
    },
  ];
}

it('a safe call that is repeated has the idempotency key of its first run', async () => {
  const keys: string[] = [];
  const first = createSession([callTools({ tool: 'mail.send' })], {
    domains: noting(keys, () => new Promise(() => {})),
  });
  void first.session.send('Go');
  await settle();
  const log = first.operations.map((operation) => [operation]);
  await first.session.dispose({ turn: 'leave' });
  const restored = { snapshot: null, records: recordsOf(log) };
  const next = createSession([say('Sent.')], { domains: noting(keys), restored });
  await opened(next.session);
  expect(await next.session.resume()).toMatchObject({ status: 'completed' });
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
  await next.session.dispose();
});

it('a call of a repeated round has another idempotency key, even with the same arguments', async () => {
  const keys: string[] = [];
  const inside = callInside({ tool: 'mail.send' });
  const first = createSession([stall(inside, 'Half')], { domains: noting(keys) });
  void first.session.send('Go');
  await settle();
  expect(keys).toHaveLength(1);
  const log = first.operations.map((operation) => [operation]);
  await first.session.dispose({ turn: 'leave' });
  const restored = { snapshot: null, records: recordsOf(log) };
  const next = createSession([callTools({ tool: 'mail.send' }), say('Sent.')], {
    domains: noting(keys),
    restored,
  });
  await opened(next.session);
  expect(await next.session.resume()).toMatchObject({ status: 'completed' });
  expect(keys).toHaveLength(2);
  expect(keys[1]).not.toBe(keys[0]);
  await next.session.dispose();
});

it('a call of a retry has another idempotency key', async () => {
  const keys: string[] = [];
  const { session } = createSession(
    [callTools({ tool: 'mail.send' }), fail('auth'), callTools({ tool: 'mail.send' }), say('Sent.')],
    { domains: noting(keys) },
  );
  expect(await codeOf(session.send('Go'))).toBe('auth');
  expect(await session.retry()).toMatchObject({ status: 'completed' });
  expect(new Set(keys).size).toBe(2);
  await session.dispose();
});

it.each([
  ['agrees', true, 'rerun'],
  ['declines', false, 'skipped'],
] as const)(
  'a call with replay ask that was interrupted runs again only if the user %s, and the log says so',
  async (_answer, approve, decision) => {
    const domainsOf = (execute: () => unknown) => [
      {
        id: 'mail',
        tools: [
          defineTool({
            name: 'send',
            description: 'Sends a message.',
            parameters: { type: 'object' },
            replay: 'ask',
            execute,
          }),
        ],
      },
    ];
    const first = createSession([callTools({ tool: 'mail.send' })], {
      domains: domainsOf(() => new Promise(() => {})),
    });
    void first.session.send('Go');
    await settle();
    const log = first.operations.map((operation) => [operation]);
    await first.session.dispose({ turn: 'leave' });
    let runs = 0;
    const { session, operations } = createSession([say('Done.')], {
      domains: domainsOf(() => void runs++),
      restored: { snapshot: null, records: recordsOf(log) },
    });
    await opened(session);
    const resumed = session.resume();
    await settle();
    await session.respond(session.pendingConfirmation.value!.id, { approve });
    expect(await resumed).toMatchObject({ status: 'completed' });
    expect(runs).toBe(approve ? 1 : 0);
    expect(operations.filter(({ type }) => type === 'toolInterrupted')).toMatchObject([{ decision }]);
    await session.dispose();
  },
);

it('`textPieces` replaces the text of an answer that is requested again', async () => {
  const log = await logOf([callTools('One. ', { tool: 'board.add', args: { title: 'Two' } }), stall('Half')]);
  const { session } = await taken(log, [say('Whole.')]);
  const pieces: TextPiece[] = [];
  textPieces(session).subscribe((piece) => pieces.push(piece));
  const { turnId } = session.interrupted.value!;
  await session.resume();
  expect(pieces).toEqual([
    { turnId, text: 'One. \n\nHalf' },
    { turnId, text: 'One. ', replace: true },
    { turnId, text: '\n\nWhole.' },
  ]);
  expect(session.currentText.value).toBe('One. \n\nWhole.');
  await session.dispose();
});
