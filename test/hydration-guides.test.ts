// @vitest-environment jsdom
// The guides say how a page that a server has drawn is hydrated. A page fetches the code of sessions first, as a user's does: nothing is preloaded.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { createAgentSession, type AgentSession, type SessionOptions } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';
import { memoryLog } from '@banister/storage';
import { act, createElement, lazy, Suspense, type ComponentType } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Component as VueComponent } from 'vue';
import { writeDocExamples } from './kit/doc-examples.js';

type Hydrate = (...given: readonly unknown[]) => AgentSession | Promise<AgentSession>;

const examples = writeDocExamples('hydration', ['docs/react.md', 'docs/vue.md', 'docs/svelte.md']);
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
  return (await moduleOf<{ hydrate: Hydrate }>(page, 'function hydrate(')).hydrate;
}

/** The example of a page that has this code. */
async function moduleOf<M>(page: string, code: string): Promise<M> {
  const { file } = examples.find((example) => example.page === page && example.code.includes(code))!;
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as M;
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

interface Sessions {
  readonly session: AgentSession;
  readonly first: AgentSession;
}

interface ReactGuide {
  Turns: ComponentType<Sessions>;
  firstOf(saved: string, options: SessionOptions): AgentSession;
  hydrateWithLog(root: Element, saved: string, options: SessionOptions): Promise<AgentSession>;
}

/** The markup that a server of React streams. */
async function streamed(page: React.ReactElement): Promise<string> {
  const { renderToPipeableStream } = await import('react-dom/server');
  const through = new PassThrough();
  const { pipe } = renderToPipeableStream(page, { onAllReady: () => pipe(through) });
  return text(through);
}

test('audit-R14 a Suspense boundary that hydrates after a message has the markup of the server, then the new turn', async () => {
  const { preloadTurns } = await import('@banister/react');
  const { Turns, firstOf } = await moduleOf<ReactGuide>('docs/react.md', 'hydrateWithLog(');
  const { hydrateRoot } = await import('react-dom/client');
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  await preloadTurns();
  const page = (late: ComponentType<Sessions>, sessions: Sessions) =>
    createElement('main', null, [
      createElement(Turns, { ...sessions, key: 'now' }),
      createElement(Suspense, { key: 'late' }, createElement(late, sessions)),
    ]);
  const onServer = firstOf(saved, options);
  const root = drawn(await streamed(page(Turns, { first: onServer, session: onServer })));
  const paragraphs = [...root.querySelectorAll('p')];
  expect(paragraphs.map(({ textContent }) => textContent)).toEqual(['1 turns', '1 turns']);

  const answers = { provider: scriptedProvider([say('Hello again.')]) };
  const session = firstOf(saved, answers);
  let arrive!: () => void;
  const arrival = new Promise<{ default: typeof Turns }>((done) => (arrive = () => done({ default: Turns })));
  const recovered: unknown[] = [];
  const late = lazy(() => arrival);
  await act(() =>
    hydrateRoot(root, page(late, { first: firstOf(saved, answers), session }), {
      onRecoverableError: (error) => recovered.push(error),
    }),
  );
  await act(() => session.send('Again'));
  expect(paragraphs.map(({ textContent }) => textContent)).toEqual(['2 turns', '1 turns']);

  await act(async () => arrive());
  expect([...root.querySelectorAll('p')]).toEqual(paragraphs);
  expect(paragraphs.map(({ textContent }) => textContent)).toEqual(['2 turns', '2 turns']);
  expect([recovered, problems]).toEqual([[], []]);
});

/** Opens a chat with one turn in a log, and leaves it. Returns the options of a page for it, and the conversation that a server draws. */
async function kept(...answers: readonly string[]): Promise<{ options: SessionOptions; saved: string }> {
  const log = memoryLog();
  const chat: SessionOptions = { provider: scriptedProvider(['Hello.', ...answers]), id: 'chat', log };
  const session = createAgentSession(chat);
  await session.send('Hi');
  await session.dispose();
  return { options: chat, saved: JSON.stringify(session.save()) };
}

/** Expects that a page with a log keeps the server's elements while its log opens and after a message. */
async function expectKept(
  root: HTMLElement,
  hydrate: () => Promise<AgentSession>,
  settled: (work: () => Promise<unknown>) => Promise<unknown> = (work) => work(),
): Promise<void> {
  const elements = [...root.querySelectorAll('p, button')];
  const texts = () => [...root.querySelectorAll('p')].map(({ textContent }) => textContent);
  const seen: (string | null)[][] = [texts()];
  const watcher = new MutationObserver(() => void seen.push(texts()));
  watcher.observe(root, { subtree: true, childList: true, characterData: true });
  let session!: AgentSession;
  await settled(async () => (session = await hydrate()));
  await settled(async () => session.send('Again'));
  await settled(() => Promise.resolve());
  watcher.disconnect();
  expect([...root.querySelectorAll('p, button')]).toEqual(elements);
  expect([...new Set(seen.flat())]).toEqual(['1 turns', '2 turns']);
  expect(session.link.value.role).toBe('writer');
  expect(problems).toEqual([]);
}

test('audit-AD-8 a page of React with a log shows the turns that the server drew until its log is open, and keeps their elements', async () => {
  const chat = await kept('Hello again.');
  const { Turns, firstOf, hydrateWithLog } = await moduleOf<ReactGuide>('docs/react.md', 'hydrateWithLog(');
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  await (await import('@banister/react')).preloadTurns();
  const first = firstOf(chat.saved, chat.options);
  const root = drawn(await streamed(createElement(Turns, { first, session: first })));
  await expectKept(
    root,
    () => hydrateWithLog(root, chat.saved, chat.options),
    (work) => act(work),
  );
});

interface VueGuide {
  Turns: VueComponent;
  firstOf(saved: string, options: SessionOptions): AgentSession;
  hydrateWithLog(root: Element, saved: string, options: SessionOptions): Promise<AgentSession>;
}

test('audit-AD-8 a page of Vue with a log shows the turns of the server until the log has them', async () => {
  const chat = await kept('Hello again.');
  const { Turns, firstOf, hydrateWithLog } = await moduleOf<VueGuide>('docs/vue.md', 'hydrateWithLog(');
  const { createSSRApp } = await import('vue');
  const { renderToString } = await import('vue/server-renderer');
  await (await import('@banister/vue')).preloadTurns();
  const first = firstOf(chat.saved, chat.options);
  const root = drawn(await renderToString(createSSRApp(Turns, { first, session: first })));
  await expectKept(root, () => hydrateWithLog(root, chat.saved, chat.options));
});

test('audit-R14 an async component of Vue that hydrates after a message has the markup of the server, then the new turn', async () => {
  const { Turns, firstOf } = await moduleOf<VueGuide>('docs/vue.md', 'hydrateWithLog(');
  const { createSSRApp, defineAsyncComponent, h, nextTick } = await import('vue');
  const { renderToString } = await import('vue/server-renderer');
  await (await import('@banister/vue')).preloadTurns();
  const answers = { provider: scriptedProvider([say('Hello again.')]) };
  const [first, session] = [firstOf(saved, answers), firstOf(saved, answers)];
  let arrive!: () => void;
  const arrival = new Promise<typeof Turns>((done) => (arrive = () => done(Turns)));
  const page = (late: typeof Turns, sessions: Sessions & Record<string, unknown>) =>
    createSSRApp(() => h('main', [h(Turns, sessions), h(late, sessions)]));
  const root = drawn(await renderToString(page(Turns, { first, session: first })));
  const paragraphs = [...root.querySelectorAll('p')];
  page(
    defineAsyncComponent(() => arrival),
    { first, session },
  ).mount(root);
  await session.send('Again');
  await nextTick();
  expect(paragraphs.map(({ textContent }) => textContent)).toEqual(['2 turns', '1 turns']);
  arrive();
  await vi.waitFor(() => expect(paragraphs[1]!.textContent).toBe('2 turns'));
  expect([...root.querySelectorAll('p')]).toEqual(paragraphs);
  expect(problems).toEqual([]);
});

test('audit-AD-8 a page of Svelte with a log shows the turns of the server until the log has them', async () => {
  const chat = await kept('Hello again.');
  const { default: page } = await moduleOf<{ default: unknown }>('docs/svelte.md', 'isMounted');
  const { hydrateWithLog } = await moduleOf<{ hydrateWithLog: Hydrate }>('docs/svelte.md', 'hydrateWithLog(');
  const root = drawn('<!--[--><p>1 turns</p> <button>Tidy up</button><!--]-->');
  await expectKept(root, async () => hydrateWithLog(page, root, chat.saved, chat.options));
});
