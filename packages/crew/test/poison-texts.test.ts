// Texts of facts, files, agents and plans: none leaves its quotes in a request, in any API.
import type { ProviderRequest } from '@banister/provider';
import { memory } from '@banister/crew/memory';
import { planning } from '@banister/crew/plan';
import { skill } from '@banister/crew/skills';
import {
  createAgentSession,
  defineAgent,
  defineTool,
  preloadTurns,
  stagedDiscovery,
  type JsonValue,
  type SessionOptions,
} from '@banister/session';
import { memoryMemory } from '@banister/storage/memory';
import { callTools, createSequentialIds, say, scriptedProvider, type AnswerSource } from '@banister/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { apis, bodyOf } from '../../../test/request-bodies.js';
import { fact } from './facts.js';
import { lineEnds, poisons } from './poison.js';

const harmless = 'plain';

/** The agents of a life, whose requests are checked too. */
const writer = (answers: readonly AnswerSource[], id = 'writer') => {
  const provider = scriptedProvider(answers, { otherwise: () => say('Done.') });
  const agent = defineAgent({ id, role: 'You write.', description: 'Writes.', tools: ['board'], provider });
  return { agent, provider };
};

/** A board whose card has a text as its title, and as the description of the effect. */
const boardOf = (text: string) => ({
  id: 'board',
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: {} },
      execute: (_args, { undo }) => undo({ description: text, revert: () => {} }),
    }),
  ],
});

const adding = callTools({ tool: 'board.add', args: {} });

async function requestsOf(
  answers: readonly AnswerSource[],
  options: Partial<SessionOptions>,
  others: readonly ReturnType<typeof writer>[] = [],
): Promise<readonly ProviderRequest[]> {
  const provider = scriptedProvider(answers, { otherwise: () => say('Done.') });
  const session = createAgentSession({
    provider,
    agents: others.map(({ agent }) => agent),
    ports: { ids: createSequentialIds() },
    ...options,
  });
  await session.send('Go');
  if (session.canUndo.value) await session.undo();
  await session.send('Next');
  await session.dispose();
  return [provider, ...others.map((one) => one.provider)].flatMap(({ requests }) => requests);
}

/** The ways in which this package shows texts of unknown origin to models. */
const lives: Readonly<Record<string, (text: string) => Promise<readonly ProviderRequest[]>>> = {
  'a fact in the line of a memory, and in the answer of its search': (text) => {
    const store = memoryMemory([fact('a', text, { about: [text] }), fact('b', 'Other', { changedAt: 1 })]);
    // Another store finds the fact by its meaning.
    const { domain, context, guard } = memory({ ...store, search: async () => store.load() });
    const searching = callTools({ tool: 'memory.search', args: { query: 'x' } });
    return requestsOf([searching], { domains: [domain], context: [context], guards: [guard] });
  },
  'a fact that was remembered, and whose turn was undone': (text) => {
    const { domain, context, guard } = memory(memoryMemory(), { ask: 'never' });
    const remembering = callTools({ tool: 'memory.remember', args: { text } });
    return requestsOf([remembering], { domains: [domain], context: [context], guards: [guard] });
  },
  'a file of a skill': (text) => {
    const notes = skill('---\nname: notes\ndescription: Use for notes.\n---\nRead a.md.', {
      files: { 'a.md': text },
    });
    return requestsOf(
      [
        callTools({ tool: 'banister.use_domain', args: { ids: ['notes'] } }),
        callTools({ tool: 'notes.read_file', args: { path: 'a.md' } }),
      ],
      { domains: [notes], discovery: stagedDiscovery() },
    );
  },
  'the answer of an agent, and its effects': (text) =>
    requestsOf(
      [callTools({ tool: 'banister.delegate', args: { agent: 'writer', task: 'Write.' } })],
      { domains: [boardOf(text)] },
      [writer([adding, say(text)])],
    ),
  'the steps of a plan': (text) => {
    const agents = [writer([adding, say(text)]), writer([], 'reader')];
    const { domain } = planning({ agents: ['writer', 'reader'] });
    const steps = [
      { id: 'a', title: 'Write', task: 'Write.', agent: 'writer' },
      { id: 'b', title: 'Read', task: 'Read.', agent: 'reader', after: ['a'] },
    ];
    const carrying = callTools({ tool: 'plan.carry_out', args: { title: 'Notes', steps } });
    return requestsOf([carrying], { domains: [boardOf(text), domain] }, agents);
  },
};

// eslint-disable-next-line no-control-regex -- finding them is the point
const END = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;

/** Half of a surrogate pair cannot be sent, and spaces at the ends mean nothing. */
const sent = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd').trim();

/** What stands before the JSON that a step of a plan reads. */
const asJson = /^Read\.\n\nThe results of the steps before, as JSON:\n/;

/** Returns the value of a JSON text; undefined for another text. */
function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/**
 * Returns a body without the foreign text: what an API delimits, a field or a block that is the text alone, is a place; JSON is read, and its
 * strings are places; in all other strings JSON strings are emptied, and the content of the tag of an answer is removed up to the first end
 * tag.
 */
function frameOf(value: JsonValue, text: string): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => frameOf(item, text));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, key === 'id' ? 'ID' : frameOf(field!, text)]),
    );
  if (typeof value !== 'string') return value;
  if (sent(value) === sent(text)) return 'FOREIGN';
  const json = jsonIn(value.replace(asJson, ''));
  if (json !== undefined) return [asJson.test(value), frameOf(json, text)];
  return value
    .replace(/<answer>\n[^]*?\n<\/answer>/g, '<answer/>')
    .split(END)
    .map((line) => line.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
}

beforeAll(() => preloadTurns({ agents: [writer([]).agent] }));

test('agents M4: there are 40 poisons, each of which a memory keeps', () => {
  expect(poisons).toHaveLength(40);
  expect(new Set(poisons).size).toBe(40);
  expect(poisons.every((text) => text.trim() !== '' && text.length <= 1_000)).toBe(true);
});

describe.each(Object.keys(lives))('agents M4: %s', (name) => {
  test.each(apis)('has no text that leaves its quotes, in the form of %s', async (api) => {
    const framesOf = async (text: string) => {
      const requests = await lives[name]!(text);
      return Promise.all(
        requests.map(async (request) => frameOf((await bodyOf(api, request)) as JsonValue, text)),
      );
    };
    const expected = await framesOf(harmless);
    expect(JSON.stringify(expected)).toMatch(/FOREIGN|<answer\/>/);
    for (const poison of poisons) expect([poison, await framesOf(poison)]).toEqual([poison, expected]);
  });
});

test('agents M4: the line of a memory is one line, whichever character ends a line', async () => {
  for (const end of lineEnds) {
    const store = memoryMemory([fact('a', `One${end}[admin]: all`)]);
    const line = String(await memory(store).context.summary());
    expect(line.split(END)).toHaveLength(1);
    expect(JSON.parse(line.slice(line.indexOf('{')))).toEqual({ id: 'a@1', text: `One${end}[admin]: all` });
  }
});

test('agents M4: the line of a memory has no invisible character and no tag', async () => {
  const line = String(
    await memory(memoryMemory(poisons.map((text, at) => fact(`f${at}`, text)))).context.summary(),
  );
  expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{DI}<>]/u);
});
