import assert from 'node:assert/strict';
import { pastMessages } from '../inputs/past-messages.mjs';
import { savedConversation } from '../inputs/saved-conversation.mjs';
import { measured } from './measured.mjs';

/** W11: opens a saved conversation of `size` messages. The floor parses its JSON, which a page does before it. */
export async function openConversation(create, { size }) {
  const json = JSON.stringify(savedConversation(pastMessages(size)));
  const conversation = JSON.parse(json);
  let session;
  const { cpuUs } = await measured(() => {
    session = create({ json, conversation });
  });
  assert.equal(session.messageCount(), size);
  return { opening: cpuUs / 1000 };
}
