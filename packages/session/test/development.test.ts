// What a programmer is told in development.
import { createAgentSession, failed, immediate, type GivenLimits, type Tool } from '@banister/session';
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

describe('agents D3: the default limits of a session with agents', () => {
  /** Runs two turns, each with the same calls. Returns what the console was told. */
  async function told(limits: GivenLimits, isRun = true): Promise<readonly string[]> {
    const args = { agent: 'notes', task: 'Write.' };
    const turn = [...(isRun ? [callTools({ tool: 'banister.delegate', args })] : []), say('Done.')];
    const provider = scriptedProvider([say('Written.'), say('Written.')]);
    const session = createAgentSession({
      provider: scriptedProvider([...turn, ...turn]),
      agents: [{ id: 'notes', description: 'Writes.', role: 'You write.', provider }],
      limits,
      ports: { scheduler: immediate() },
    });
    await session.send('Go');
    await session.send('Go on');
    await session.dispose();
    return messages();
  }

  it('agents D3: a warning, once for a session that runs agents, if calls and time both have their defaults', async () => {
    const line = expect.stringContaining('together have 12 tool calls and 60 seconds');
    expect(await told({})).toEqual([line]);
    expect(await told({ maxRounds: 4 })).toEqual([line, line]);
  });

  it('agents D3: no warning if a limit was set, or if no agent runs', async () => {
    expect(await told({ maxToolCalls: 60 })).toEqual([]);
    expect(await told({ timeoutMs: 300_000 })).toEqual([]);
    expect(await told({}, false)).toEqual([]);
  });
});
