import assert from 'node:assert/strict';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { frames } from '../sides/built-session.mjs';

/** Publications count from this share of the text on; earlier ones have less to read. */
const NEARLY_ALL = 0.8;

/**
 * W1b: a reader that looks inside the whole text at each publication, which makes V8 copy the text; `size` in deltas of 5
 * characters. A publication takes as long as it and its readers take.
 */
export async function readWholeText(create, { size }) {
  const deltas = textDeltas(size);
  const text = deltas.join('');
  const { schedule } = frames();
  let seen = 0;
  const durations = [];
  const timedFrames = {
    schedule: (publish) =>
      schedule(() => {
        const begin = performance.now();
        publish();
        if (session.text().length >= text.length * NEARLY_ALL) durations.push(performance.now() - begin);
      }),
  };
  const session = create({ model: textModel(deltas, { pace: 'task' }), scheduler: timedFrames });
  const dispose = session.watch(() => {
    const shown = session.text();
    seen = shown.length === 0 ? 0 : shown.charCodeAt(shown.length >> 1);
  });
  await session.send('Hello');
  dispose();
  assert.equal(session.text(), text);
  assert.equal(seen, text.charCodeAt(text.length >> 1));
  return { perPublication: durations.sort((a, b) => a - b)[durations.length >> 1] };
}
