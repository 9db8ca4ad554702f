import {
  confirmTools,
  createAgentSession,
  defineDomain,
  defineGuard,
  defineTool,
  type Guard,
  type JsonObject,
  type JsonValue,
  type Tool,
} from '@banister/session';
import { signal } from '@banister/session/signals';
import { callTools, createVirtualClock, say, scriptedProvider } from '@banister/testing';
import { afterEach, expect, suite, test, vi } from 'vitest';
import { createCues } from './cues.js';
import { announceQuestions } from './question-announcer.js';
import {
  announcementOf,
  answeredTitle,
  answerWords,
  bulkLabel,
  questionWords,
  rowName,
  rowWords,
} from './question-words.js';
import { createQuestions, type Question } from './questions.js';

let end = () => Promise.resolve();
afterEach(() => end());

const priced = defineGuard('priced', ({ arguments: { name } }) =>
  name === 'Alan' ? { confirm: 'A visit.', cost: { amount: 2, currency: 'EUR' } } : 'allow',
);

/** How the tool differs, and whether the page has it. */
interface ToolSettings {
  readonly isHere?: boolean;
  /** Whether the page itself knows what a call changes. */
  readonly isSaid?: boolean;
  readonly schema?: JsonObject;
  readonly capabilities?: NonNullable<Tool['capabilities']>;
  readonly preview?: (args: { readonly name: string }) => JsonValue;
}

/**
 * A session that asks before each greeting, with one open question for each of these people. The app consists
 * of the town.
 */
async function askAbout(
  names: readonly string[],
  guards: readonly Guard[] = [confirmTools('house.greet')],
  { isHere = true, isSaid = true, schema = {}, ...more }: ToolSettings = {},
) {
  const greeted: string[] = [];
  const town = signal('Bonn');
  const greet = defineTool({
    name: 'greet',
    description: 'Greets a person.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 2 } },
      required: ['name'],
      ...schema,
    },
    preview: ({ name }) => ({ before: town.peek(), after: `${name} greeted in ${town.peek()}` }),
    ...more,
    execute({ name }) {
      greeted.push(name);
      return 'greeted';
    },
  });
  const house = defineDomain({ id: 'house', tools: [greet], revision: () => town.peek() });
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools(...names.map((name) => ({ tool: 'house.greet', args: { name } }))),
      say('Done.'),
    ]),
    domains: [house],
    guards: [...guards],
  });
  end = () => session.dispose();
  const focused: (readonly string[])[] = [];
  const clock = createVirtualClock();
  const questions = createQuestions({
    session: signal(session),
    changeOf: ({ arguments: given, ranWith }) => {
      if (!isSaid) return null;
      const { name } = (ranWith ?? given) as { readonly name: string };
      return { before: town.value, after: `${name} greeted in ${town.value}` };
    },
    pickersOf: () => ({}),
    toolOf: (id) => (isHere && id === 'house.greet' ? greet : undefined),
    cues: { focus: (...wished) => void focused.push(wished), say: () => {} },
    clock,
  });
  const turn = session.send('Greet them');
  const open = () => questions.open.peek();
  await vi.waitUntil(
    () => open().length === names.length && open().every(({ form }) => (form !== null) === isHere),
    30_000,
  );
  const name = (at: number) => open()[at]!.form!.fields.peek()[0]!;
  return {
    session,
    questions,
    turn,
    greeted,
    town,
    clock,
    focused,
    open,
    write: (at: number, text: string) => open()[at]!.form!.input(name(at), text),
    rows: () => questions.rows.peek().map((row) => ('question' in row ? 'open' : answerWords(row.answered))),
  };
}

const describe = ({ arguments: given, ranWith }: { arguments?: unknown; ranWith?: unknown }) =>
  JSON.stringify(ranWith ?? given);

test('a call runs with its edited arguments', async () => {
  const { questions, open, write, turn, greeted } = await askAbout(['Ada']);
  write(0, 'Grace');
  expect(open()[0]!.edited).toEqual({ name: 'Grace' });
  await questions.approve(open()[0]!);
  await turn;
  expect(greeted).toEqual(['Grace']);
  expect(open()).toEqual([]);
});

test('V7: invalid arguments are not sent: the first invalid field gets the focus, and its text stays', async () => {
  const { questions, open, write, turn, greeted, focused } = await askAbout(['Ada']);
  write(0, 'G');
  expect(open()[0]!.isValid).toBe(false);
  // audit-V7: the button names the field to which it leads.
  expect(questionWords(open()[0]!, describe).verb).toBe('First: Name');
  await questions.approve(open()[0]!);
  const [field] = open()[0]!.form!.fields.peek();
  expect(field).toMatchObject({ text: 'G', errors: [expect.stringContaining('2')] });
  expect(focused).toEqual([[`field:${field!.id}`, 'form-errors']]);
  write(0, 'Grace');
  await questions.approve(open()[0]!);
  await turn;
  expect(greeted).toEqual(['Grace']);
});

test('an answered question is one row while other questions wait, and the next question is unfolded', async () => {
  const { questions, open, write, rows, turn, greeted } = await askAbout(['Ada', 'Grace', 'Alan']);
  const current = () => questions.current.peek()?.confirmation.call.arguments['name'];
  write(2, 'Turing');
  expect(current()).toBe('Ada');
  questions.refuse(open()[0]!);
  await vi.waitUntil(() => open().length === 2, 30_000);
  expect(rows()).toEqual(['You refused', 'open', 'open']);
  expect(current()).toBe('Grace');
  expect([questions.step(-1), questions.step(1), questions.step(1)]).toEqual([false, true, false]);
  expect(current()).toBe('Alan');
  await questions.approve(open()[1]!);
  expect(rows()).toEqual(['You refused', 'open', 'Approved']);
  // After the last question comes the first.
  expect(current()).toBe('Grace');
  await questions.approve(open()[0]!);
  await turn;
  expect(rows()).toEqual([]);
  expect(greeted).toEqual(['Grace', 'Turing']);
});

test('approving together leaves questions open that cost something, are irreversible, or have invalid arguments', async () => {
  const { questions, open, write, greeted } = await askAbout(
    ['Ada', 'Grace', 'Alan', 'Kurt'],
    [priced, confirmTools('house.greet')],
  );
  const label = () => bulkLabel(open(), questions.light.peek());
  expect(label()).toBe('Approve 3 of 4');
  write(0, 'A');
  expect(label()).toBe('Approve 2 of 4');
  await questions.approveLight();
  expect(open().map(({ confirmation }) => confirmation.call.arguments['name'])).toEqual(['Ada', 'Alan']);
  expect(greeted).toEqual([]);
  expect(bulkLabel(open().slice(1), [])).toBeNull();
  expect(bulkLabel(open(), open())).toBe('Approve all 2');
});

test('a refused answer leaves its question open, with the reason', async () => {
  const { questions, open } = await askAbout(['Ada', 'Grace']);
  for (const answer of ['approve', 'deny'] as const) {
    const [question] = open();
    const confirmation = {
      ...question!.confirmation,
      [answer]: () => Promise.reject(new Error('Not saved.')),
    };
    const act = { approve: questions.approve, deny: questions.refuse }[answer];
    await act({ ...question!, confirmation });
    await vi.waitFor(() => expect(open()[0]!.errors).toEqual(['Not saved.']));
    expect(questions.current.peek()?.id).toBe(question!.id);
  }
  await questions.approve(open()[0]!);
  expect(open()).toHaveLength(1);
});

test('all questions can be declined at once', async () => {
  const { questions, turn, greeted } = await askAbout(['Ada', 'Grace']);
  questions.refuseAll();
  await turn;
  expect(greeted).toEqual([]);
});

test('the words say what an approval does, edited or not; the reason says for which arguments it was given', async () => {
  const { questions, open, write } = await askAbout(['Ada']);
  const words = () => questionWords(open()[0]!, describe);
  const { reason } = open()[0]!.confirmation;
  expect(words()).toMatchObject({
    title: '{"name":"Ada"}',
    reason,
    news: null,
    change: { before: 'Bonn', after: 'Ada greeted in Bonn' },
    verb: 'Approve',
  });
  write(0, 'Grace');
  expect(words()).toMatchObject({
    title: '{"name":"Grace"}',
    reason: `About what the agent asked: ${reason}`,
    change: { after: 'Grace greeted in Bonn' },
  });
  // Text with errors is followed too.
  write(0, 'G');
  expect(words().title).toBe('{"name":"G"}');
  expect(rowName(questions.rows.peek(), questions.rows.peek()[0]!, words().title)).toBe(
    'Question: {"name":"G"}',
  );
});

test('the price is on the approve button, and an irreversible call is announced', async () => {
  const { open } = await askAbout(['Alan', 'Ada'], [priced, confirmTools('house.greet')]);
  const [paid] = open();
  expect(questionWords(paid!, describe)).toMatchObject({
    verb: 'Approve, €2.00',
    facts: [{ kind: 'cost', text: 'Costs €2.00' }],
  });
  const final: Question = { ...paid!, confirmation: { ...paid!.confirmation, irreversible: true } };
  expect(announcementOf([final], describe)).toBe(
    'Question: {"name":"Alan"}. Costs €2.00. Cannot be taken back. F6 to answer.',
  );
  expect(announcementOf(open(), describe)).toContain('2 questions. The first: {"name":"Alan"}.');
});

test('a change of the app renews the preview, and an approval of the old preview is asked again', async () => {
  const { session, questions, open, town, turn, greeted } = await askAbout(['Ada']);
  const [seen] = open();
  town.value = 'Rome';
  await questions.approve(seen!);
  await vi.waitUntil(() => open()[0]?.isRenewed === true, 30_000);
  expect(open()[0]!.change).toEqual({ before: 'Rome', after: 'Ada greeted in Rome' });
  expect(questionWords(open()[0]!, describe).news).toBe('Changed meanwhile');
  expect(greeted).toEqual([]);
  expect(session.phase.peek()).toBe('confirming');
  await questions.approve(open()[0]!);
  await turn;
  expect(greeted).toEqual(['Ada']);
});

test('while the user is at the list, deadlines stand still', async () => {
  const { questions, open } = await askAbout(['Ada', 'Grace']);
  questions.attend(true);
  expect(open().map(({ confirmation }) => confirmation.attended)).toEqual([true, true]);
  questions.attend(false);
  expect(open().map(({ confirmation }) => confirmation.attended)).toEqual([undefined, undefined]);
});

test('audit-V8 “Wait” holds the deadlines of this list wherever the user is, but not of the next list', async () => {
  const { questions, open, session } = await askAbout(['Ada', 'Grace']);
  const attended = () => open().map((question) => question.confirmation.attended);
  questions.attend(true);
  questions.hold();
  questions.attend(false);
  expect([questions.isHeld.value, ...attended()]).toEqual([true, true, true]);
  questions.hold();
  expect([questions.isHeld.value, ...attended()]).toEqual([false, undefined, undefined]);
  questions.hold();
  questions.refuseAll();
  await vi.waitUntil(() => session.pendingConfirmations.peek().length === 0, 30_000);
  expect(questions.isHeld.value).toBe(false);
});

test('the words of a question contain no invisible characters', async () => {
  const { open } = await askAbout(['Ada']);
  const [question] = open();
  const words = questionWords(
    {
      ...question!,
      confirmation: { ...question!.confirmation, reason: 'a\u200Bb' },
      change: { before: 'd\u202Ee', after: '' },
    },
    () => 'c\u2066d',
  );
  expect(words).toMatchObject({
    title: 'c⟨U+2066⟩d',
    reason: 'a⟨U+200B⟩b',
    change: { before: 'd⟨U+202E⟩e', after: '' },
  });
});

test('a question without a form shows the arguments as JSON, and is not approved together with others', async () => {
  const { questions, open } = await askAbout(['A\u202Eda', 'Grace'], undefined, { isHere: false });
  expect(open().map(({ given }) => given)).toEqual([
    '{\n  "name": "A\\u202eda"\n}',
    '{\n  "name": "Grace"\n}',
  ]);
  expect(questions.light.peek()).toEqual([]);
});

test('a form replaces the JSON', async () => {
  const { open } = await askAbout(['Ada']);
  expect(open()[0]!.given).toBeNull();
});

test('a paid call without a stated cost is not approved together with others, and says that it costs something', async () => {
  const { questions, open } = await askAbout(['Ada', 'Grace'], undefined, { capabilities: ['paid'] });
  expect(questions.light.peek()).toEqual([]);
  expect(questionWords(open()[0]!, describe)).toMatchObject({
    facts: [{ kind: 'cost', text: 'Costs money, the amount is not known' }],
    verb: 'Approve',
  });
});

test('deletions can be approved together, because Undo restores what they delete', async () => {
  const { questions } = await askAbout(['Ada', 'Grace'], undefined, { capabilities: ['destructive'] });
  expect(questions.light.peek()).toHaveLength(2);
});

test('after an invalid approval, an error of the arguments as a whole gets the focus', async () => {
  const { questions, open, turn, greeted, focused } = await askAbout(['Ada'], undefined, {
    schema: { if: { properties: { name: { const: 'Ad' } } }, then: { required: ['town'] } },
  });
  open()[0]!.form!.input(open()[0]!.form!.fields.peek()[0]!, 'Ad');
  await questions.approve(open()[0]!);
  const { errors, firstError } = open()[0]!.form!;
  expect(errors.peek()).toHaveLength(1);
  expect(firstError.peek()?.path).toEqual([]);
  expect(focused.at(-1)).toContain('form-errors');
  questions.refuseAll();
  await turn;
  expect(greeted).toEqual([]);
});

test('the row of an answered question names the arguments that were approved', async () => {
  const { questions, open, write, rows } = await askAbout(['Ada', 'Grace']);
  expect(rows()).toEqual(['open', 'open']);
  write(0, 'Hopper');
  await questions.approve(open()[0]!);
  const [row] = questions.rows.peek();
  expect('answered' in row! && answeredTitle(row.answered, describe)).toBe('{"name":"Hopper"}');
});

test.each<[string, string, () => JsonValue]>([
  ['text', 'Greets a⟨U+200B⟩t once', () => 'Greets a\u200Bt once'],
  ['json', '{\n  "to": "A\\u202eda"\n}', () => ({ to: 'A\u202Eda' })],
  [
    'failed',
    'The preview could not be made: The town is as⟨U+202E⟩leep.',
    () => {
      throw new Error('The town is as\u202Eleep.');
    },
  ],
])(
  'a preview that is not a change is shown unchanged, and a failed preview says why: %s',
  async (kind, text, preview) => {
    const { open, write } = await askAbout(['Ada'], undefined, { preview });
    const words = () => questionWords(open()[0]!, describe);
    expect(words()).toMatchObject({ change: null, preview: { kind, text } });
    // The preview is about the agent's arguments.
    write(0, 'Grace');
    expect(words()).toMatchObject({ change: { after: 'Grace greeted in Bonn' }, preview: null });
  },
);

suite('the preview of edited arguments that only their tool can make', () => {
  test('follows the form: it is requested once, after a pause, and the previous preview is marked as outdated meanwhile', async () => {
    const preview = vi.fn(({ name }: { readonly name: string }) => `Greets ${name}`);
    const { open, write, clock } = await askAbout(['Ada'], undefined, { isSaid: false, preview });
    const words = () => questionWords(open()[0]!, describe);
    expect(words()).toMatchObject({ preview: { text: 'Greets Ada' }, previewState: 'current' });
    for (const name of ['Gr', 'Gra', 'Grac', 'Grace']) {
      write(0, name);
      await clock.advance(299);
      expect(words()).toMatchObject({ preview: { text: 'Greets Ada' }, previewState: 'busy' });
    }
    expect(preview).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    await vi.waitUntil(() => words().previewState === 'current', 30_000);
    expect(words().preview).toEqual({ kind: 'text', text: 'Greets Grace' });
    expect(preview).toHaveBeenCalledTimes(2);

    // Invalid arguments have no preview, and the agent's own arguments have theirs at once.
    write(0, 'G');
    await clock.advance(1000);
    expect(words()).toMatchObject({
      preview: { text: 'Greets Grace' },
      previewNote: 'From before your changes',
    });
    write(0, 'Ada');
    expect(words()).toMatchObject({
      preview: { text: 'Greets Ada' },
      previewState: 'current',
      previewNote: null,
    });
    await clock.advance(1000);
    expect(preview).toHaveBeenCalledTimes(2);
  });

  test('that fails says so, and is not part of the approval', async () => {
    const preview = ({ name }: { readonly name: string }) => {
      if (name === 'Alan') throw new Error('Alan is out.');
      return { before: 'Not greeted', after: name };
    };
    const { open, write, clock, greeted } = await askAbout(['Ada'], undefined, { isSaid: false, preview });
    const words = () => questionWords(open()[0]!, describe);
    write(0, 'Alan');
    await clock.advance(300);
    await vi.waitUntil(() => words().previewState === 'current', 30_000);
    expect(words().preview).toEqual({ kind: 'failed', text: 'The preview could not be made: Alan is out.' });
    expect(greeted).toEqual([]);
    write(0, 'Grace');
    await clock.advance(300);
    await vi.waitUntil(() => words().previewState === 'current', 30_000);
    expect(words()).toMatchObject({ change: { before: 'Not greeted', after: 'Grace' }, preview: null });
  });

  test('changes if the app has changed: after an approval of the old preview the question stays open with the new preview', async () => {
    const { open, write, clock, town, questions, turn, greeted } = await askAbout(['Ada'], undefined, {
      isSaid: false,
    });
    write(0, 'Grace');
    await clock.advance(300);
    await vi.waitUntil(() => open()[0]!.previewState === 'current', 30_000);
    expect(open()[0]!.change?.after).toBe('Grace greeted in Bonn');
    town.value = 'Rome';
    await vi.waitUntil(() => open()[0]!.isRenewed, 30_000);
    expect(open()[0]!).toMatchObject({ change: { after: 'Grace greeted in Bonn' }, previewState: 'busy' });
    await clock.advance(300);
    await vi.waitUntil(() => open()[0]!.previewState === 'current', 30_000);
    expect(open()[0]!.change?.after).toBe('Grace greeted in Rome');
    await questions.approve(open()[0]!);
    await turn;
    expect(greeted).toEqual(['Grace']);
  });

  test('is cancelled with its question', async () => {
    const preview = vi.fn(({ name }: { readonly name: string }) => `Greets ${name}`);
    const { open, write, clock, questions, turn } = await askAbout(['Ada'], undefined, {
      isSaid: false,
      preview,
    });
    write(0, 'Grace');
    questions.refuse(open()[0]!);
    await turn;
    await clock.advance(1000);
    expect(preview).toHaveBeenCalledTimes(1);
    expect(clock.pending).toBe(0);
  });
});

test('the row of a question has a short text of its preview and of its change, in one line', async () => {
  const tones = Array.from({ length: 1000 }, () => 'high');
  const { open } = await askAbout(['Ada'], undefined, { preview: () => ({ tones }) });
  const words = questionWords(open()[0]!, describe);
  expect(words.preview!.text.length).toBeGreaterThan(10_000);
  expect(rowWords(words).preview).toBe(`{ "tones": [ ${'"high", '.repeat(8)}"h…`);

  const change = { before: '', after: `Rome ${'far '.repeat(50)}` };
  const row = rowWords({ ...words, change, preview: { kind: 'text', text: 'Rings\n\nonce' } });
  expect(row).toEqual({
    change: { before: '', after: `Rome ${'far '.repeat(18)}fa…` },
    preview: 'Rings once',
  });
  expect(rowWords({ ...words, preview: null })).toEqual({ change: null, preview: null });
});

test('the newest answer is read out', async () => {
  const { questions, open } = await askAbout(['Ada', 'Grace', 'Alan']);
  const said: string[] = [];
  const stop = announceQuestions(questions, describe, { say: (words) => void said.push(words) });
  await questions.approve(open()[2]!);
  questions.refuse(open()[0]!);
  await vi.waitUntil(() => open().length === 1, 30_000);
  await Promise.resolve();
  stop();
  expect(said.slice(1)).toEqual(['Approved. 2 questions left.', 'You refused. 1 question left.']);
});

test('a question that changes while it is open, or is repeated, is read out as changed', async () => {
  const { session, questions, open, town } = await askAbout(['Ada']);
  const said: string[] = [];
  const stop = announceQuestions(questions, describe, { say: (words) => void said.push(words) });
  const changed = 'Changed meanwhile: {"name":"Ada"}. F6 to answer.';
  const { id, digest } = open()[0]!.confirmation;
  town.value = 'Rome';
  void session.touch('house');
  await vi.waitUntil(() => said.length === 2, 30_000);
  expect(open()[0]!.confirmation).toMatchObject({ id, digest: expect.not.stringMatching(`^${digest}$`) });
  // The arguments are approved, and the app changes before the call runs.
  void questions.approve(open()[0]!);
  town.value = 'Oslo';
  await vi.waitUntil(() => said.length === 3, 30_000);
  stop();
  expect(open()[0]!.confirmation.id).not.toBe(id);
  expect(said).toEqual(['Question: {"name":"Ada"}. F6 to answer.', changed, changed]);
});

test('changed questions are read out separately from newly opened questions', async () => {
  const { open } = await askAbout(['Ada', 'Grace', 'Alan']);
  const [ada, grace, alan] = open().map((question, at) => ({ ...question, isRenewed: at > 0 }));
  expect(announcementOf([ada!, grace!, alan!], describe)).toBe(
    'Question: {"name":"Ada"}. Changed meanwhile: 2 questions. The first: {"name":"Grace"}. F6 to answer.',
  );
  expect(announcementOf([], describe)).toBe('');
});

test('edits of the arguments are not read out', async () => {
  const { questions, write } = await askAbout(['Ada']);
  const said: string[] = [];
  const stop = announceQuestions(questions, describe, { say: (words) => void said.push(words) });
  await Promise.resolve();
  write(0, 'Grace');
  await Promise.resolve();
  stop();
  expect(said).toHaveLength(1);
});

test('nothing is read out after the announcer was stopped', async () => {
  const { questions } = await askAbout(['Ada']);
  const said: string[] = [];
  announceQuestions(questions, describe, { say: (words) => void said.push(words) })();
  await Promise.resolve();
  expect(said).toEqual([]);
});

test('repeated words are read out again by a screen reader', () => {
  const { say, spoken } = createCues();
  const texts = ['Moved', 'Moved', 'Moved'].map((words) => {
    say(words);
    return spoken.peek();
  });
  expect(texts).toEqual(['Moved', 'Moved\u00A0', 'Moved']);
});
