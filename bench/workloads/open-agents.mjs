import assert from 'node:assert/strict';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { createTurnsOfAgents } from '../sides/turns-of-agents.mjs';
import { measured } from './measured.mjs';

const AGENTS = 8;
/** The question, the call, its result and the answer. */
const MESSAGES = 4;
/** A conversation is made once for all repetitions. */
let made;

/** W24: opens a saved conversation of `size` turns with 8 agents each, of which each gave an answer of 200 deltas. */
export async function openAgents(create, { size }) {
  if (made?.size !== size) made = { size, json: JSON.stringify(await savedBy(size)) };
  const { json } = made;
  const conversation = JSON.parse(json);
  let session;
  const { cpuUs } = await measured(() => {
    session = create({ json, conversation });
  });
  assert.equal(session.messageCount(), size * MESSAGES);
  return { opening: cpuUs / 1000, megabytes: Buffer.byteLength(json) / 1e6 };
}

async function savedBy(turns) {
  const { session } = createTurnsOfAgents({ model: textModel(textDeltas(200)), agents: AGENTS });
  for (let count = 0; count < turns; count++) await session.send('Hello');
  return session.save();
}
