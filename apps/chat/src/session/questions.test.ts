import { confirmTools, createAgentSession, defineDomain, defineTool, signal } from '@handrail/session';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { questionWords } from './question-words.js';
import { createQuestions } from './questions.js';

let end = () => Promise.resolve();
afterEach(() => end());

/** A session that asks before each greeting, with one open question for each of these people. */
async function askAbout(...names: readonly string[]) {
  const greeted: string[] = [];
  const greet = defineTool({
    name: 'greet',
    description: 'Greets a person.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    execute({ name }) {
      greeted.push(name);
      return 'greeted';
    },
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
  const current = signal(session);
  const questions = createQuestions(current);
  const turn = session.send('Greet them');
  await vi.waitUntil(() => questions.open.peek().length === names.length, 30_000);
  return { current, questions, turn, greeted, open: () => questions.open.peek() };
}

test('a question begins with the arguments that the model wrote, and without an error', async () => {
  const { open } = await askAbout('Ada');
  expect(JSON.parse(open()[0]!.text)).toEqual({ name: 'Ada' });
  expect(open()[0]!.errors).toEqual([]);
});

test('what was edited is what runs', async () => {
  const { questions, open, turn, greeted } = await askAbout('Ada');
  questions.edit(open()[0]!, '{ "name": "Grace" }');
  expect(open()[0]!.text).toBe('{ "name": "Grace" }');
  void questions.approve(open()[0]!);
  await turn;
  expect(greeted).toEqual(['Grace']);
  expect(open()).toEqual([]);
});

test('V7: arguments that do not fit show their errors until they can be read again, and the text stays as it is', async () => {
  const { questions, open, turn, greeted } = await askAbout('Ada');
  questions.edit(open()[0]!, '{ "name": 7 }');
  await questions.approve(open()[0]!);
  expect(open()[0]!.errors).toEqual([expect.stringContaining('name')]);
  questions.edit(open()[0]!, '{ "name": "Grace"');
  expect(open()[0]!.errors).toEqual([expect.stringContaining('name')]);
  await questions.approve(open()[0]!);
  expect(open()[0]!.errors).toEqual([expect.stringContaining('Not valid JSON')]);
  expect(open()[0]!.text).toBe('{ "name": "Grace"');
  questions.edit(open()[0]!, '{ "name": "Grace" }');
  expect(open()[0]!.errors).toEqual([]);
  void questions.approve(open()[0]!);
  await turn;
  expect(greeted).toEqual(['Grace']);
});

test('an answer to one question leaves what was made of the others', async () => {
  const { questions, open, turn, greeted } = await askAbout('Ada', 'Grace', 'Alan');
  questions.edit(open()[1]!, '{ "name": "Hopper" }');
  questions.deny(open()[0]!);
  await vi.waitUntil(() => open().length === 2, 30_000);
  expect(open()[0]!.text).toBe('{ "name": "Hopper" }');
  questions.edit(open()[1]!, '{ "name": "Turing" }');
  expect(open().map(({ text }) => text)).toEqual(['{ "name": "Hopper" }', '{ "name": "Turing" }']);
  void questions.approveAll();
  await turn;
  expect(greeted).toEqual(['Hopper', 'Turing']);
});

test('approving all leaves open what does not fit', async () => {
  const { questions, open, greeted } = await askAbout('Ada', 'Grace');
  questions.edit(open()[0]!, '[]');
  void questions.approveAll();
  await vi.waitUntil(() => open().length === 1, 30_000);
  expect(open()[0]!.errors).toEqual(['The arguments must be a JSON object.']);
  expect(greeted).toEqual([]);
});

test('the headline names the effect of an approval, edited or not; the reason names the arguments that it was given for', async () => {
  const { questions, open } = await askAbout('Ada');
  const words = () =>
    questionWords(open()[0]!, ({ arguments: given, ranWith }) => JSON.stringify(ranWith ?? given));
  const { reason } = open()[0]!.confirmation;
  expect(words()).toEqual({
    name: 'Confirm house.greet: {"name":"Ada"}',
    title: '{"name":"Ada"}',
    reason,
  });
  questions.edit(open()[0]!, '{ "name": "Grace" }');
  expect(words()).toEqual({
    name: 'Confirm house.greet: {"name":"Grace"}',
    title: '{"name":"Grace"}',
    reason: `About what the agent asked: ${reason}`,
  });
  for (const unreadable of ['{ "name": ', '["Grace"]']) {
    questions.edit(open()[0]!, unreadable);
    expect(words().title).toBe('As the agent asked: {"name":"Ada"}');
  }
});

test('nothing unseen is in the words of a question, and least of all in the name of a tool', async () => {
  const { open } = await askAbout('Ada');
  const [question] = open();
  const { confirmation } = question!;
  const call = { ...confirmation.call, tool: 'house.\u202Eteerg' };
  const words = questionWords(
    { ...question!, confirmation: { ...confirmation, call, reason: 'a\u200Bb' } },
    () => 'c\u2066d',
  );
  expect(words).toEqual({
    name: 'Confirm house.⟨U+202E⟩teerg: c⟨U+2066⟩d',
    title: 'c⟨U+2066⟩d',
    reason: 'a⟨U+200B⟩b',
  });
});
