// The hostile scenes of section A of the audit that were seen and not judged.
import { callTools, forcedGuard, recordingHistory, say, settle, spyTool } from '@banister/testing';
import { UndoHistory, type SessionOptions, type ToolContext } from '@banister/session';
import { describe, expect, it } from 'vitest';
import { fixture, resultTexts } from './fixture.js';

const never = () => new Promise<never>(() => {});
const board = (execute: (args: unknown, context: ToolContext) => unknown = () => 'ok') => [
  { id: 'board', tools: [spyTool('work', { execute })] },
];

describe('audit-A cancel() and enqueue() in one tick', () => {
  it.each([[['cancel', 'enqueue']], [['enqueue', 'cancel']], [['enqueue', 'cancel', 'enqueue']]] as const)(
    '%j: each message runs, is cancelled, or waits in a paused queue',
    async (acts) => {
      // The instant of the two calls moves through the whole turn.
      for (let instant = 0; instant < 40; instant++) {
        await using f = fixture([callTools({ tool: 'board.work' }), ...Array(3).fill(say('Done.'))], {
          domains: board(),
          looseScript: true,
        });
        const { session, clock } = f;
        const turn = session.send('Go').catch(() => {});
        await settle(instant);
        const messages: Promise<unknown>[] = [];
        const cancels: Promise<unknown>[] = [];
        for (const act of acts)
          if (act === 'cancel') cancels.push(session.cancel());
          else messages.push(session.enqueue('More').catch(({ code }: { code: string }) => code));
        await Promise.all([turn, ...cancels]);
        await clock.advance(10);
        expect(session.queue.value.length === 0 || session.queuePaused.value).toBe(true);
        await session.resumeQueue();
        await clock.advance(10);
        for (const status of await Promise.all(messages))
          expect(['completed', 'cancelled']).toContain(status);
        expect(session.isRunning.value).toBe(false);
      }
    },
  );
});

describe('audit-A code of the app that never ends', () => {
  const hanging: Readonly<Record<string, Partial<SessionOptions>>> = {
    'a tool': { domains: board(never) },
    'a guard': { domains: board(), guards: [never] },
    'the handler of questions': {
      domains: board(),
      guards: [forcedGuard('ask', { confirm: 'Really?' })],
      confirm: never,
    },
    'the start of a transaction': { domains: board(), history: { begin: never } },
    'the record of an effect': {
      domains: board((_args, context) => void context.undo({ description: 'a', revert: () => {} })),
      history: recordingHistory({ record: 'hang' }),
    },
    'a revert': {
      domains: board(async (_args, context) => {
        context.undo({ description: 'a', revert: never });
        await never();
      }),
      history: new UndoHistory(),
    },
    'a source of context': {
      domains: board(),
      context: [{ id: 'page', policy: 'always', summary: never }],
    },
    'middleware before a request': { domains: board(), middleware: [{ name: 'm', beforeRequest: never }] },
    'middleware before calls': { domains: board(), middleware: [{ name: 'm', beforeToolCalls: never }] },
    'middleware behind a call': { domains: board(), middleware: [{ name: 'm', afterToolCall: never }] },
    'middleware behind an answer': { domains: board(), middleware: [{ name: 'm', afterResponse: never }] },
  };

  it.each(Object.keys(hanging))('%s: an immediate cancel() and dispose() end', async (name) => {
    const f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      ...hanging[name],
      reportsErrors: true,
      looseScript: true,
      leavesTimers: true,
    });
    const turn = f.session.send('Go').then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    );
    await settle(60);
    const cancel = f.session.cancel({ immediate: true });
    await f.clock.advance(20_000);
    expect((await cancel).cancelled).toBe(true);
    expect(['cancelled', 'undo-failed']).toContain(await turn);
    const disposed = f.session.dispose();
    await f.clock.advance(20_000);
    await disposed;
    expect(f.clock.pending).toBe(0);
  });
});

describe('audit-A the description of an undo that is not a string', () => {
  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  it.each([
    ['a BigInt', () => 1n],
    ['a symbol', () => Symbol('a')],
    ['a revoked proxy', revoked],
    ['an object whose text throws', () => ({ toString: () => JSON.parse('{') as string })],
  ])('%s is a clear error for the model, and the turn goes on', async (_name, make) => {
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: board(
        (_args, context) => void context.undo({ description: make() as never, revert: () => {} }),
      ),
      history: new UndoHistory(),
    });
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/context\.undo needs/);
    JSON.stringify(f.session.save());
  });

  it('a revoked proxy instead of the entry is an error for the model, and the turn continues', async () => {
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: board((_args, context) => void context.undo(revoked() as never)),
      history: new UndoHistory(),
    });
    expect((await f.session.send('Go')).text).toBe('Done.');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/proxy that has been revoked/);
  });
});
