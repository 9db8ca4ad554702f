import { scriptedProvider } from '@banister/testing';
import { render } from 'svelte/server';
import { createAgentSession, preloadTurns, type SavedConversation } from '../src/index.js';
import Chat from './Chat.svelte';

/** Renders a saved conversation to a page, on a server. For `hydration.browser.test.ts`. */
export default async function page(conversation: SavedConversation): Promise<string> {
  // As the published entry for Node has it.
  await preloadTurns();
  const session = createAgentSession({ provider: scriptedProvider([]), conversation });
  return render(Chat, { props: { session } }).body;
}
