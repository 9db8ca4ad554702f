import assert from 'node:assert/strict';
import { setImmediate as macrotask } from 'node:timers/promises';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { frames } from '../sides/built-session.mjs';

/** The share of the text after which publications count; earlier publications read less. */
const NEARLY_ALL = 0.8;

/**
 * W1b: a reader that reads the whole text once a frame, which makes V8 copy the text; `size` counts deltas of 5 characters. The figure
 * is the time of a publication with its readers. The floor is a growing string and a timer.
 */
export async function readWholeText(create, { size }) {
  const deltas = textDeltas(size);
  const text = deltas.join('');
  const clock = timedFrames(text.length * NEARLY_ALL);
  const session = create({ model: textModel(deltas, { pace: 'task' }), scheduler: clock.scheduler });
  if (session.pieces === undefined) return growString(deltas, clock);
  let seen = 0;
  const dispose = session.watch(() => {
    const shown = session.text();
    clock.length = shown.length;
    seen = lookInside(shown);
  });
  await session.send('Hello');
  dispose();
  assert.equal(session.text(), text);
  assert.equal(seen, lookInside(text));
  return { perPublication: clock.median() };
}

async function growString(deltas, clock) {
  let text = '';
  let isScheduled = false;
  for (const delta of deltas) {
    await macrotask();
    text += delta;
    if (isScheduled) continue;
    isScheduled = true;
    clock.scheduler.schedule(() => {
      isScheduled = false;
      clock.length = text.length;
      lookInside(text);
    });
  }
  return { perPublication: clock.median() };
}

function lookInside(text) {
  return text.length === 0 ? 0 : text.charCodeAt(text.length >> 1);
}

/** The default scheduler of sessions, with a stopwatch around each publication. */
function timedFrames(fromLength) {
  const { schedule } = frames();
  const durations = [];
  const clock = {
    /** The length of the text that the last publication showed. */
    length: 0,
    median: () => durations.sort((a, b) => a - b)[durations.length >> 1],
    scheduler: {
      schedule: (publish) =>
        schedule(() => {
          const begin = performance.now();
          publish();
          const duration = performance.now() - begin;
          if (clock.length >= fromLength) durations.push(duration);
        }),
    },
  };
  return clock;
}
