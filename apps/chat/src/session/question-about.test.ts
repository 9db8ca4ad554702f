import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  type AgentSession,
} from '@banister/session';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { stepWords } from './step-words.js';
import { questionAbout } from './question-about.js';

let end = () => Promise.resolve();
afterEach(() => end());

/** A session that greets these people, and asks about each greeting. */
async function askAbout(...names: readonly string[]) {
  const greet = defineTool({
    name: 'greet',
    description: 'Greets a person.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    execute: () => 'greeted',
  });
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools(...names.map((name) => ({ tool: 'house.greet', args: { name } }))),
      say('Done.'),
    ]),
    domains: [defineDomain({ id: 'house', tools: [greet] })],
    guards: [confirmTools('house.greet')],
  });
  end = () => session.dispose();
  const turn = session.send('Greet them');
  await vi.waitUntil(() => session.pendingConfirmations.peek().length === names.length, 30_000);
  return { session, turn };
}

/** Returns the state of the calls of the running turn, or else of the last turn. */
function words(session: AgentSession): readonly string[] {
  const record = session.liveTurn.peek() ?? session.turns.peek().at(-1)!;
  const isOver = record.outcome !== null;
  return record.rounds
    .flatMap(({ parts }) => parts)
    .flatMap((part) =>
      part.type === 'tool-call'
        ? [
            stepWords(part, {
              question: questionAbout(session, part).peek(),
              isOver,
              isCurrent: false,
              isReviewed: false,
              title: '',
            }).word,
          ]
        : [],
    );
}

test('a call shows its answer while other calls wait for answers', async () => {
  const { session, turn } = await askAbout('Ada', 'Grace', 'Alan');
  expect(words(session)).toEqual(['Waiting for you', 'Waiting for you', 'Waiting for you']);
  void session.pendingConfirmations.peek()[0]!.deny();
  expect(words(session)).toEqual(['You refused', 'Waiting for you', 'Waiting for you']);
  void session.pendingConfirmations.peek()[0]!.approve({ arguments: { name: 'Hopper' } });
  expect(words(session)).toEqual(['You refused', 'Approved', 'Waiting for you']);
  void session.pendingConfirmations.peek()[0]!.approve();
  await turn;
  expect(words(session)).toEqual(['You refused', 'Done, as you edited it', 'Done']);
});

test('a call whose turn was stopped is shown as not run, regardless of its answer', async () => {
  const { session, turn } = await askAbout('Ada', 'Grace');
  words(session);
  void session.pendingConfirmations.peek()[0]!.approve();
  await session.cancel();
  await turn.catch(() => {});
  expect(words(session)).toEqual(['Not started', 'Not started']);
});
