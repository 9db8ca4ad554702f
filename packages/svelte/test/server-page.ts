import { scriptedProvider } from '@handrail/testing';
import { render } from 'svelte/server';
import { createAgentSession, type SavedConversation } from '../src/index.js';
import Chat from './Chat.svelte';

/** The page as a server makes it of a saved conversation. Runs there, for `hydration.browser.test.ts`. */
export default function page(conversation: SavedConversation): string {
  const session = createAgentSession({ provider: scriptedProvider([]), conversation });
  return render(Chat, { props: { session } }).body;
}
