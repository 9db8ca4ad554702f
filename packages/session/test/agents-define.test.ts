// The definition of agents, and the checks of a session with agents.
import { describe, expect, it } from 'vitest';
import { scriptedProvider } from '@banister/testing';
import {
  createAgentSession,
  defineAgent,
  defineGuard,
  type Agent,
  type SessionOptions,
} from '@banister/session';
import { createBoard } from './board.js';

const notes: Agent = { id: 'notes', role: 'You write notes.' };

describe('agents C32: defineAgent', () => {
  it('agents C32: returns the agent itself', () => {
    const agent: Agent = {
      ...notes,
      title: 'Notes',
      description: 'Writes notes.',
      tools: ['board', 'docs.search'],
      limits: { maxRounds: 2, maxToolCalls: 0 },
      compaction: null,
    };
    expect(defineAgent(agent)).toBe(agent);
  });

  it.each([
    ['id', { id: 'my notes' }],
    ['id', { id: '' }],
    ['title', { title: '' }],
    ['description', { description: '' }],
    ['role', { role: undefined }],
    ['tools', { tools: ['board', 'board'] }],
    ['tools', { tools: 'board' }],
    ['provider', { provider: {} }],
    ['guards[0]', { guards: ['ask'] }],
    ['middleware[0].name', { middleware: [{}] }],
    ['context[0].summary', { context: [{ id: 'a' }] }],
    ['limits.maxRounds', { limits: { maxRounds: 0 } }],
    ['limits.maxToolCalls', { limits: { maxToolCalls: -1 } }],
    ['unknown are maxRetries', { limits: { maxRetries: 1 } }],
    ['compaction', { compaction: {} }],
    ['unknown are tool;', { tool: [] }],
  ])('agents C32: a wrong field throws with its name: %s', (name, fault) => {
    const given = { ...notes, ...fault } as unknown as Agent;
    expect(() => defineAgent(given)).toThrow(
      expect.objectContaining({ code: 'invalid-configuration', message: expect.stringContaining(name) }),
    );
  });
});

describe('agents C32: the agents of a session', () => {
  const board = createBoard().domain();
  const create = (options: Partial<SessionOptions>) =>
    createAgentSession({ provider: scriptedProvider([]), domains: [board], ...options });

  it.each([
    ['two agents with one id', [notes, notes], 'The agent "notes" is registered twice.'],
    ['an id with other characters', [{ ...notes, id: 'a b' }], 'agents[0].id'],
    [
      'an unknown domain',
      [{ ...notes, tools: ['docs'] }],
      'The agent "notes" names "docs", which does not exist.',
    ],
    ['an unknown tool', [{ ...notes, tools: ['board.fly'] }], 'names "board.fly", which does not exist.'],
    ['a tool listed twice', [{ ...notes, tools: ['board.add', 'board.add'] }], 'names "board.add" twice.'],
    [
      'a guard of an unknown tool',
      [
        {
          ...notes,
          guards: [
            Object.assign(
              defineGuard('odd', () => 'allow'),
              { tools: ['board.fly'] },
            ),
          ],
        },
      ],
      'The guard odd names the tool "board.fly"',
    ],
  ])(
    'agents C32: %s throws when the session is made, and when it is configured',
    async (_, agents, message) => {
      const refused = expect.objectContaining({
        code: 'invalid-configuration',
        message: expect.stringContaining(message),
      });
      expect(() => create({ agents })).toThrow(refused);
      const session = create({});
      expect(() => session.configure({ agents })).toThrow(refused);
      await session.dispose();
    },
  );

  it('agents C32: domains and tools of the session are accepted, and an agent keeps its list when its domain is removed', async () => {
    const session = create({ agents: [{ ...notes, tools: ['board', 'board.add'] }] });
    expect(() => session.configure({ domains: [] })).not.toThrow();
    await session.dispose();
  });
});
