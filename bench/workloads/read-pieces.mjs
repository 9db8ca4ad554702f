import assert from 'node:assert/strict';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';
import { streamText } from './stream-text.mjs';

/** W1b: a reader that reads the text by appended pieces. The floor is the floor of W1, whose reader does not read it. */
export async function readPieces(create, options) {
  const { size, pace, scheduler } = options;
  const deltas = textDeltas(size);
  const session = create({ model: textModel(deltas, { pace }), scheduler });
  if (session.pieces === undefined) return streamText(create, options);
  let pieces = 0;
  let sum = 0;
  const subscription = session.pieces((piece) => {
    pieces++;
    for (let at = 0; at < piece.length; at++) sum += piece.charCodeAt(at);
  });
  const { cpuUs } = await measured(() => session.send('Hello'));
  subscription.unsubscribe();
  assert.equal(pieces, size);
  assert.equal(sum, sumOf(deltas.join('')));
  return { cpuPerDelta: cpuUs / size };
}

function sumOf(text) {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}
