import assert from 'node:assert/strict';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { reportingModel, textModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

/** W1: an answer of `size` deltas, and a reader that reads every publication. W1c: with a usage report after each delta. */
export async function streamText(create, { size, pace, scheduler, liveTurn, usage = false }) {
  const deltas = textDeltas(size);
  const model = (usage ? reportingModel : textModel)(deltas, { pace });
  const session = create({ model, scheduler, liveTurn });
  let publications = 0;
  let length = 0;
  const dispose = session.watch(() => {
    publications++;
    length = session.text().length;
  });
  const started = performance.now();
  const { cpuUs } = await measured(() => session.send('Hello'));
  const frames = (performance.now() - started) / 16;
  dispose();
  const expected = deltas.join('');
  assert.equal(session.text(), expected);
  assert.equal(length, expected.length);
  // An immediate reader saw every single delta; a reader by frames saw at least the end.
  assert(publications >= (scheduler === 'immediate' ? size : 2), `${publications} publications`);
  return { cpuPerDelta: cpuUs / size, publicationsPerFrame: publications / frames };
}
