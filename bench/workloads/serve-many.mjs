import assert from 'node:assert/strict';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { measured } from './measured.mjs';

const DELTAS = 500;

/** W10: `size` sessions in a process stream at once, each a delta per macrotask. Operations are read, signals are not. */
export async function serveMany(create, { size, scheduler }) {
  const deltas = textDeltas(DELTAS);
  let length = 0;
  const sessions = Array.from({ length: size }, () => {
    const session = create({ model: textModel(deltas, { pace: 'task' }), scheduler });
    session.deltas?.((delta) => (length += delta.length));
    return session;
  });
  const { cpuUs } = await measured(() => Promise.all(sessions.map((session) => session.send('Hello'))));
  const text = deltas.join('');
  for (const session of sessions) assert.equal(session.text(), text);
  if (sessions[0].deltas !== undefined) assert.equal(length, size * text.length);
  return { cpuPerDelta: cpuUs / (size * DELTAS) };
}
