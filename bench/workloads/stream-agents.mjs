import assert from 'node:assert/strict';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { memoryLog } from '../sides/built-log.mjs';
import { createAgentSession, effect, frames } from '../sides/built-session.mjs';
import { measured } from './measured.mjs';

/** W22: answers of 1,000 deltas each of `size` agents side by side, in a log with a follower; beside the same answer without an agent. */
export async function streamAgents(create, { size, deltas: count = 1_000 }) {
  const deltas = textDeltas(count);
  let last = Infinity;
  let longest = 0;
  const onEmit = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const model = textModel(deltas, { pace: 'task', onEmit });
  let logged = 0;
  const id = 'chat';
  const memory = memoryLog();
  const log = {
    ...memory,
    append(lease, record, options) {
      logged += JSON.stringify(record.operations).length;
      return memory.append(lease, record, options);
    },
  };
  const { session, texts } = create({ model, agents: size, log, id, ports: { scheduler: frames() } });
  await opened(session);
  const provider = { id: 'bench', model: 'scripted', async *stream() {} };
  const follower = createAgentSession({ provider, id, log, ports: { scheduler: frames() } });
  await opened(follower);
  let publications = 0;
  const dispose = effect(() => {
    void session.liveTurn.value;
    publications++;
  });
  const started = performance.now();
  const { cpuUs } = await measured(() => session.send('Hello'));
  const inFrames = (performance.now() - started) / 16;
  dispose();
  const answers = texts();
  for (const text of answers) assert.equal(text, deltas.join(''));
  while (follower.state.sequence < session.state.sequence) await new Promise((next) => setTimeout(next, 10));
  assert.deepEqual(follower.state.turns, session.state.turns);
  await session.dispose();
  await follower.dispose();
  return {
    cpuPerDelta: cpuUs / (answers.length * count),
    longest,
    publicationsPerFrame: publications / inFrames,
    logged: logged / answers.length,
  };
}

function opened({ link }) {
  return new Promise((resolve) => {
    effect(() => {
      if (link.value.open) resolve();
    });
  });
}
