// Approvals that a provider asks for, to run tools of its own.
import { describe, expect, it } from 'vitest';
import { callTools, finishWith, say, settle, stall } from '@banister/testing';
import { defineGuard, type SavedConversation } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, names, rejection, resultTexts, type Fixture } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

const hosted = (url = 'a') =>
  ({ tool: 'zip.shorten', args: { url }, id: `mcpr_${url}`, hosted: true }) as const;
const asked = (f: Pick<Fixture, 'session'>) => f.session.pendingConfirmations.value;
const saved = (f: Fixture) => JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;

describe('an approval that the provider asks for', () => {
  it('an approval that a provider asks for is a confirmation, without a guard too', async () => {
    await using f = fixture([callTools(hosted('a'), hosted('b')), say('Done.')]);
    const turn = f.session.send('Go');
    await settle();
    expect(asked(f)).toMatchObject([
      {
        guard: 'banister.hosted',
        call: { tool: 'zip.shorten', arguments: { url: 'a' } },
        irreversible: true,
      },
      { call: { tool: 'zip.shorten', arguments: { url: 'b' } } },
    ]);
    await asked(f)[0]!.approve();
    await asked(f)[0]!.deny('No.');
    await turn;
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The user approved this call.',
      'The user declined this call. Reason: No.',
    ]);
    expect(f.session.activeToolCalls.value).toEqual([]);
    expect(f.session.turns.value[0]?.rounds[0]?.parts).toMatchObject([
      { tool: 'zip.shorten', hosted: true, result: { outcome: 'success' } },
      { tool: 'zip.shorten', hosted: true, rejection: 'declined' },
    ]);
  });

  it('is remembered for its server and tool: the next call needs no question, with any arguments', async () => {
    const other = { ...hosted('c'), tool: 'zip.expand' };
    await using f = fixture([callTools(hosted('a')), callTools(hosted('b'), other), say('Done.')]);
    const turn = f.session.send('Go');
    await settle();
    await asked(f)[0]!.approve({ remember: 'session', scope: 'tool' });
    await settle();
    expect(asked(f).map(({ call }) => call.tool)).toEqual(['zip.expand']);
    await asked(f)[0]!.deny();
    await turn;
    expect(resultTexts(f.provider.requests[2]!).slice(1)).toEqual([
      'The user approved this call.',
      'The user declined this call.',
    ]);
    const [grant] = f.session.grants.value;
    expect(grant).toMatchObject({ tool: 'zip.shorten', remember: 'session' });
    expect(grant).not.toHaveProperty('arguments');
    expect(f.session.turns.value[0]?.rounds[1]?.parts[0]).toMatchObject({ grant: grant!.id });
  });

  it('a guard may add a cost; then the approval covers only the same arguments', async () => {
    const guard = defineGuard('price', ({ arguments: args }) =>
      args['url'] === 'paid' ? { confirm: 'Pay?', cost: { amount: 1, currency: 'EUR' } } : 'allow',
    );
    await using f = fixture(
      [
        callTools(hosted('a')),
        callTools({ ...hosted('a'), id: 'mcpr_again' }, hosted('b')),
        callTools(hosted('paid')),
        callTools({ ...hosted('other'), id: 'mcpr_other' }),
        say('Done.'),
      ],
      { guards: [guard] },
    );
    const turn = f.session.send('Go');
    await settle();
    await asked(f)[0]!.approve({ remember: 'turn' });
    await settle();
    expect(asked(f).map(({ call }) => call.arguments)).toEqual([{ url: 'b' }]);
    await asked(f)[0]!.approve();
    await settle();
    const cost = { amount: 1, currency: 'EUR' };
    expect(asked(f)).toMatchObject([{ guard: 'banister.hosted', because: { code: 'hosted' }, cost }]);
    await asked(f)[0]!.approve({ remember: 'turn', scope: 'tool' });
    await settle();
    expect(asked(f).map(({ call }) => call.arguments)).toEqual([{ url: 'other' }]);
    await asked(f)[0]!.approve();
    await turn;
  });

  it('does not approve a tool of the session with the same id', async () => {
    const board = createBoard();
    const guard = defineGuard('ask', () => ({ confirm: 'Do it?' }));
    await using f = fixture(
      [callTools({ ...addCard('A'), id: 'mcpr_1', hosted: true }), callTools(addCard('A')), say('Done.')],
      { domains: [board.domain()], guards: [guard] },
    );
    const turn = f.session.send('Go');
    await settle();
    await asked(f)[0]!.approve({ remember: 'turn', scope: 'tool' });
    await settle();
    expect(asked(f)).toHaveLength(1);
    await asked(f)[0]!.deny();
    await turn;
    expect(board.titles).toEqual([]);
  });

  it('is denied if the user does not answer in time', async () => {
    await using f = fixture([callTools(hosted()), say('Then not.')], {
      limits: { confirmationTimeoutMs: 1_000 },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(1_000);
    await turn;
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['Not run: the user did not answer in time.']);
  });

  it('the option `confirm` may answer it, and a guard may refuse it', async () => {
    const guard = defineGuard('no-b', ({ arguments: args }) =>
      args['url'] === 'b' ? { deny: 'Not b.' } : 'allow',
    );
    const questions: string[] = [];
    await using f = fixture([callTools(hosted('a'), hosted('b')), say('Done.')], {
      guards: [guard],
      confirm: async ({ call }) => {
        questions.push(String(call.arguments['url']));
        return { approve: true };
      },
    });
    await f.session.send('Go');
    expect(questions).toEqual(['a']);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The user approved this call.',
      'zip.shorten was denied: Not b.',
    ]);
  });

  it('cannot have other arguments: the request stays open', async () => {
    await using f = fixture([callTools(hosted()), say('Done.')]);
    const turn = f.session.send('Go');
    await settle();
    expect(await asked(f)[0]!.approve({ arguments: { url: 'c' } })).toEqual({
      errors: ['the arguments of a tool that the provider hosts cannot be changed'],
    });
    await asked(f)[0]!.approve();
    await turn;
  });

  it('is decided with the calls of the same answer, before any of them runs', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'), hosted()), say('Done.')], { domains: [board.domain()] });
    const turn = f.session.send('Go');
    await settle();
    expect(board.titles).toEqual([]);
    await asked(f)[0]!.approve();
    await turn;
    expect(board.titles).toHaveLength(1);
  });

  it("does not run the session's tool with the same id", async () => {
    const board = createBoard();
    await using f = fixture([callTools({ ...addCard('A'), hosted: true }), say('Done.')], {
      domains: [board.domain()],
    });
    const turn = f.session.send('Go');
    await settle();
    await asked(f)[0]!.approve();
    await turn;
    expect(board.titles).toEqual([]);
  });

  it('is listed as an irreversible effect when the user has approved it', async () => {
    await using f = fixture([callTools(hosted('a'), hosted('b')), stall('Half')]);
    const turn = f.session.send('Go');
    await settle();
    await asked(f)[0]!.approve();
    await asked(f)[0]!.deny();
    await settle();
    const report = await f.session.cancel();
    await rejection(turn);
    expect(names(report.undo.irreversible)).toEqual(['zip.shorten']);
  });

  it('a cut answer asks for no approval', async () => {
    await using f = fixture([finishWith('length', hosted())]);
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', stop: { kind: 'length' } });
    expect(f.observed.types).not.toContain('confirmationRequested');
  });

  it('is in the saved conversation, and the next session sends it unchanged', async () => {
    await using first = fixture([callTools(hosted()), say('Done.')], {
      confirm: async () => ({ approve: true }),
    });
    await first.session.send('Go');
    await using f = fixture([say('Hi.')], { conversation: saved(first) });
    await f.session.send('Again');
    expect(f.provider.requests[0]!.messages.slice(0, 3)).toEqual(first.provider.requests[1]!.messages);
    expect(f.provider.requests[0]!.messages[1]?.parts[0]).toMatchObject({
      hosted: true,
      providerCallId: 'mcpr_a',
    });
  });

  it('that was open when the page was left is asked again, unless the log has the answer', async () => {
    const { session, operations } = createSession([callTools(hosted('a'), hosted('b'))]);
    session.send('Go').catch(() => {});
    await settle();
    await session.pendingConfirmations.value[0]!.approve();
    const log = operations.slice();
    await session.dispose({ turn: 'leave' });
    const restored = { snapshot: null, records: recordsOf([log]) };
    const next = createSession([say('Done.')], { restored });
    await opened(next.session);
    const turn = next.session.resume();
    await settle();
    expect(asked(next)).toMatchObject([{ call: { arguments: { url: 'b' } } }]);
    await asked(next)[0]!.deny();
    await turn;
    expect(resultTexts(next.provider.requests[0]!)).toEqual([
      'The user approved this call.',
      'The user declined this call.',
    ]);
    await next.session.dispose();
  });

  it.each(['toolStarted', 'effectRecorded'] as const)(
    'given by a grant is requested again if the grant was revoked after the page was left at %s',
    async (type) => {
      const first = createSession([callTools(hosted('a')), callTools(hosted('b')), say('Done.')]);
      const { operations } = first;
      void first.session.send('Go');
      await settle();
      await first.session.pendingConfirmations.value[0]!.approve({ remember: 'session', scope: 'tool' });
      await settle();
      const cut = operations.findLastIndex((operation) => operation.type === type);
      const log = operations.slice(0, cut + 1);
      await first.session.dispose();
      const restored = { snapshot: null, records: recordsOf([log]) };
      const next = createSession([say('Then not.')], { restored });
      await opened(next.session);
      for (const { id } of next.session.grants.value) await next.session.revoke(id);
      const turn = next.session.resume();
      await settle();
      expect(asked(next)).toMatchObject([{ call: { arguments: { url: 'b' } } }]);
      await asked(next)[0]!.deny();
      await turn;
      expect(resultTexts(next.provider.requests[0]!).at(-1)).toBe('The user declined this call.');
      await next.session.dispose();
    },
  );
});
