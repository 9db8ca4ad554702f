// Wrong registrations throw at once, naming the offender.
import { describe, expect, it, vi } from 'vitest';
import { say, scriptedProvider, spyTool } from '@banister/testing';
import {
  createAgentSession,
  defineDomain,
  defineTool,
  type Domain,
  type SessionOptions,
} from '@banister/session';
import { z } from 'zod';
import { fixture } from './fixture.js';

const tool = (changes: object = {}) => ({ ...spyTool('work'), ...changes });
const refused = (domain: unknown) => {
  const wrong = expect.objectContaining({ code: 'invalid-configuration' });
  expect(() => defineDomain(domain as Domain)).toThrow(wrong);
  // createAgentSession checks as well, since a domain may be a plain object.
  expect(() => createAgentSession({ provider: scriptedProvider([]), domains: [domain as Domain] })).toThrow(
    wrong,
  );
  try {
    defineDomain(domain as Domain);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

it("if a schema library cannot express a tool's schema, the tool is refused with the library's reason", () => {
  const domain = { id: 'board', tools: [tool({ parameters: z.object({ at: z.bigint() }) })] };
  expect(refused(domain)).toBe(
    'The tool "board.work": parameters: the schema library cannot express it as JSON Schema: BigInt cannot be represented in JSON Schema.',
  );
});

it('audit-P10 a library schema is converted only once for all sessions', () => {
  const parameters = z.object({ title: z.string() });
  const input = vi.spyOn(parameters['~standard'].jsonSchema, 'input');
  for (let i = 0; i < 3; i++) {
    const domains = [{ id: 'a', tools: [tool({ parameters })] }];
    createAgentSession({ provider: scriptedProvider([]), domains }).configure({ domains });
  }
  expect(input).toHaveBeenCalledTimes(1);
});

describe('AK-D4 AK-D5 a domain is refused', () => {
  it.each([
    ['without id', { tools: [] }, /id/],
    ['with an empty id', { id: '', tools: [] }, /id/],
    ['with a dot in its id', { id: 'a.b', tools: [] }, /"a\.b"/],
    ['with the reserved id', { id: 'banister', tools: [] }, /banister.*reserved/],
    ['without tools', { id: 'board' }, /board/],
    ['with a tool twice', { id: 'board', tools: [tool(), tool()] }, /board\.work.*twice/],
    ['with a tool without name', { id: 'board', tools: [tool({ name: '' })] }, /board/],
    ['with a dot in a tool name', { id: 'board', tools: [tool({ name: 'a.b' })] }, /"a\.b"/],
    [
      'with a tool without description',
      { id: 'board', tools: [tool({ description: ' ' })] },
      /board\.work.*description/,
    ],
    [
      'with a tool without execute',
      { id: 'board', tools: [tool({ execute: undefined })] },
      /board\.work.*execute/,
    ],
    [
      'with an unknown capability',
      { id: 'board', tools: [tool({ capabilities: ['readonly'] })] },
      /board\.work.*"readonly"/,
    ],
    [
      'readOnly and mutating',
      { id: 'board', tools: [tool({ capabilities: ['readOnly', 'mutating'] })] },
      /board\.work.*mutating/,
    ],
    [
      'readOnly and destructive',
      { id: 'board', tools: [tool({ capabilities: ['destructive', 'readOnly'] })] },
      /board\.work.*destructive/,
    ],
    ['with a timeout of 0', { id: 'board', tools: [tool({ timeoutMs: 0 })] }, /board\.work.*timeoutMs/],
    [
      'with a timeout that is none',
      { id: 'board', tools: [tool({ timeoutMs: NaN })] },
      /board\.work.*timeoutMs/,
    ],
    [
      'without parameters',
      { id: 'board', tools: [tool({ parameters: undefined })] },
      /board\.work.*parameters/,
    ],
    [
      'with parameters of another type',
      { id: 'board', tools: [tool({ parameters: { type: 'string' } })] },
      /board\.work.*object/,
    ],
    [
      'with parameters that are true',
      { id: 'board', tools: [tool({ parameters: true })] },
      /board\.work.*parameters/,
    ],
    ['null', null, /domain/],
    ['with null for a tool', { id: 'board', tools: [null] }, /board/],
  ])('%s', (_name, domain, message) => {
    expect(refused(domain)).toMatch(message);
  });

  it('if its id occurs twice in a session', () => {
    expect(() =>
      createAgentSession({
        provider: scriptedProvider([]),
        domains: [
          { id: 'board', tools: [] },
          { id: 'board', tools: [] },
        ],
      }),
    ).toThrow(/"board".*twice/);
  });
});

describe('a session is refused', () => {
  it.each([
    ['without provider', { provider: undefined }],
    ['with a provider without stream', { provider: { id: 'x', model: 'x' } }],
    ['with a guard that is no function', { guards: [{}] }],
    ['with a handler that is no function', { confirm: 'yes' }],
    ['with a role that is no text', { role: 1 }],
    ['with a limit that does not exist', { limits: { maxTurns: 3 } }],
    ['with a limit of 0', { limits: { maxRounds: 0 } }],
    ['with a limit that is no number', { limits: { timeoutMs: '5' } }],
    ['with a limit that is NaN', { limits: { timeoutMs: NaN } }],
    ['with an unknown onTrip', { limits: { onTrip: 'pause' } }],
    ['with a context source without summary', { context: [{ id: 'x', policy: 'always' }] }],
    ['with an unknown policy', { context: [{ id: 'x', policy: 'cached', summary: () => '' }] }],
    [
      'with a context source twice',
      {
        context: [
          { id: 'x', policy: 'always', summary: () => '' },
          { id: 'x', policy: 'always', summary: () => '' },
        ],
      },
    ],
    ['with a history that is none', { history: {} }],
    ['with guards that are no list', { guards: 'x' }],
    ['with a context that is no list', { context: {} }],
  ])('%s', (_name, options) => {
    expect(() =>
      createAgentSession({ provider: scriptedProvider([]), ...options } as unknown as SessionOptions),
    ).toThrow(expect.objectContaining({ code: 'invalid-configuration' }));
  });
});

describe('tools', () => {
  it('AK-D3 AK-D6 reach the provider as domain.tool, with description and schema', async () => {
    await using f = fixture([say('x')], {
      domains: [
        { id: 'a', tools: [tool({ parameters: { type: 'object', properties: { n: { type: 'number' } } } })] },
        { id: 'b', tools: [tool({ parameters: z.object({ title: z.string() }) })] },
      ],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.tools).toMatchObject([
      {
        name: 'a.work',
        description: 'Test double work.',
        parameters: { type: 'object', properties: { n: { type: 'number' } } },
      },
      {
        name: 'b.work',
        parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      },
    ]);
  });

  it('defineTool infers the types of the arguments', () => {
    defineTool({
      name: 'x',
      description: 'x',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      execute: ({ title }) => title.toUpperCase(),
    });
    defineTool({
      name: 'x',
      description: 'x',
      parameters: z.object({ n: z.number() }),
      execute: ({ n }) => n.toFixed(1),
    });
  });

  it('a required parameter that is not in `properties` gives a warning, and ends nothing', async () => {
    await using f = fixture([say('x')], {
      domains: [{ id: 'a', tools: [tool({ parameters: { type: 'object', required: ['ghost'] } })] }],
    });
    await f.session.send('Go');
    expect(f.session.lastSchemaWarnings.value).toMatchObject([
      { tool: 'a.work', message: expect.stringContaining('ghost') },
    ]);
  });

  it('AK-B1 are not given to the provider for checking if there are none', async () => {
    await using f = fixture([say('x')]);
    let checks = 0;
    const provider = Object.assign(Object.create(f.provider), { validateTools: () => (checks++, []) });
    f.session.configure({ provider });
    await f.session.send('Go');
    expect(checks).toBe(0);
  });

  it('if the provider fails to check them, there is a warning, and nothing ends', async () => {
    await using f = fixture([say('x')], { domains: [{ id: 'a', tools: [tool()] }] });
    const provider = Object.assign(Object.create(f.provider), {
      validateTools: () => {
        throw new Error('no');
      },
    });
    f.session.configure({ provider });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(f.session.lastSchemaWarnings.value).toHaveLength(1);
  });
});
