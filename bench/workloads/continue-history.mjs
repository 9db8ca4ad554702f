import assert from 'node:assert/strict';
import { pastMessages } from '../inputs/past-messages.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const DELTAS = 1_000;

/** W5: a turn of 1,000 deltas in a conversation of `size` messages. */
export async function continueHistory(create, { size, pace, scheduler }) {
  const deltas = textDeltas(DELTAS);
  const session = create({ model: textModel(deltas, { pace }), past: pastMessages(size), scheduler });
  let firstText;
  const dispose = session.watch(() => {
    if (firstText === undefined && session.text().length > 0) firstText = performance.now();
  });
  let sent;
  const { cpuUs } = await measured(() => {
    sent = performance.now();
    return session.send('Hello');
  });
  dispose();
  assert.equal(session.text(), deltas.join(''));
  assert.equal(session.messageCount(), size + 2);
  return { cpuPerDelta: cpuUs / DELTAS, untilText: firstText - sent };
}
