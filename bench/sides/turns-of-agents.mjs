import { createAgentSession, defineDomain, defineTool } from './built-session.mjs';

/** A session whose model runs agents side by side, in one call. Each agent gives the answer that `turn-alone.mjs` gives. */
export function createTurnsOfAgents({ model, agents: count, ...options }) {
  const session = createAgentSession({
    ...options,
    provider: providerOf(answerOfRoot),
    domains: [teamOf(count)],
    agents: [{ id: 'worker', role: 'You work.', provider: providerOf(model) }],
    limits: { maxChildren: count, maxToolCalls: count + 1, timeoutMs: 600_000, maxConcurrentRequests: count },
  });
  const children = () => session.state.turns.at(-1).rounds[0].parts[0].children;
  return {
    session,
    texts: () => children().map(({ rounds }) => rounds.at(-1).parts.at(-1).text),
  };
}

function teamOf(count) {
  const work = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: { type: 'object' },
    capabilities: ['readOnly'],
    async execute(_args, { run }) {
      const ended = await Promise.all(Array.from({ length: count }, (_, n) => run('worker', `Part ${n}`)));
      return ended.length;
    },
  });
  return defineDomain({ id: 'team', tools: [work] });
}

async function* answerOfRoot({ messages }) {
  if (messages.at(-1).parts[0].type !== 'tool-result') {
    yield { type: 'tool-call', index: 0, id: 'call-0', tool: 'team.work', delta: '{}' };
    yield { type: 'finish', reason: 'tool-calls' };
    return;
  }
  yield { type: 'text', delta: 'done' };
  yield { type: 'finish', reason: 'stop' };
}

function providerOf(model) {
  return {
    id: 'bench',
    model: 'scripted',
    stream: (request, signal) => model({ ...request, signal }),
  };
}
