// Section 15 of the contract: what a programmer is told in development.
import { createAgentSession, immediate, type Tool } from '@banister/session';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const warn = vi.spyOn(console, 'warn');
const messages = () => warn.mock.calls.map(([message]) => String(message));

beforeEach(() => {
  warn.mockImplementation(() => {});
  vi.stubEnv('NODE_ENV', 'development');
});
afterEach(() => {
  warn.mockReset();
  vi.unstubAllEnvs();
});

async function callTwice(tool: Partial<Tool>): Promise<void> {
  const act: Tool = {
    name: 'act',
    description: 'Acts.',
    parameters: { type: 'object', properties: {} },
    execute: () => 'done',
    ...tool,
  };
  const session = createAgentSession({
    provider: scriptedProvider([
      callTools({ tool: 'app.act' }),
      callTools({ tool: 'app.act' }),
      say('Done.'),
    ]),
    domains: [{ id: 'app', tools: [act] }],
    ports: { scheduler: immediate() },
  });
  await session.send('Go');
  await session.dispose();
}

describe('audit-AD-4 a tool that succeeds without a record of its effect', () => {
  it('is warned of once in development', async () => {
    await callTwice({});
    expect(messages()).toEqual([expect.stringContaining('app.act recorded no effect')]);
  });

  it.each<[string, Partial<Tool>]>([
    ['is read-only', { capabilities: ['readOnly'] }],
    ['is declared irreversible', { irreversible: true }],
    ['has an undo', { undo: { revert: () => {} } }],
    ['recorded an effect', { execute: (_args, context) => context.irreversible('Sent a mail') }],
    [
      'failed',
      {
        execute: () => {
          throw new Error('no');
        },
      },
    ],
  ])('is not warned of where it %s', async (_name, tool) => {
    await callTwice(tool);
    expect(messages()).toEqual([]);
  });

  it.each(['production', 'test'])('is not warned of in %s', async (environment) => {
    vi.stubEnv('NODE_ENV', environment);
    await callTwice({});
    expect(messages()).toEqual([]);
  });
});

describe('audit-S8 limits that are all lifted', () => {
  const lifted = { maxRounds: Infinity, maxToolCalls: Infinity, timeoutMs: Infinity };

  it('are warned of, those of a session and those of a turn', async () => {
    const provider = scriptedProvider([say('Done.')]);
    const session = createAgentSession({ provider, limits: lifted });
    expect(messages()).toEqual([expect.stringContaining('Every limit of a turn is lifted')]);
    await session.dispose();
    const other = createAgentSession({ provider });
    await other.send('Go', { limits: lifted });
    expect(messages()).toHaveLength(2);
    await other.dispose();
  });

  it('are not warned of where one bound is left', async () => {
    const session = createAgentSession({
      provider: scriptedProvider([say('Done.')]),
      limits: { ...lifted, maxTokens: 100_000 },
    });
    expect(messages()).toEqual([]);
    await session.dispose();
  });
});
