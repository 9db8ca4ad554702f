// What a programmer is told in development.
import { createAgentSession, failed, immediate, type Tool } from '@banister/session';
import { callTools, say, scriptedProvider, settle, spyTool } from '@banister/testing';
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
  it('in development the console warns once about a tool that succeeds without recording an effect', async () => {
    await callTwice({});
    expect(messages()).toEqual([expect.stringContaining('app.act recorded no effect')]);
  });

  it.each<[string, Partial<Tool>]>([
    ['is read-only', { capabilities: ['readOnly'] }],
    ['is declared irreversible', { irreversible: true }],
    ['has an undo', { undo: { revert: () => {} } }],
    ['recorded an effect', { execute: (_args, context) => context.irreversible('Sent a mail') }],
    ['failed', { execute: () => failed('no') }],
  ])('gives no warning if it %s', async (_name, tool) => {
    await callTwice(tool);
    expect(messages()).toEqual([]);
  });

  it.each(['production', 'test'])('gives no warning in %s', async (environment) => {
    vi.stubEnv('NODE_ENV', environment);
    await callTwice({});
    expect(messages()).toEqual([]);
  });
});

describe('AD-18 a tool that throws', () => {
  const error = new TypeError('Cannot read properties of undefined');
  const fails: Partial<Tool> = { execute: () => Promise.reject(error) };

  it('in development the console shows the error that a tool throws, unless its call was cut', async () => {
    await callTwice(fails);
    expect(warn.mock.calls).toEqual(Array(2).fill([expect.stringContaining('app.act threw'), error]));
  });

  it.each(['production', 'test'])('has no line in %s', async (environment) => {
    vi.stubEnv('NODE_ENV', environment);
    await callTwice(fails);
    expect(warn.mock.calls).toEqual([]);
  });

  it('gives no line if a cancel has cut it, for example by aborting its fetch', async () => {
    const session = createAgentSession({
      provider: scriptedProvider([callTools({ tool: 'app.act' })]),
      domains: [
        {
          id: 'app',
          tools: [spyTool('act', { abortable: true, execute: (_args, { signal }) => aborted(signal) })],
        },
      ],
      ports: { scheduler: immediate() },
    });
    const turn = session.send('Go').catch(() => {});
    await vi.waitFor(() => expect(session.activeToolCalls.value[0]?.state).toBe('executing'));
    await session.cancel();
    await turn;
    await settle();
    await session.dispose();
    expect(messages().filter((line) => line.includes('threw'))).toEqual([]);
  });
});

/** Rejects when the signal aborts, as `fetch` does. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('Aborted.', 'AbortError')));
  });
}

describe('audit-S8 limits that are all lifted', () => {
  const lifted = { maxRounds: Infinity, maxToolCalls: Infinity, timeoutMs: Infinity };

  it('give a warning in development', async () => {
    const provider = scriptedProvider([say('Done.')]);
    const session = createAgentSession({ provider, limits: lifted });
    expect(messages()).toEqual([expect.stringContaining('Every limit of a turn is lifted')]);
    await session.dispose();
    const other = createAgentSession({ provider });
    await other.send('Go', { limits: lifted });
    expect(messages()).toHaveLength(2);
    await other.dispose();
  });

  it('give no warning if one limit is left', async () => {
    const session = createAgentSession({
      provider: scriptedProvider([say('Done.')]),
      limits: { ...lifted, maxTokens: 100_000 },
    });
    expect(messages()).toEqual([]);
    await session.dispose();
  });
});
