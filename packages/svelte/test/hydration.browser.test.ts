import { scriptedProvider } from '@banister/testing';
import { hydrate, tick, unmount } from 'svelte';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { commands } from 'vitest/browser';
import { createAgentSession, type SavedConversation } from '../src/index.js';
import Chat from './Chat.svelte';

let saved: SavedConversation;
/** The page that a server rendered from that conversation. */
let page: string;
let problems: unknown[];
let target: HTMLElement;

// The server compiles the page first.
beforeAll(async () => {
  saved = await savedConversation();
  page = await commands.renderOnServer<string>('/packages/svelte/test/server-page.ts', saved);
}, 120_000);

beforeEach(() => {
  problems = [];
  for (const method of ['warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...said) => void problems.push(said.join(' ')));
  }
  target = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  vi.restoreAllMocks();
  target.remove();
});

async function savedConversation(): Promise<SavedConversation> {
  const session = createAgentSession({ provider: scriptedProvider(['The first answer.']) });
  await session.send('Hello');
  return session.save();
}

function restored(conversation: SavedConversation, ...answers: readonly string[]) {
  return createAgentSession({ provider: scriptedProvider(answers), conversation });
}

test('the page that a server rendered hydrates without a mismatch, and follows the session', async () => {
  target.innerHTML = page;
  const heading = target.querySelector('h1')!;
  const item = target.querySelector('li')!;
  expect(item.textContent).toContain('The first answer.');

  const session = restored(saved, 'The second answer.');
  // Without recovery, markup that does not match throws.
  const view = hydrate(Chat, { target, props: { session }, recover: false });
  await tick();
  expect(target.querySelector('h1')).toBe(heading);
  expect(target.querySelector('li')).toBe(item);

  await session.send('And then?');
  await tick();
  expect(heading.textContent).toBe('2 turns, idle');
  expect(target.querySelectorAll('li')[1]?.textContent).toContain('The second answer.');
  expect(problems).toEqual([]);
  await unmount(view);
});

test('markup that the server did not render throws as a mismatch', () => {
  target.innerHTML = '<p>Loading</p>';
  const session = restored(saved);
  expect(() => hydrate(Chat, { target, props: { session }, recover: false })).toThrow('hydration_failed');
});
