// `SessionState.sequence`: the number of the last operation that was folded.
import { describe, expect, it } from 'vitest';
import { callTools, createVirtualClock, say } from '@banister/testing';
import { effect, type Operation } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { resolvePorts } from '../src/ports/ports.js';
import { SessionCore } from '../src/session/session-core.js';
import { createOutputs } from '../src/session/session-outputs.js';
import { addCard, createBoard } from './board.js';
import { fixture } from './fixture.js';

describe('sequence', () => {
  it('is 0 before the first operation, then the number of the last operation, in the state and the signal', async () => {
    await using f = fixture([callTools('a', addCard('A')), say(['b', 'c'])], {
      domains: [createBoard().domain()],
    });
    expect([f.session.state.sequence, f.session.sequence.value]).toEqual([0, 0]);
    const published: number[] = [];
    const stop = effect(() => void published.push(f.session.sequence.value));
    const inDelivery: boolean[] = [];
    f.session.operations$.subscribe(({ sequence }) =>
      inDelivery.push(f.session.state.sequence === sequence && f.session.sequence.value === sequence),
    );
    await f.session.send('Go');
    f.session.configure({ role: 'Changes no other field.' });
    stop();
    const { length } = f.observed.operations;
    expect(f.session.state.sequence).toBe(length);
    expect(published).toEqual(Array.from({ length: length + 1 }, (_, index) => index));
    expect(inDelivery).toEqual(Array<boolean>(length).fill(true));
  });

  it('goes on counting in a session that begins with a restored state', () => {
    const ports = resolvePorts({ clock: createVirtualClock(0) });
    const state = { ...initialState(), sequence: 41 };
    const respond = () => Promise.resolve('already-settled' as const);
    const core = new SessionCore(ports, state, createOutputs(state, ports, { respond }));
    core.showState();
    const seen: Operation[] = [];
    core.stream.operations$.subscribe((operation) => seen.push(operation));
    core.emitSession({ type: 'configured', changed: [] });
    core.emitSession({ type: 'disposed' });
    expect(seen.map(({ sequence }) => sequence)).toEqual([42, 43]);
    expect([core.state.sequence, core.projection.signals.sequence.value]).toEqual([43, 43]);
  });
});
