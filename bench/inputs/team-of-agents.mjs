/**
 * Returns options of a session whose model runs agents side by side, in one call.
 *
 * @param model the model of each agent, of `scripted-models.mjs`
 * @param count the number of agents
 */
export function teamOfAgents(model, count) {
  return {
    provider: providerOf(answerOfRoot),
    domains: [{ id: 'team', tools: [workOf(count)] }],
    agents: [{ id: 'worker', role: 'You work.', provider: providerOf(model) }],
    limits: { maxChildren: count, maxToolCalls: count + 1, timeoutMs: 600_000, maxConcurrentRequests: count },
  };
}

const workOf = (count) => ({
  name: 'work',
  description: 'Lets agents work.',
  parameters: { type: 'object' },
  capabilities: ['readOnly'],
  async execute(_args, { run }) {
    const ended = await Promise.all(Array.from({ length: count }, (_, n) => run('worker', `Part ${n}`)));
    return ended.length;
  },
});

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
