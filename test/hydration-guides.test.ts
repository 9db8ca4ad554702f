// @vitest-environment jsdom
// The guides say how a page that a server has drawn is hydrated. A page fetches the code of sessions first, as a user's does: nothing is preloaded.
import { pathToFileURL } from 'node:url';
import { createAgentSession, type AgentSession, type SessionOptions } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { act } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { writeDocExamples } from './kit/doc-examples.js';

type Hydrate = (...given: readonly unknown[]) => AgentSession | Promise<AgentSession>;

const examples = writeDocExamples('hydration', ['docs/react.md', 'docs/vue.md', 'docs/svelte.md']).filter(
  ({ code }) => code.includes('function hydrate('),
);
const options: SessionOptions = { provider: scriptedProvider([]) };

let saved: string;
let problems: unknown[];

beforeAll(async () => {
  const session = createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  await session.send('Hi');
  saved = JSON.stringify(session.save());
});
beforeEach(() => {
  problems = [];
  for (const method of ['warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...said) => void problems.push(said.join(' ')));
  vi.resetModules();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function hydrateOf(page: string): Promise<Hydrate> {
  const file = examples.find((example) => example.page === page)!.file;
  return ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as { hydrate: Hydrate }).hydrate;
}

/** An element with the markup of a server in it. */
function drawn(markup: string): HTMLElement {
  const root = document.createElement('div');
  root.innerHTML = markup;
  return root;
}

test('the page of the React guide hydrates the markup of a server without a mismatch', async () => {
  const hydrate = await hydrateOf('docs/react.md');
  const root = drawn('<p>1<!-- --> turns</p>');
  const paragraph = root.firstChild;
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  // Where there is a mismatch, React throws here, or draws the paragraph anew.
  await act(() => hydrate(root, saved, options));
  expect(root.textContent).toBe('1 turns');
  expect(root.firstChild).toBe(paragraph);
  expect(problems).toEqual([]);
});

test('the page of the Vue guide hydrates the markup of a server without a mismatch', async () => {
  const hydrate = await hydrateOf('docs/vue.md');
  const { h } = await import('vue');
  const root = drawn('<p>1 turns</p>');
  const page = ({ session }: { session: AgentSession }) => h('p', `${session.turns.value.length} turns`);
  await hydrate(Object.assign(page, { props: ['session'] }), root, saved, options);
  expect(root.textContent).toBe('1 turns');
  expect(problems).toEqual([]);
});

test('the page of the Svelte guide has the turns that the server drew when it is hydrated', async () => {
  const hydrate = await hydrateOf('docs/svelte.md');
  const drawnTurns: number[] = [];
  const page = (_anchor: unknown, { session }: { session: AgentSession }) =>
    void drawnTurns.push(session.turns.value.length);
  await hydrate(page, drawn('<!--[--><!--]-->'), saved, options);
  expect(drawnTurns).toEqual([1]);
  expect(problems).toEqual([]);
});
