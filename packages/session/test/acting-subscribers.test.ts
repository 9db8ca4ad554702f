// Subscribers that end the turn inside an operation: the step that emitted it goes no further.
import { describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  finishWith,
  forcedGuard,
  settle,
  spyTool,
  type ScriptedCall,
} from '@banister/testing';
import { atOperation, fixture, rejection, terminals } from './fixture.js';

describe('a subscriber that ends the turn inside an operation', () => {
  it.each([
    ['cancel', 'of a batch', callTools],
    ['dispose', 'of a batch', callTools],
    [
      'cancel',
      'of an inner call',
      (...calls: readonly ScriptedCall[]) => finishWith('stop', callInside(...calls)),
    ],
  ] as const)('%s inside toolStarted %s: the executor is not called', async (deed, _place, answer) => {
    const spy = spyTool('spy');
    await using f = fixture([answer({ tool: 'board.spy' })], { domains: [{ id: 'board', tools: [spy] }] });
    atOperation(f.session, 'toolStarted', () => {
      void (deed === 'cancel' ? f.session.cancel({ immediate: true }) : f.session.dispose());
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    await settle();
    expect(spy.runs).toHaveLength(0);
    expect(terminals(f)).toEqual(['cancelled']);
    const report = f.session.turns.value[0]?.outcome?.report;
    expect(report).toEqual({ done: [], failed: [], irreversible: [], lost: [], unknown: [] });
  });

  it('cancel inside toolsRequested: no guard is asked, and no tool runs', async () => {
    const spy = spyTool('spy');
    const guard = forcedGuard('rules', 'allow');
    await using f = fixture([callTools({ tool: 'board.spy' })], {
      domains: [{ id: 'board', tools: [spy] }],
      guards: [guard],
    });
    atOperation(f.session, 'toolsRequested', () => void f.session.cancel());
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(guard.calls).toHaveLength(0);
    expect(spy.runs).toHaveLength(0);
  });
});
