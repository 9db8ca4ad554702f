// The state of a running turn at its start, after a late result, and after a cancel.
import { describe, expect, it } from 'vitest';
import { callInside, callTools, finishWith, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import { defineGuard, type Decision, type Operation } from '@banister/session';
import { atOperation, fixture, rejection, type Fixture } from './fixture.js';

/** The phase in the state at each operation of a type. */
function phasesAt({ session }: Fixture, type: Operation['type']): readonly string[] {
  const phases: string[] = [];
  session.operations$.subscribe((operation) => {
    if (operation.type === type) phases.push(session.state.phase);
  });
  return phases;
}

describe('the record of the running turn', () => {
  it('has the late result of a call that was cut in an earlier round', async () => {
    const slow = gatedTool('slow', { timeoutMs: 1_000 });
    const more = gate();
    await using f = fixture([callTools({ tool: 'board.slow' }), say(['Do', more, 'ne.'])], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = f.session.send('Go');
    const run = await slow.next();
    await f.clock.advance(1_000);
    await more.reached;
    run.context.undo({ description: 'Wrote', revert: () => {} });
    run.settle();
    await settle();
    const [call] = f.session.liveTurn.value?.rounds[0]?.parts ?? [];
    expect(call).toMatchObject({
      late: { outcome: 'succeeded', effect: 'reverted', description: 'Wrote' },
      reverted: true,
    });
    more.open();
    await turn;
    expect(f.session.turns.value[0]?.rounds[0]?.parts[0]).toEqual(call);
  });

  it('has one thinking part for pieces that a signature closes, with the provider that signed', async () => {
    const signature = { type: 'thinking', delta: '', signature: 's' } as const;
    const thought = (delta: string) => ({ type: 'thinking', delta }) as const;
    await using f = fixture([
      finishWith('stop', thought('He '), thought('asks.'), signature, thought('So'), 'Hi.'),
    ]);
    await f.session.send('Go');
    const owner = { provider: 'scripted', model: 'scripted-1' };
    expect(f.session.turns.value[0]?.rounds[0]?.parts).toEqual([
      { type: 'thinking', text: 'He asks.', signature: 's', signedBy: 'scripted', owner },
      { type: 'thinking', text: 'So' },
      { type: 'text', text: 'Hi.' },
    ]);
  });

  it('begins without the usage of the previous turn', async () => {
    await using f = fixture([say('One', { usage: { inputTokens: 7 } }), say('Two')]);
    await f.session.send('Go');
    expect(f.session.lastUsageReport.value).toEqual({ inputTokens: 7 });
    const seen: unknown[] = [];
    atOperation(f.session, 'modelCallStarted', () => seen.push(f.session.state.lastUsageReport));
    await f.session.send('Again');
    expect(seen).toEqual([null]);
  });
});

describe('the phase of a cancelled turn', () => {
  it('stays `cancelling` while a call runs that a handler approved', async () => {
    const spy = spyTool('spy');
    const answer = gate();
    await using f = fixture([callTools({ tool: 'board.spy' })], {
      domains: [{ id: 'board', tools: [spy] }],
      guards: [defineGuard('ask', () => ({ confirm: 'Really?' }))],
      confirm: async (): Promise<Decision> => {
        await answer.pass();
        return { approve: true };
      },
    });
    const turn = rejection(f.session.send('Go'));
    await answer.reached;
    void f.session.cancel();
    const resolved = phasesAt(f, 'confirmationResolved');
    const started = phasesAt(f, 'toolStarted');
    const completed = phasesAt(f, 'toolCompleted');
    answer.open();
    expect((await turn).code).toBe('cancelled');
    expect([resolved, started, completed]).toEqual([['cancelling'], ['cancelling'], ['cancelling']]);
  });

  it('stays cancelling when the result of an inner call arrives', async () => {
    const slow = gatedTool('slow');
    await using f = fixture([finishWith('stop', callInside({ tool: 'board.slow' }), 'Done.')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const turn = rejection(f.session.send('Go'));
    const run = await slow.next();
    void f.session.cancel();
    const completed = phasesAt(f, 'toolCompleted');
    run.settle();
    expect((await turn).code).toBe('cancelled');
    expect(completed).toEqual(['cancelling']);
  });
});
