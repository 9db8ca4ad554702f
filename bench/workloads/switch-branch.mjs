import assert from 'node:assert/strict';
import { branchedConversation } from '../inputs/branched-conversation.mjs';
import { openBrowserPage } from '../inputs/browser-page.mjs';

/** W13: a page with a conversation of 2,000 turns in 300 branches goes to `switches` branches, one after another. */
export async function switchBranch(create, { framework, switches }) {
  const { conversation, heads } = branchedConversation();
  const chosen = heads.filter((_, index) => index % Math.floor(heads.length / switches) === 0);
  const { page, close } = await openBrowserPage();
  const { times, lists, text } = await create({ page, framework, conversation, heads: chosen });
  await close();
  const last = chosen.at(-1).split('_')[1];
  assert(text.includes(`Answer ${last}:`), `the list has no answer ${last}`);
  const sorted = times.toSorted((a, b) => a - b);
  return {
    // The first switch loads the code of the command.
    firstFrame: times[0],
    untilFrame: sorted[sorted.length >> 1],
    listDrawn: Math.max(...lists),
  };
}
