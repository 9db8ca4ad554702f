import assert from 'node:assert/strict';
import { setImmediate as macrotask, setTimeout as sleep } from 'node:timers/promises';
import { stallingModel, textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';

/** A figure that takes longer than this counts as never reached. In milliseconds. */
const NEVER = 2_000;
const STREAMING_SINCE = 50;

/** The situations in which a turn is cancelled. A deaf provider ignores that it was aborted. */
const models = {
  streaming: () => textModel(textDeltas(5_000), { pace: 'task' }),
  'streaming, deaf': () => textModel(textDeltas(5_000), { pace: 'task', deaf: true }),
  stalled: () => stallingModel(textDeltas(STREAMING_SINCE), { deaf: false }),
  'stalled, deaf': () => stallingModel(textDeltas(STREAMING_SINCE), { deaf: true }),
};

/** W6: cancels a running turn. Measures the time until it is idle and its promise is settled, and counts the deltas that still arrive. */
export async function cancelTurn(create, { size: situation, scheduler }) {
  const session = create({ model: models[situation](), scheduler, cancellable: true });
  let idleAt;
  const dispose = session.watch(() => {
    if (!session.isRunning()) idleAt ??= performance.now();
  });
  const pastStart = () => textDeltas(STREAMING_SINCE).join('').length <= session.text().length;
  let settledAt;
  const settled = () => (settledAt = performance.now());
  session.send('Hello').then(settled, settled);
  while (!pastStart()) await macrotask();
  await sleep(situation.startsWith('stalled') ? 20 : 0);

  idleAt = undefined;
  const cancelledAt = performance.now();
  session.cancel();
  const textThen = session.text();
  while ((idleAt === undefined || settledAt === undefined) && performance.now() < cancelledAt + NEVER) {
    await macrotask();
  }
  await sleep(50); // a deaf provider goes on meanwhile
  dispose();
  assert(!session.isRunning());
  return {
    untilIdle: (idleAt ?? Infinity) - cancelledAt,
    untilSettled: (settledAt ?? Infinity) - cancelledAt,
    lateDeltas: deltasIn(session.text().length) - deltasIn(textThen.length),
  };
}

function deltasIn(length) {
  const deltas = textDeltas(5_000);
  let count = 0;
  for (let rest = length; rest > 0; rest -= deltas[count - 1].length) count++;
  return count;
}
