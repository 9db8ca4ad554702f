import { createAgentSession, type AgentSession } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { forcedGuard } from './forced-guard.js';
import { observe } from './observe-session.js';
import { recordingHistory } from './recording-history.js';
import { callTools, fail, say, stall } from './scripted-answer.js';
import { scriptedProvider, type AnswerSource } from './scripted-provider.js';
import { scriptedUser, type UserStep } from './scripted-user.js';
import { spyTool } from './spy-tool.js';

function start(plan: readonly UserStep[], ...answers: readonly AnswerSource[]) {
  const add = spyTool('add', {
    execute: (_args, context) => context.undo({ description: 'Added', revert: () => {}, reapply: () => {} }),
  });
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [{ id: 'board', tools: [add, spyTool('drop')] }],
    guards: [forcedGuard('ask', ({ tool }) => (tool === 'board.add' ? { confirm: 'Really?' } : 'allow'))],
    history: recordingHistory(),
  });
  return { session, add, observed: observe(session), user: scriptedUser(session, plan) };
}

const addCard = callTools({ tool: 'board.add', args: { title: 'Milk' } });

describe('a scripted user', () => {
  test('approves', async () => {
    const { session, add, user, observed } = start([{ at: 'confirmation', do: 'approve' }], addCard, 'Done.');
    await session.send('Add');
    await user.done;
    expect(add.runs[0]?.args).toEqual({ title: 'Milk' });
    expect(user.log).toEqual([
      { step: 'step 1, at confirmation: approve', sequence: expect.any(Number), answer: 'accepted' },
    ]);
    observed.dispose();
  });

  test('denies, with a reason', async () => {
    const { session, add, user, observed } = start(
      [{ at: 'confirmation', do: { deny: 'Not now.' } }],
      addCard,
      'Well.',
    );
    await session.send('Add');
    await user.done;
    expect(add.runs).toEqual([]);
    expect((await observed.until('confirmationResolved')).reason).toBe('Not now.');
    observed.dispose();
  });

  test('edits', async () => {
    const plan: UserStep[] = [{ at: 'confirmation', tool: 'board.add', do: { edit: { title: 'Tea' } } }];
    const { session, add, user, observed } = start(plan, addCard, 'Done.');
    await session.send('Add');
    await user.done;
    expect(add.runs[0]?.args).toEqual({ title: 'Tea' });
    observed.dispose();
  });

  test('acts once per step, each time at the first moment that fits', async () => {
    const plan: UserStep[] = [
      { at: 'confirmation', do: 'deny' },
      { at: 'confirmation', do: 'approve' },
    ];
    const two = callTools({ tool: 'board.add', args: { n: 1 } }, { tool: 'board.add', args: { n: 2 } });
    const { session, add, user } = start(plan, two, 'Done.');
    await session.send('Add both');
    await user.done;
    expect(add.runs.map(({ args }) => args)).toEqual([{ n: 2 }]);
  });

  test('acts as often as the step says', async () => {
    const plan: UserStep[] = [{ at: 'confirmation', do: 'approve', times: Infinity }];
    const two = callTools({ tool: 'board.add', args: { n: 1 } }, { tool: 'board.add', args: { n: 2 } });
    const { session, add, user } = start(plan, two, 'Done.');
    await session.send('Add both');
    await user.done;
    expect(add.runs).toHaveLength(2);
    expect(user.missed).toEqual([]);
  });

  test('cancels after some text', async () => {
    const { session, user, observed } = start(
      [{ at: 'text', after: 4, do: 'cancel' }],
      stall('abc', 'def', 'ghi'),
    );
    await expect(session.send('Spell')).rejects.toMatchObject({ code: 'cancelled' });
    await user.done;
    expect(session.currentText.value).toBe('abcdef');
    observed.dispose();
  });

  test('aborts when a phase begins', async () => {
    const { session, user, observed } = start([{ at: 'phase', phase: 'streaming', do: 'abort' }], 'Unheard.');
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'cancelled' });
    await user.done;
    expect((await observed.until('cancelRequested')).level).toBe('abort');
    observed.dispose();
  });

  test('cancels at a tool, and keeps what was done', async () => {
    const plan: UserStep[] = [
      { at: 'confirmation', do: 'approve' },
      { at: 'tool-settled', tool: 'board.add', do: 'cancel-keep' },
    ];
    const { session, add, user, observed } = start(plan, addCard, 'Unheard.');
    await expect(session.send('Add')).rejects.toMatchObject({ code: 'cancelled' });
    await user.done;
    expect(add.runs).toHaveLength(1);
    expect((await observed.until('committed')).effects).toHaveLength(1);
    observed.dispose();
  });

  test('undoes and redoes a turn', async () => {
    const plan: UserStep[] = [
      { at: 'confirmation', do: 'approve' },
      { at: 'completed', do: 'undo' },
      { at: 'undone', do: 'redo' },
    ];
    const { session, user, observed } = start(plan, addCard, 'Done.');
    await session.send('Add');
    await user.done;
    expect(session.turns.value[0]?.undo?.state).toBe('redone');
    observed.dispose();
  });

  test('retries a turn that failed, and sends the next one', async () => {
    const plan: UserStep[] = [
      { at: 'failed', do: 'retry' },
      { at: 'completed', do: { send: 'Thanks' } },
    ];
    const { session, user, observed } = start(plan, fail('auth'), 'Better.', 'Welcome.');
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'auth' });
    await user.done;
    // The failed attempt is no longer on the path, because its retry replaced it.
    expect(session.turns.value.map(({ status }) => status)).toEqual(['completed', 'completed']);
    observed.dispose();
  });

  test('runs a function, and rejects `done` if it fails', async () => {
    const seen: string[] = [];
    const remember = (_session: AgentSession, { type }: { readonly type: string }) => seen.push(type);
    const first = start([{ at: 'completed', do: remember }], 'Hello.');
    await first.session.send('Hi');
    await first.user.done;
    expect(seen).toEqual(['completed']);

    const broken = () => {
      throw new Error('Clumsy.');
    };
    const second = start([{ at: 'completed', do: broken }], 'Hello.');
    await second.session.send('Hi');
    await expect(second.user.done).rejects.toThrow('Clumsy.');
  });

  test('names the missing steps when it is disposed or the session ends', async () => {
    const plan: UserStep[] = [
      { at: 'tool-started', tool: 'board.drop', do: 'cancel' },
      { at: 'text', after: 100, do: 'abort' },
      { at: 'completed', do: () => {} },
    ];
    const { session, user } = start(plan, say('Short.'));
    await session.send('Hi');
    expect(user.missed).toHaveLength(2);
    user.dispose();
    await expect(user.done).rejects.toThrow(
      'The user left, and these never came: step 1, at tool-started of board.drop: cancel; step 2, at text after 100 characters: abort.',
    );

    const other = start(plan);
    await other.session.dispose();
    await expect(other.user.done).rejects.toThrow(
      'The session was disposed of, and these never came: step 1',
    );
  });

  test('is disposed without an error if every step was played', async () => {
    const { session, user } = start([{ at: 'completed', do: () => {} }], 'Hello.');
    await session.send('Hi');
    user.dispose();
    await user.done;
  });
});
