import { scriptedProvider } from '@handrail/testing';
import { render } from 'svelte/server';
import { createAgentSession, type SavedConversation } from '../src/index.js';
import Chat from './Chat.svelte';

/** Renders a saved conversation to a page, on a server. For `hydration.browser.test.ts`. */
export default function page(conversation: SavedConversation): string {
  const session = createAgentSession({ provider: scriptedProvider([]), conversation });
  return render(Chat, { props: { session } }).body;
}
