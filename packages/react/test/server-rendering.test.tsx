// @vitest-environment jsdom
import { scriptedProvider } from '@banister/testing';
import { act } from 'react';
import { hydrateRoot, type RootOptions } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createAgentSession,
  useSession,
  useSignalValue,
  type AgentSession,
  type SavedConversation,
} from '../src/index.js';

function Chat({ session }: { readonly session: AgentSession }) {
  const turns = useSignalValue(session.turns);
  const text = useSession(session, (of) => of.turns.value.map(({ status }) => status).join());
  return (
    <section>
      <h1>{text}</h1>
      <ol>
        {turns.map(({ id, rounds }) => (
          <li key={id}>
            {rounds.flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))}
          </li>
        ))}
      </ol>
    </section>
  );
}

async function savedConversation() {
  const session = createAgentSession({ provider: scriptedProvider(['The first answer.']) });
  await session.send('Hello');
  return session.save();
}

function restored(conversation: SavedConversation, ...answers: readonly string[]) {
  return createAgentSession({ provider: scriptedProvider(answers), conversation });
}

beforeEach(() => vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true));
afterEach(() => vi.unstubAllGlobals());

test('a restored conversation renders on a server', async () => {
  const html = renderToString(<Chat session={restored(await savedConversation())} />);
  expect(html).toContain('The first answer.');
  expect(html).toContain('completed');
});

test('the page that a server rendered hydrates without a mismatch, and follows the session', async () => {
  // Over the wire, as a real page gets it.
  const saved = JSON.parse(JSON.stringify(await savedConversation())) as SavedConversation;
  const container = document.body.appendChild(document.createElement('div'));
  container.innerHTML = renderToString(<Chat session={restored(saved)} />);
  const serverMarkup = container.innerHTML;

  const problems: unknown[] = [];
  const complain = vi.spyOn(console, 'error').mockImplementation((...args) => void problems.push(args));
  const options: RootOptions = { onRecoverableError: (error) => problems.push(error) };
  const session = restored(saved, 'The second answer.');
  const root = await act(() => hydrateRoot(container, <Chat session={session} />, options));
  expect(container.innerHTML).toBe(serverMarkup);

  await act(() => session.send('And then?'));
  expect(container.textContent).toContain('The second answer.');
  expect(problems).toEqual([]);

  await act(() => root.unmount());
  complain.mockRestore();
  container.remove();
});
