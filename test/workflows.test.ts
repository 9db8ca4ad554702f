import { pathToFileURL } from 'node:url';
import {
  createAgentSession,
  defineAgent,
  defineTool,
  type LocalAgentSession,
  type SessionOptions,
  type Tool,
  type ToolContext,
} from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { memoryLog } from '@banister/storage';
import { callTools, fail, say, scriptedProvider, stall, type AnswerSource } from '@banister/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { writeDocExamples } from './kit/doc-examples.js';

// Each workflow of the page runs in a tool of a session, with agents whose answers the test gives.

const examples = writeDocExamples('workflows', ['docs/workflows.md']).filter(({ code }) =>
  /^export /m.test(code),
);
const workflows = Object.assign(
  {},
  ...(await Promise.all(examples.map(({ file }) => import(pathToFileURL(file).href)))),
) as Readonly<Record<string, unknown>>;

type Workflow = (...args: unknown[]) => Promise<unknown>;

const sessions: LocalAgentSession[] = [];
afterAll(() => Promise.all(sessions.map((session) => session.dispose())));

type Answers = Readonly<Record<string, readonly AnswerSource[]>>;

/** A session whose model calls a tool, with an agent for each list of answers. */
function sessionOf(tool: Tool, answers: Answers, options: Partial<SessionOptions> = {}) {
  const tasks: string[] = [];
  const session = createAgentSession({
    provider: scriptedProvider([callTools({ tool: `flow.${tool.name}`, args: {} }), say('Done.')]),
    domains: [{ id: 'flow', tools: [tool] }],
    agents: Object.entries(answers).map(([id, given]) => {
      const provider = scriptedProvider(given);
      const stream: typeof provider.stream = (request, ...more) => {
        const last = request.messages.at(-1)?.parts[0];
        tasks.push(`${id}: ${last?.type === 'text' ? last.text : ''}`);
        return provider.stream(request, ...more);
      };
      return defineAgent({ id, role: `You are ${id}.`, provider: { ...provider, stream } });
    }),
    limits: { maxToolCalls: 60, timeoutMs: 300_000, maxRetries: 0 },
    ...options,
  });
  sessions.push(session);
  return { session, tasks };
}

/** Runs a workflow. Returns what it returned, what its agents were asked, and how their child turns ended. */
async function ran(name: string, args: readonly unknown[], answers: Answers) {
  let returned: unknown;
  const tool = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: { type: 'object', properties: {} },
    capabilities: ['readOnly'],
    execute: async (_args, context: ToolContext) => {
      returned = await (workflows[name] as Workflow)(...args, context);
    },
  });
  const { session, tasks } = sessionOf(tool, answers);
  await session.send('Go');
  const ends = childrenOf(session.turns.value[0]!).map(({ agent, status }) => `${agent} ${status}`);
  return { returned, tasks, ends };
}

describe('docs/workflows.md', () => {
  test('each workflow has at most ten lines, without its imports', () => {
    expect(examples).toHaveLength(9);
    for (const { name, code } of examples) {
      const lines = code.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('import '));
      expect(lines.length, name).toBeLessThanOrEqual(10);
    }
  });

  test('step: an agent reads the result of the agent before, and a failure ends the workflow', async () => {
    const whole = await ran('step', [], { scout: [say('Undo.')], writer: [say('New: undo.')] });
    expect(whole.returned).toBe('New: undo.');
    expect(whole.tasks).toEqual(['scout: What is new?', 'writer: Undo.']);
    const cut = await ran('step', [], { scout: [fail('auth')], writer: [] });
    expect(cut.ends).toEqual(['scout failed']);
    expect(cut.returned).toMatchObject({ outcome: 'failed' });
  });

  test('parallel: the results have the order of the runs', async () => {
    const { returned, ends } = await ran('parallel', [['a', 'b']], { writer: [say('One.'), say('Two.')] });
    expect(returned).toEqual(['One.', 'Two.']);
    expect(ends).toEqual(['writer completed', 'writer completed']);
  });

  test('merge: an agent reads what the others completed', async () => {
    const { returned, tasks } = await ran('merge', [['a', 'b', 'c']], {
      writer: [say('One.'), fail('auth'), say('Three.')],
      editor: [say('Whole.')],
    });
    expect(returned).toBe('Whole.');
    expect(tasks.at(-1)).toBe('editor: One.\n\nThree.');
  });

  test.each([
    ['{"money":true}', 'accountant'],
    ['{"money":false}', 'helper'],
  ])('route: the output of an agent chooses the next: %s', async (answer, chosen) => {
    const { ends } = await ran('route', ['Why?'], {
      router: [say(answer)],
      accountant: [say('Because.')],
      helper: [say('Because.')],
    });
    expect(ends).toEqual(['router completed', `${chosen} completed`]);
  });

  test('repeat: until the critic agrees, at most three times', async () => {
    const good = await ran('repeat', [], {
      writer: [say('Draft.'), say('Better.')],
      critic: [say('Shorter.'), say('OK.')],
    });
    expect(good.returned).toBe('Better.');
    expect(good.tasks).toEqual([
      'writer: Write it.',
      'critic: Draft.',
      'writer: Shorter.',
      'critic: Better.',
    ]);
    const never = await ran('repeat', [], {
      writer: ['1', '2', '3', '4'].map((text) => say(text)),
      critic: Array.from({ length: 3 }, () => say('No.')),
    });
    expect(never.ends).toHaveLength(7);
  });

  test('first of: the others are cancelled', async () => {
    const { returned, ends } = await ran('firstOf', [['slow', 'fast'], 'Why?'], {
      slow: [stall('Beca')],
      fast: [say('Because.')],
    });
    expect(returned).toBe('Because.');
    expect(ends).toEqual(['slow cancelled', 'fast completed']);
  });

  test('timeout: the text so far is there', async () => {
    const { returned, ends } = await ran('timeout', [], { scout: [stall('Undo of')] });
    expect(returned).toBe('So far: Undo of');
    expect(ends).toEqual(['scout stopped']);
  });

  test('fallback: another agent takes the place of an agent that failed', async () => {
    const { returned, ends } = await ran('fallback', ['Why?'], {
      expert: [fail('auth')],
      helper: [say('Because.')],
    });
    expect(returned).toBe('Because.');
    expect(ends).toEqual(['expert failed', 'helper completed']);
  });

  test('durable: after a reload, only what had not ended asks its model', async () => {
    const durable = workflows['durable'] as Tool;
    const stored = { id: 'chat', log: memoryLog() };
    const before = sessionOf(durable, { scout: [say('Undo.')], writer: [stall('New: un')] }, stored);
    void before.session.send('Go').catch(() => {});
    await expect.poll(() => before.tasks).toHaveLength(2);
    await before.session.dispose({ turn: 'leave' });

    const provider = scriptedProvider([say('Done.')]);
    const options = { ...stored, provider, onInterrupted: 'resume' as const };
    const { session, tasks } = sessionOf(durable, { scout: [], writer: [say('New: undo.')] }, options);
    await expect.poll(() => session.turns.value.map(({ status }) => status)).toEqual(['completed']);
    expect(tasks).toEqual(['writer: Undo.']);
    expect(childrenOf(session.turns.value[0]!).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
    ]);
    expect(JSON.stringify(provider.requests[0]!.messages.at(-1))).toContain('New: undo.');
  });
});
