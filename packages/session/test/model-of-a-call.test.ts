import type { Provider } from '@banister/provider';
import { expect, test } from 'vitest';
import { createAgentSession, defineDomain, defineTool, type Operation } from '../src/index.js';
import { accumulateToolCalls } from '@banister/session/operations';

const provider: Provider = {
  id: 'acme',
  model: 'acme-1',
  capabilities: { images: false },
  async *stream({ messages }) {
    if (messages.length === 1) {
      yield { type: 'tool-call', index: 0, id: 'call-of-the-server', tool: 'board.add', delta: '{' };
      yield { type: 'tool-call', index: 0, delta: '}' };
      yield { type: 'finish', reason: 'tool-calls' };
    } else {
      yield { type: 'text', delta: 'Done.' };
      yield { type: 'finish', reason: 'stop' };
    }
  },
};

test("audit-S9 the end of a model call names its model, and accumulated calls keep the server's id", async () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object', properties: {} },
    execute: () => 'Added.',
  });
  const session = createAgentSession({ provider, domains: [defineDomain({ id: 'board', tools: [add] })] });
  const operations: Operation[] = [];
  const ids: (string | undefined)[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  session.operations$.pipe(accumulateToolCalls()).subscribe((call) => ids.push(call.providerCallId));
  await session.send('Add');
  await session.dispose();
  const models = operations.flatMap((one) => (one.type === 'modelCallFinished' ? [one.model] : []));
  expect(models).toEqual(['acme-1', 'acme-1']);
  expect(ids).toEqual(['call-of-the-server', 'call-of-the-server']);
});
