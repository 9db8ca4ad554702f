// T3: an option that may be absent may be undefined, as `{ apiKey: settings.key }` is when there is none.
import { anthropic } from '@banister/anthropic';
import { withModelFacts } from '@banister/model-facts';
import { onDevice, type DownloadOptions } from '@banister/on-device';
import { openai } from '@banister/openai';
import {
  createAgentSession,
  defineGuard,
  defineDomain,
  defineTool,
  preloadTurns,
  type LocalAgentSession,
  type CommittedEffects,
  type Provider,
  type UndoTransaction,
} from '@banister/session';
import { withPrice, type ProviderEvent } from '@banister/provider';
import { callTools, gatedTool, observe, say, scriptedProvider, spyTool } from '@banister/testing';

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
  discovery: none,
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
}: LocalAgentSession): Promise<void> {
  await send({ text: 'Hi', images: none }, { signal: none, limits: { maxTokens: none } });
  await send('Hi', { limits: none });
  void respond('request', { approve: true, arguments: none });
  void respond('request', { approve: false, reason: none });
  await retry({ signal: none });
  await cancel({ immediate: none, sideEffects: none });
  await undo({ force: none });
  await redo({ force: none });
  configure({ provider: none, guards: none, confirm: none, role: none, context: none, limits: none });
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
  gatedTool('b', { heedsSignal: none }),
];
observe(session, { clock: none });
export const download: DownloadOptions = { onProgress: none, signal: none };

await preloadTurns({ ports: none, domains: none });
await preloadTurns({ ports: { clock: none, validator: none } });
callTools({ tool: 'board.add', args: none, argumentsText: none, id: none, fragment: none });

/** The answers of an app's own undo history. */
export const answers = (effects: CommittedEffects, transaction: UndoTransaction) => [
  { ...effects, reapply: none, irreversible: none } satisfies CommittedEffects,
  { ...transaction, droppable: none } satisfies UndoTransaction,
];

/** The events of an app's own provider: `{ id: chunk.id }`, where the API leaves the id out. */
export const events: readonly ProviderEvent[] = [
  { type: 'text', delta: 'Hi', refusal: none },
  { type: 'thinking', delta: 'Well', signature: none },
  { type: 'tool-call', index: 0, id: none, tool: none, delta: '' },
  { type: 'inner-call', id: none, tool: 'board.add', argumentsText: '{}', answer: () => {} },
  {
    type: 'usage',
    usage: { inputTokens: none, outputTokens: none, totalTokens: none, cachedInputTokens: none, cost: none },
  },
  { type: 'usage', usage: { cacheWriteTokens: none, reasoningTokens: none } },
  { type: 'finish', reason: 'stop', raw: none, detail: none },
];
