// A machine that sleeps, and a network that is away for long: everything that was due is due at once.
import { describe, expect, it } from 'vitest';
import { AgentSessionError, confirmTools, isTerminal } from '@handrail/session';
import { callTools, fail, say, settle, spyTool, stall } from '@handrail/testing';
import { fixture, rejection } from './fixture.js';

const tenMinutes = 600_000;

describe('after a long sleep', () => {
  it('W21 a turn that stood still ends once, as timed out, and the next one runs', async () => {
    await using f = fixture([stall('Hel'), say('Done.')]);
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.clock.advance(tenMinutes);
    expect((await turn).code).toBe('timeout');
    expect(f.observed.operations.filter(isTerminal)).toHaveLength(1);
    expect(f.provider.requests).toHaveLength(1);
    expect((await f.session.send('Again')).text).toBe('Done.');
  });

  it('W21 questions that nobody answered are denied, each once, and nothing runs', async () => {
    const tool = spyTool('work');
    await using f = fixture([callTools({ tool: 'board.work' }, { tool: 'board.work' }), say('I see.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [confirmTools('board.work')],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(tenMinutes);
    expect((await turn).text).toBe('I see.');
    const resolved = f.observed.operations.flatMap((op) =>
      op.type === 'confirmationResolved' ? [op.decision] : [],
    );
    expect(resolved).toEqual(['timed-out', 'timed-out']);
    expect(tool.runs).toEqual([]);
  });

  it('H12 a retry that was due long ago is one request, not as many as would have fitted', async () => {
    const offline = fail(new AgentSessionError('network', 'There is no network.'));
    await using f = fixture([offline, say('Done.')], { limits: { timeoutMs: Infinity } });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(60 * tenMinutes);
    expect((await turn).text).toBe('Done.');
    expect(f.provider.requests).toHaveLength(2);
  });
});
