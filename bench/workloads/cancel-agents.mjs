import assert from 'node:assert/strict';
import { setImmediate as macrotask, setTimeout as sleep } from 'node:timers/promises';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { effect, frames } from '../sides/built-session.mjs';

const CANCELS = 20;
const STREAMING_SINCE = 20;

/** W23: cancels a turn while `agents` agents stream side by side. Returns the longest of several times until the session is idle, and the leaves that arrive later. */
export async function cancelAgents(create, { size: level, agents = 100 }) {
  const deltas = textDeltas(5_000);
  let longest = 0;
  let late = 0;
  for (let count = 0; count < CANCELS; count++) {
    let emitted = 0;
    const model = textModel(deltas, { pace: 'task', onEmit: () => emitted++ });
    const { session } = create({ model, agents, ports: { scheduler: frames() } });
    let leaves = 0;
    session.operations$.subscribe(({ type }) => type === 'subagent' && leaves++);
    session.send('Hello').catch(() => {});
    while (emitted < agents * STREAMING_SINCE) await macrotask();
    let idleAt;
    const dispose = effect(() => {
      if (!session.isRunning.value) idleAt ??= performance.now();
    });
    const cancelledAt = performance.now();
    const ended = session.cancel({ immediate: level === 'abort' });
    await ended;
    while (idleAt === undefined) await macrotask();
    longest = Math.max(longest, idleAt - cancelledAt);
    const then = leaves;
    await sleep(20);
    late += leaves - then;
    dispose();
    assert.equal(session.state.turns.at(-1).status, 'cancelled');
    await session.dispose();
  }
  return { longest, late };
}
