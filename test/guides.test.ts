// @vitest-environment jsdom
import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  AgentSessionError,
  confirmTools,
  createAgentSession,
  defineDomain,
  defineTool,
  textOf,
  type AgentSession,
} from '@banister/session';
import { callTools, fail, gate, say, scriptedProvider, stall } from '@banister/testing';
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { createElement, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { mount, unmount, type Component as SvelteComponent } from 'svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApp, type Component as VueComponent } from 'vue';
import { compileScript, parse } from 'vue/compiler-sfc';
import { docPages, writeDocExamples, type DocExample } from './kit/doc-examples.js';

// All pieces of a guide are on one page, in front of one session, and a user goes through everything that
// they show, with the same steps for every guide. All other examples that draw are drawn once while a turn
// runs.

type Unmount = () => unknown;
/** Puts what an example draws into an element. */
type Mount = (example: DocExample, session: AgentSession, root: HTMLElement) => Promise<readonly Unmount[]>;

const mounts: { readonly [language in DocExample['language']]: Mount } = {
  async tsx(example, session, root) {
    const components = exportsOf<ComponentType<Record<string, unknown>>>(await load(example.file), /^[A-Z]/);
    return components.map((component) => {
      const view = createRoot(root.appendChild(document.createElement('section')));
      view.render(createElement(component, { session, first: session, id: 'call-1', draft: 'Hi' }));
      return () => view.unmount();
    });
  },
  async vue(example, session, root) {
    const { descriptor } = parse(example.code);
    const { content } = compileScript(descriptor, { id: example.name, inlineTemplate: true });
    writeFileSync(`${example.file}.ts`, content);
    const component = (await load(`${example.file}.ts`))['default'] as VueComponent;
    const app = createApp(component, { session });
    app.mount(root.appendChild(document.createElement('section')));
    return [() => app.unmount()];
  },
  async svelte(example, session, root) {
    const component = (await load(example.file))['default'] as SvelteComponent<{
      session: AgentSession;
      first: AgentSession;
    }>;
    const view = mount(component, { target: root, props: { session, first: session } });
    return [() => unmount(view)];
  },
  async ts(example, session, root) {
    type Show = (session: AgentSession, root: Element) => Unmount;
    return exportsOf<Show>(await load(example.file), /^show/).map((show) => show(session, root));
  },
};

const all = writeDocExamples('guides', docPages);
/** The examples that get a session and draw it. */
const examples = all.filter(
  ({ language, code }) =>
    code.includes('session: AgentSession') &&
    !code.includes("from 'vitest'") &&
    (language !== 'ts' || /export function show/.test(code)),
);
/**
 * The beginning of a user's page. It runs in a browser, where every visitor can read a key in the code. The
 * gateway's beginning runs on a server.
 */
const starts = all.filter(
  ({ language, code }) =>
    /^tsx?$/.test(language) && code.includes('openai({ model') && !code.includes("from '@banister/gateway'"),
);

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>;
}

function exportsOf<T>(module: Readonly<Record<string, unknown>>, name: RegExp): readonly T[] {
  return Object.keys(module)
    .filter((key) => name.test(key))
    .map((key) => module[key] as T);
}

let problems: unknown[];
let unmounts: Unmount[];

beforeEach(() => {
  problems = [];
  unmounts = [];
  for (const method of ['warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...said) => void problems.push(said.join(' ')));
  }
});
afterEach(async () => {
  for (const end of unmounts) await end();
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

async function show(example: DocExample, session: AgentSession): Promise<void> {
  unmounts.push(...(await mounts[example.language](example, session, document.body)));
}

/** A board with one tool that asks first, and a model that goes through its script. */
function play(...answers: Parameters<typeof scriptedProvider>[0]) {
  const cards: string[] = [];
  const add = defineTool({
    name: 'add',
    title: 'New card',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    execute({ title }, context) {
      cards.push(title);
      context.undo({
        description: `Added "${title}"`,
        revert: () => void cards.splice(cards.indexOf(title), 1),
        reapply: () => void cards.push(title),
      });
    },
  });
  const invite = defineTool({
    name: 'invite',
    description: 'Sends the invitations.',
    parameters: { type: 'object', properties: {} },
    execute: (_arguments, context) => context.irreversible('Sent the invitations'),
  });
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [defineDomain({ id: 'board', tools: [add, invite] })],
    guards: [confirmTools('board.add')],
  });
  return { session, cards };
}

const patient = { timeout: 20_000 };
const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name }, patient);
const press = async (name: string) => void fireEvent.click(await enabled(name));
const conversation = () => screen.getByRole('list', { name: 'Conversation' });
const shown = (text: string) => waitFor(() => expect(conversation().textContent).toContain(text), patient);

async function enabled(name: string): Promise<HTMLButtonElement> {
  const found = await button(name);
  await waitFor(() => expect(found.disabled).toBe(false), patient);
  return found;
}

/** The buttons and fields of one list. */
function partsOf(list: string) {
  const of = () => within(screen.getByRole('list', { name: list }));
  const button = (name: string) => of().findByRole<HTMLButtonElement>('button', { name }, patient);
  return {
    button,
    /** As a user with a keyboard: the button has the focus when it is pressed. */
    async press(name: string) {
      const found = await waitFor(() => {
        const one = of().getByRole('button', { name });
        expect(one.ariaDisabled).not.toBe('true');
        return one;
      }, patient);
      found.focus();
      fireEvent.click(found);
    },
    async write(field: string, text: string) {
      const found = await of().findByRole('textbox', { name: field }, patient);
      expect(document.activeElement).toBe(found);
      fireEvent.input(found, { target: { value: text } });
    },
    text: () =>
      of()
        .queryAllByRole('listitem')
        .map(({ textContent }) => textContent.replace(/\s+/g, ' ')),
    shows: (...texts: string[]) =>
      waitFor(() => {
        const rows = partsOf(list).text();
        expect(rows).toHaveLength(texts.length);
        for (const [index, text] of texts.entries()) expect(rows[index]).toContain(text);
      }, patient),
    hasFocus: (name: string) =>
      waitFor(() => expect(document.activeElement).toBe(of().getByRole('button', { name })), patient),
  };
}

async function note(text: string): Promise<void> {
  fireEvent.input(await screen.findByRole('textbox', { name: 'Note' }, patient), { target: { value: text } });
}

async function ask(message: string): Promise<void> {
  fireEvent.input(await screen.findByRole('textbox', { name: 'Message' }, patient), {
    target: { value: message },
  });
  await press('Send');
}

// Examples of component tests are tests, which draw by themselves.
for (const { name, language, code, file } of all)
  if (language === 'tsx' && code.includes("from 'vitest'"))
    describe(`audit-AD-16 ${name}`, async () => {
      await import(/* @vite-ignore */ pathToFileURL(file).href);
    });

describe.each(['docs/react.md', 'docs/vue.md', 'docs/svelte.md', 'docs/plain-dom.md'])('%s', (page) => {
  test('shows, asks, undoes, cancels and recovers', async () => {
    const half = gate();
    const { session, cards } = play(
      callTools('I add it. ', { tool: 'board.add', argumentsText: ['{"title":"Lau', half, 'nch"}'] }),
      say('Added.'),
      callTools({ tool: 'board.add', args: { title: 'Another' } }),
      say('As you wish.'),
      stall('Once upon a ti'),
      fail('auth'),
      say('Better.'),
    );
    for (const example of examples) if (example.page === page) await show(example, session);

    // Arguments are shown while they are half there.
    await ask('Add a card');
    expect(await button('Stop')).toBeDefined();
    const calls = screen.getByRole('list', { name: 'Calls' });
    await waitFor(() => expect(calls.textContent).toMatch(/^writing: New card Lau$/), patient);
    await shown('You: Add a card');
    await shown('I add it.');
    half.open();

    // The user edits them; what does not fit the tool is refused, and the question stays open.
    const text = await screen.findByRole('textbox', { name: 'Arguments' }, patient);
    fireEvent.input(text, { target: { value: '{"title": 5}' } });
    await press('Approve');
    await waitFor(() => expect(screen.getByRole('alert').textContent).toContain('title'), patient);
    fireEvent.input(text, { target: { value: '{"title":"Launch day"}' } });
    await press('Approve');
    await shown('Added.');
    expect(cards).toEqual(['Launch day']);
    expect(conversation().textContent).toContain('New card: success');

    // The turn is taken back, and done again.
    await press('Undo');
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Changes: 1'), patient);
    await shown('New card: taken back');
    expect(cards).toEqual([]);
    await press('Redo');
    await waitFor(() => expect(cards).toEqual(['Launch day']), patient);
    await enabled('Undo');

    await ask('Add another');
    await press('Deny');
    await shown('As you wish.');
    expect(cards).toEqual(['Launch day']);

    await ask('Tell me a story');
    await shown('Once upon a ti');
    await press('Stop');
    await shown('You stopped this.');

    await ask('Again');
    expect((await screen.findByRole('alert', {}, patient)).textContent).toContain('Scripted failure: auth.');
    await press('Try again');
    await shown('Better.');
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull(), patient);
    expect(problems).toEqual([]);
  }, 120_000);

  test('audit-AD-15 offers another attempt only once the wait that a server asks for is over', async () => {
    const late = (afterMs: number) =>
      fail(new AgentSessionError('quota', 'Today’s share is used up.', { retry: { afterMs } }));
    // A short wait is at first handled by the session's own attempts.
    const { session } = play(late(86_400_000), ...Array<number>(4).fill(150).map(late), say('Better.'));
    for (const example of examples) if (example.page === page) await show(example, session);
    const alert = () => screen.findByRole('alert', {}, patient);
    await ask('Hello');
    expect((await alert()).textContent.replace(/\s+/g, ' ')).toContain(
      'Today’s share is used up. The server asks for a wait of 1440 min.',
    );
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    await ask('Hello again');
    await press('Try again');
    await shown('Better.');
    expect(problems).toEqual([]);
  }, 120_000);

  test('edits a message, goes through its versions, asks again, and keeps the focus', async () => {
    const { session, cards } = play(
      callTools({ tool: 'board.add', args: { title: 'Plan' } }),
      say('Added Plan.'),
      say('Nothing added.'),
      say('Nothing at all.'),
      callTools({ tool: 'board.invite', args: {} }),
      say('Invited.'),
      say('They are invited.'),
    );
    for (const example of examples) if (example.page === page) await show(example, session);
    const versions = partsOf('Versions');
    const idle = () => waitFor(() => expect(session.isRunning.value).toBe(false), patient);

    await ask('Add a card');
    await press('Approve');
    await versions.shows('Added Plan.');
    expect(cards).toEqual(['Plan']);

    // The effects of the turn that leaves are taken back.
    await versions.press('Edit');
    await versions.write('Your message', 'Add nothing');
    await versions.press('Save');
    await versions.shows('You: Add nothing');
    await versions.shows('Nothing added.');
    await versions.shows('2 / 2');
    await versions.hasFocus('Edit');
    expect(cards).toEqual([]);
    expect(screen.queryByRole('textbox', { name: 'Your message' })).toBeNull();

    await versions.press('Previous version');
    await versions.shows('1 / 2');
    await versions.shows('You: Add a card');
    await versions.hasFocus('Previous version');
    expect((await versions.button('Previous version')).ariaDisabled).toBe('true');
    await versions.press('Next version');
    await versions.shows('2 / 2');
    await versions.shows('Nothing added.');
    await versions.hasFocus('Next version');

    await versions.press('Regenerate');
    await versions.shows('3 / 3');
    await versions.shows('Nothing at all.');
    await versions.hasFocus('Regenerate');

    // An effect that cannot be taken back: the command is refused, and the user decides.
    await idle();
    expect(session.turns.value).toHaveLength(1);
    await versions.press('Edit');
    await versions.write('Your message', 'Invite them');
    await versions.press('Save');
    await versions.shows('Invited.');
    await idle();
    await versions.press('Regenerate');
    const alert = await screen.findByRole('alert', {}, patient);
    expect(alert.textContent).toContain('Sent the invitations (irreversible)');
    await press('Keep the effects');
    await versions.shows('They are invited.');
    await versions.shows('5 / 5');
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull(), patient);
    expect(problems).toEqual([]);
  }, 120_000);

  test('changes, moves and removes messages of the queue, and steers the agent', async () => {
    const more = gate();
    const { session } = play(say(['First', more, '.']), say('Steered.'), fail('auth'), say('Third.'));
    for (const example of examples) if (example.page === page) await show(example, session);
    const queue = partsOf('Queue');

    await note('One');
    await press('Ask');
    await more.reached;
    for (const text of ['Two', 'Three', 'Four']) {
      await note(text);
      await press('Queue');
    }
    await queue.shows('Two', 'Three', 'Four');
    const row = (text: string) =>
      partsOf('Queue')
        .text()
        .findIndex((shown) => shown.includes(text));
    const pressIn = (text: string, name: string) => {
      const list = within(screen.getByRole('list', { name: 'Queue' }));
      const found = list.getAllByRole('button', { name })[row(text)]!;
      found.focus();
      fireEvent.click(found);
    };

    pressIn('Three', 'Move up');
    await queue.shows('Three', 'Two', 'Four');
    await waitFor(() => expect(document.activeElement).not.toBe(document.body), patient);
    pressIn('Four', 'Remove');
    await queue.shows('Three', 'Two');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Note' }));
    pressIn('Two', 'Edit');
    await queue.write('Queued message', 'Two and a half');
    await queue.press('Save');
    await queue.shows('Three', 'Two and a half');

    await note('Wait');
    await press('Steer');
    await queue.shows('Wait (joins the answer)', 'Three', 'Two and a half');
    more.open();

    // The turn of "Three" fails, and the rest of the queue waits.
    await press('Continue the queue');
    await waitFor(
      () => expect(session.turns.value.at(-1)?.rounds[0]?.parts).toMatchObject([{ text: 'Third.' }]),
      patient,
    );
    expect(conversation().textContent).toContain('You: Wait');
    await queue.shows();
    const inputs = session.turns.value.map(({ input }) => textOf(input));
    expect(inputs).toEqual(['One', 'Three', 'Two and a half']);
    expect(problems).toEqual([]);
  }, 120_000);
});

test.each(
  starts
    .filter(({ page }) => !page.startsWith('packages/openai'))
    .map((example) => [example.name, example] as const),
)('%s starts in a page', async (_name, example) => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  expect(await load(example.file)).toBeDefined();
  expect(problems).toEqual([]);
});

const others = examples.filter(({ page }) => !page.startsWith('docs/'));

test.each(others.map((example) => [example.name, example] as const))(
  '%s draws a turn from its start to its end',
  async (_name, example) => {
    const { session } = play(
      callTools('I add it. ', { tool: 'board.add', args: { title: 'Plan' } }),
      say('Added.'),
    );
    await show(example, session);
    expect(unmounts.length).toBeGreaterThan(0);
    const turn = session.send('Add a card');
    await waitFor(() => expect(session.pendingConfirmation.value).not.toBeNull(), patient);
    void session.pendingConfirmation.value?.approve();
    await turn;
    await waitFor(() => expect(document.body.textContent?.trim()).not.toBe(''), patient);
    expect(problems).toEqual([]);
  },
  60_000,
);
