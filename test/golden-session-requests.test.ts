import type { ProviderRequest } from '@banister/provider';
import {
  compaction,
  createAgentSession,
  defineTool,
  type LocalAgentSession,
  type Middleware,
  type SessionOptions,
} from '@banister/session';
import { outputGuard } from '@banister/session/filters';
import {
  callTools,
  createSequentialIds,
  gate,
  say,
  scriptedProvider,
  validateRequest,
  type AnswerSource,
} from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { apis, bodyOf } from './request-bodies.js';

// The requests that a session makes by itself: with a note of a middleware, for a summary, to mend a structured answer. Each of them in the form
// of each API, kept beside this file.

const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: ({ title }, context) => {
    context.undo({ description: `Added “${title}”`, revert: () => {} });
    return { added: title };
  },
});
const domains = [{ id: 'board', tools: [addCard] }];
const adding = callTools('I add it.', { tool: 'board.add', args: { title: 'A' } });
const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]);

/** Returns the requests of a session. */
async function requestsOf(
  answers: readonly AnswerSource[],
  options: Partial<SessionOptions>,
  run: (session: LocalAgentSession) => Promise<unknown>,
): Promise<readonly ProviderRequest[]> {
  const provider = scriptedProvider(answers);
  const session = createAgentSession({ provider, ports: { ids: createSequentialIds() }, ...options });
  await run(session);
  await session.dispose();
  return provider.requests;
}

/** Long enough that a summary saves something. */
const long = 'word '.repeat(300);

/** The requests of each life, whose last one is kept. */
const requests: Readonly<Record<string, () => Promise<readonly ProviderRequest[]>>> = {
  'an answer that was withheld, and the note that asks again': () => {
    const guard = outputGuard({
      check: ({ text }) => (text.includes('€') ? 'It named a price.' : null),
      again: 'Answer again, without prices.',
    });
    return requestsOf([say('It costs 5 €.'), say('Ask us.')], { middleware: [guard] }, (session) =>
      session.send('How much is it?'),
    );
  },
  'a note with which a middleware continues the turn': () => {
    const checks: Middleware = {
      name: 'checks',
      afterTurn: ({ text }) => (text.includes('tested') ? 'end' : { continue: 'Test it as well.' }),
    };
    return requestsOf([say('I wrote it.'), say('I tested it.')], { middleware: [checks] }, (session) =>
      session.send('Write it.'),
    );
  },
  'arguments that a middleware replaced, and a call that it rejected': () => {
    const checks: Middleware = {
      name: 'checks',
      beforeToolCalls: (calls) =>
        Object.fromEntries(
          calls.map(({ id, arguments: args }) => [
            id,
            args['title'] === 'A' ? { arguments: { title: 'B' } } : { reject: 'No such card.' },
          ]),
        ),
    };
    const two = callTools(
      { tool: 'board.add', args: { title: 'A' } },
      { tool: 'board.add', args: { title: 'C' } },
    );
    return requestsOf([two, say('Done.')], { domains, middleware: [checks] }, (session) =>
      session.send('Add two.'),
    );
  },
  'the repair of an answer that does not fit': () =>
    requestsOf([say('{"name":"Board"}'), say('{"title":"Board"}')], {}, (session) =>
      session.generate('A board.', {
        type: 'object',
        properties: { title: { type: 'string' } },
        required: ['title'],
      }),
    ),
  'the summary of a conversation': () =>
    requestsOf([adding, say(long), say(long), say('The user added A.')], { domains }, async (session) => {
      await session.send('Add A.');
      await session.send(long);
      await session.compact();
    }),
  'a conversation with a summary': () =>
    requestsOf(
      [adding, say(long), say(long), say('The user added A.'), say('Here.')],
      { domains, compaction: compaction() },
      async (session) => {
        await session.send('Add A.');
        await session.send(long);
        await session.compact();
        await session.send('Are you there?');
      },
    ),
  'the stand-in for an image that the model cannot read': async () => {
    const blind = scriptedProvider([say('I cannot see it.')], { images: false });
    await requestsOf([say('A logo.')], {}, async (session) => {
      await session.send({ text: 'Look.', files: [new File([png], 'a.png', { type: 'image/png' })] });
      session.configure({ provider: blind });
      await session.send('What is it?');
    });
    return blind.requests;
  },
  'a role, context and directives': () =>
    requestsOf(
      [say('Yes.')],
      {
        role: 'You keep a board.',
        context: [{ id: 'page', policy: 'always', summary: () => 'Todo is open' }],
      },
      (session) => session.send('Is it?', { directives: ['Answer in one word.'] }),
    ),
  'a turn that was undone': () =>
    requestsOf([adding, say('Added.'), say('It is gone.')], { domains }, async (session) => {
      await session.send('Add A.');
      await session.undo();
      await session.send('Is it there?');
    }),
  'a conversation that was cleared, whose effects stay': () =>
    requestsOf([adding, say('Added.'), say('Hello.')], { domains }, async (session) => {
      await session.send('Add A.');
      await session.clear();
      await session.send('Hello.');
    }),
  'a message that steers': async () => {
    const waiting = gate();
    return requestsOf([say(['I think', waiting, '.']), say('B, then.')], {}, async (session) => {
      const turn = session.send('Name one.');
      await waiting.reached;
      const steered = session.steer('One behind A.');
      waiting.open();
      await Promise.all([turn, steered]);
    });
  },
  'a call that the user declined': () =>
    requestsOf(
      [adding, say('Then not.')],
      {
        domains,
        guards: [() => ({ confirm: 'Add it?' })],
        confirm: () => ({ approve: false, reason: 'Not today.' }),
      },
      (session) => session.send('Add A.'),
    ),
};

describe.each(Object.keys(requests))('the request with %s', async (name) => {
  const all = await requests[name]!();

  test.each(apis)('in the form of %s', async (api) => {
    const body = await bodyOf(api, all.at(-1)!);
    expect(validateRequest(api, body)).toEqual([]);
    expect(body).toMatchSnapshot();
  });
});
