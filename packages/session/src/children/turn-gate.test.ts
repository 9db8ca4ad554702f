import { settle, spyTool } from '@banister/testing';
import { Observable, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import { createToolRegistry } from '../tools/tool-registry.js';
import { batchCall, type BatchCall } from '../turn/batch-call.js';
import { Cancellation } from '../turn/cancellation.js';
import type { AgentGate } from '../turn/turn-parts.js';
import { rootGate } from './turn-gate.js';

type Stub = Parameters<AgentGate['forChild']>[0];

/** The part of a child turn that its gate uses. */
function stubOf(id: string) {
  const holds = { open: 0 };
  const done: string[] = [];
  const cancellation = new Cancellation();
  const hold = () => {
    holds.open++;
    return () => holds.open--;
  };
  const parts = () => done.map((call) => ({ type: 'tool-call', id: call, result: { outcome: 'success' } }));
  const turn = {
    agent: { id, child: id, path: [id] },
    effectsOf: 'turn_1',
    cancellation,
    ports: { reportError: () => {} },
    clock: { hold },
    current: () => ({ fold: { turn: null, undo: [] }, liveTurn: { rounds: [{ parts: parts() }] } }),
  } as unknown as Stub;
  return { turn, holds, done, cancellation };
}

/** Two agents side by side, with so many permits. */
function agents(permits = 4) {
  const root = { ...stubOf('root').turn, agent: undefined, executing: [] };
  const gate = rootGate(root, permits);
  const [notes, checks] = [stubOf('notes'), stubOf('checks')];
  return {
    notes: { ...notes, gate: gate.forChild(notes.turn, 'call of notes') },
    checks: { ...checks, gate: gate.forChild(checks.turn, 'call of checks') },
  };
}

function call(id: string, on: readonly string[]): BatchCall {
  const spy = spyTool('write', { resources: ({ on: names }) => names as readonly string[] });
  const tool = createToolRegistry([{ id: 'board', tools: [spy] }]).get('board.write')!;
  const ready = { id, tool, arguments: { on }, value: { on } };
  return Object.assign(batchCall({ callId: id, tool: tool.id } as never), { ready }) as unknown as BatchCall;
}

it('agents C22 a call waits for another agent without time of its turn, and is let in', async () => {
  const { notes, checks } = agents();
  const first = call('a', ['card 1']);
  expect(notes.gate.entering(first)).toBeNull();
  expect(checks.gate.entering(call('b', ['card 2']))).toBeNull();
  let isIn = false;
  checks.gate.entering(call('c', ['card 1']))!.subscribe({ complete: () => (isIn = true) });
  expect({ isIn, open: checks.holds.open }).toEqual({ isIn: false, open: 1 });
  notes.gate.left(first);
  await settle();
  expect({ isIn, open: checks.holds.open }).toEqual({ isIn: true, open: 0 });
});

it('agents C22 a cancel ends the wait of a call', () => {
  const { notes, checks } = agents();
  notes.gate.entering(call('a', ['card 1']));
  let error: unknown;
  checks.gate.entering(call('b', ['card 1']))!.subscribe({ error: (thrown: unknown) => (error = thrown) });
  checks.cancellation.raise('cancel', 'rollback');
  checks.cancellation.notify();
  expect(error).toMatchObject({ code: 'cancelled' });
  expect(checks.holds.open).toBe(0);
});

it('agents C22 to take an effect back counts as a call of its tool, and as a change', async () => {
  const { notes, checks } = agents();
  const first = call('a', ['card 1']);
  notes.gate.entering(first);
  const steps: string[] = [];
  const reverted = checks.gate.takingBack(
    [call('b', ['card 1']).ready!],
    async () => void steps.push('reverted'),
  );
  await settle();
  expect(steps).toEqual([]);
  notes.gate.left(first);
  await reverted;
  expect(steps).toEqual(['reverted']);
  expect(notes.gate.entering(call('c', ['card 1']))).not.toBeNull();
});

it('agents C24 a stale call is answered as a conflict with agent and resource, and runs after the next request', () => {
  const { notes, checks } = agents();
  const first = call('a', ['card 1']);
  checks.gate.entering(first);
  checks.done.push('a');
  checks.gate.left(first);
  const facts: unknown[] = [];
  const stale = call('b', ['card 1']);
  notes.gate.entering(stale)!.subscribe((fact) => facts.push(fact));
  const text = '[agent checks changed "card 1" since you read it. Read it again.]';
  expect(stale.rejected).toBe(true);
  expect(facts).toMatchObject([
    { calls: [{ reason: 'conflict', result: { outcome: 'conflict', content: [{ text }] } }] },
  ]);
  notes.gate.requested();
  expect(notes.gate.entering(call('c', ['card 1']))).toBeNull();
});

it('agents C25 an answer gives its permit back while a call inside it runs, and waits for it afterwards', async () => {
  const { notes, checks } = agents(1);
  const steps: string[] = [];
  const request = (name: string) => new Observable<never>(() => void steps.push(name));
  notes.gate.asking(request('first')).subscribe();
  const second = checks.gate.asking(request('second')).subscribe();
  expect({ steps, open: checks.holds.open }).toEqual({ steps: ['first'], open: 1 });
  const batch = new Subject<never>();
  notes.gate.callInside(batch).subscribe({ complete: () => steps.push('first goes on') });
  await settle();
  expect(steps).toEqual(['first', 'second']);
  batch.complete();
  await settle();
  expect({ steps, open: notes.holds.open }).toEqual({ steps: ['first', 'second'], open: 1 });
  second.unsubscribe();
  await settle();
  expect(steps).toEqual(['first', 'second', 'first goes on']);
});
