// @vitest-environment jsdom
import { scriptedProvider } from '@banister/testing';
import { expect, test, vi } from 'vitest';
import { createSSRApp, defineComponent, h, nextTick } from 'vue';
import { renderToString } from 'vue/server-renderer';
import {
  createAgentSession,
  useSession,
  useSignal,
  type AgentSession,
  type SavedConversation,
} from '../src/index.js';
import { computed } from '@banister/session/signals';

const chatOf = (session: AgentSession) =>
  createSSRApp(
    defineComponent(() => {
      const turns = useSignal(session.turns);
      const count = useSession(session, (of) => of.turns.value.length);
      return () =>
        h('section', [
          h('h1', `${count.value} turns`),
          h(
            'ol',
            turns.value.map(({ id, rounds }) =>
              h(
                'li',
                { key: id },
                rounds.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : ''))),
              ),
            ),
          ),
        ]);
    }),
  );

async function savedConversation() {
  const session = createAgentSession({ provider: scriptedProvider(['The first answer.']) });
  await session.send('Hello');
  return session.save();
}

function restored(conversation: SavedConversation, ...answers: readonly string[]) {
  return createAgentSession({ provider: scriptedProvider(answers), conversation });
}

test('a restored conversation renders on a server', async () => {
  const html = await renderToString(chatOf(restored(await savedConversation())));
  expect(html).toContain('The first answer.');
  expect(html).toContain('1 turns');
});

test('a page that a server rendered follows no signal afterwards', async () => {
  let listeners = 0;
  const watched = computed(() => 'now', { watched: () => listeners++, unwatched: () => listeners-- });
  const app = createSSRApp(
    defineComponent(() => {
      const value = useSignal(watched);
      return () => h('p', value.value);
    }),
  );
  expect(await renderToString(app)).toBe('<p>now</p>');
  expect(listeners).toBe(0);
});

test('the page that a server rendered hydrates without a mismatch, and follows the session', async () => {
  // Over the wire, as a real page gets it.
  const saved = JSON.parse(JSON.stringify(await savedConversation())) as SavedConversation;
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = await renderToString(chatOf(restored(saved)));
  const serverMarkup = container.innerHTML;

  const problems: unknown[] = [];
  const complain = (...args: unknown[]) => void problems.push(args);
  const spies = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
  for (const spy of spies) spy.mockImplementation(complain);
  const session = restored(saved, 'The second answer.');
  const app = chatOf(session);
  app.mount(container);
  expect(container.innerHTML).toBe(serverMarkup);

  await session.send('And then?');
  await nextTick();
  expect(container.textContent).toContain('The second answer.');
  expect(problems).toEqual([]);

  app.unmount();
  for (const spy of spies) spy.mockRestore();
  container.remove();
});
