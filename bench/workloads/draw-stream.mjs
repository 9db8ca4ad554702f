import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPage } from '../inputs/page.mjs';
import { pastMessages } from '../inputs/past-messages.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { measured } from './measured.mjs';

const PAST = 200;
let document;

/** W7: a page with 200 settled messages draws an answer of `size` deltas, one delta for each macrotask. */
export async function drawStream(create, { framework, deltas: count, ends }) {
  document ??= openPage();
  document.body.replaceChildren();
  const deltas = textDeltas(count);
  const drawn = { list: 0, message: 0, live: 0 };
  const model = textModel(deltas, { pace: 'task' });
  const { target, send } = await create({ framework, model, past: pastMessages(PAST), document, drawn });
  await sleep(100);
  const mounted = { ...drawn };
  assert(mounted.message >= PAST, `${mounted.message} messages drawn`);
  // A view may have white space between its elements.
  const expected = ends ?? deltas.join('').trimEnd();
  const start = performance.now();
  const { cpuUs } = await measured(async () => {
    await send();
    while (!target.textContent.trimEnd().endsWith(expected)) await sleep(5);
  });
  const frames = Math.ceil((performance.now() - start) / (1000 / 60));
  // The list changes only when the turn settles; earlier messages are not drawn again.
  return {
    cpuPerDelta: cpuUs / count,
    listDrawn: drawn.list - mounted.list,
    messagesDrawn: drawn.message - mounted.message,
    // The first piece and the end of the turn are drawn at once, in addition to the frames.
    liveBesideFrames: drawn.live - mounted.live - frames,
  };
}
