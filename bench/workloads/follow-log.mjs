import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { memoryLog } from '../sides/built-log.mjs';
import { createAgentSession } from '../sides/built-session.mjs';

const FOLLOWERS = 50;
/** The number of deltas of an answer, each in its own operation. */
const DELTAS = 10_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** W20: the heap that followers of a log keep after `size` operations: at the end, and at its maximum while a follower stands still. */
export async function followLog(create, { size }) {
  const [log, id] = [memoryLog(), 'chat'];
  const writer = createAgentSession({ provider: answering(), id, log });
  const followers = await create({ log, id, count: FOLLOWERS });
  const before = await heap();
  for (let sent = 0; sent < size; sent += DELTAS) await writer.send('Hello');
  await followers.level(writer.state);
  const standing = await heap();
  await followers.end(writer.state);
  const kept = Math.max(standing, await heap()) - before;
  assert.ok(writer.state.sequence > size);
  for (const state of followers.states()) assert.deepEqual(state, writer.state);
  await writer.dispose();
  return { kept };
}

/** Ten deltas a millisecond, so that they reach the followers in many records. */
function answering() {
  return {
    id: 'bench',
    model: 'scripted',
    async *stream() {
      let count = 0;
      for (const delta of textDeltas(DELTAS)) {
        if (++count % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        yield { type: 'text', delta };
      }
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** The size of what is alive on the heap, in MB. */
async function heap() {
  // A collection does not free what the running task still references.
  for (let times = 0; times < 3; times++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
  }
  return process.memoryUsage().heapUsed / 1e6;
}
