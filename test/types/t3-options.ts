// T3: an option that may be absent may be undefined, as `{ apiKey: settings.key }` is when there is none.
import { anthropic } from '@handrail/anthropic';
import { withModelFacts } from '@handrail/model-facts';
import { onDevice, type DownloadOptions } from '@handrail/on-device';
import { openai } from '@handrail/openai';
import {
  createAgentSession,
  defineGuard,
  defineDomain,
  defineTool,
  withPrice,
  type AgentSession,
  type Provider,
} from '@handrail/session';
import { gatedTool, observe, say, scriptedProvider, spyTool } from '@handrail/testing';

declare const provider: Provider;

const none = undefined;

const tool = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object' },
  capabilities: none,
  timeoutMs: none,
  irreversible: none,
  execute(_args, context) {
    context.undo({ description: 'Added', revert: () => {}, reapply: none });
  },
});

export const session = createAgentSession({
  provider,
  domains: [defineDomain({ id: 'board', tools: [tool], version: none, summary: none, revision: none })],
  guards: none,
  confirm: none,
  role: none,
  context: none,
  limits: { maxRounds: none, onTrip: none },
  history: none,
  conversation: none,
  ports: { clock: none, reportError: none },
});
export const empty = createAgentSession({ provider, domains: none, limits: none, ports: none });

export async function use({
  send,
  cancel,
  undo,
  redo,
  configure,
  respond,
  retry,
}: AgentSession): Promise<void> {
  await send({ text: 'Hi', images: none }, { signal: none, limits: { maxTokens: none } });
  await send('Hi', { limits: none });
  void respond('request', { approve: true, arguments: none });
  void respond('request', { approve: false, reason: none });
  await retry({ signal: none });
  await cancel({ immediate: none, sideEffects: none });
  await undo({ force: none });
  await redo({ force: none });
  configure({ role: none, limits: none });
}

export const providers: readonly Provider[] = [
  openai({ model: 'x', api: none, apiKey: none, baseURL: none, client: none, headers: none, fetch: none }),
  openai({ model: 'x', extraBody: none, includeUsage: none, limits: { idleTimeoutMs: none } }),
  anthropic({ model: 'x', apiKey: none, baseURL: none, thinking: none, promptCaching: none, limits: none }),
  onDevice({ languages: none, images: none, createOptions: none, languageModel: none }),
  withModelFacts(provider, { vendor: none, model: none, images: none }),
  withPrice(provider, { input: 1, output: 2, cachedInput: none, cacheWrite: none, currency: none }),
  scriptedProvider([say('Hi', { usage: none, thinking: none })], {
    model: none,
    otherwise: none,
    validate: none,
  }),
];

export const guard = defineGuard('cost', () => ({ confirm: 'Sure?', cost: none }));
export const doubles = [
  spyTool('a', { execute: none, capabilities: none, timeoutMs: none }),
  gatedTool('b', { abortable: none }),
];
observe(session, { clock: none });
export const download: DownloadOptions = { onProgress: none, signal: none };
