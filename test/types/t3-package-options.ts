// T3: every option of the other packages that may be absent may be undefined.
import { memory, type MemoryOptions } from '@banister/crew/memory';
import { planning, type PlanningOptions } from '@banister/crew/plan';
import { backgroundTasks, type BackgroundTasksOptions } from '@banister/crew/tasks';
import { skill, type SkillOptions } from '@banister/crew/skills';
import { createForm, type FormOptions } from '@banister/form';
import {
  gateway,
  memoryQuotas,
  type Authorized,
  type CostCeiling,
  type GatewayOptions,
  type Policy,
} from '@banister/gateway';
import { jwt, type JwtOptions } from '@banister/gateway/jwt';
import { relay, type RelayOptions } from '@banister/relay';
import {
  broadcast,
  direct,
  remoteSession,
  type BroadcastOptions,
  type DirectOptions,
  type RemoteOptions,
} from '@banister/remote';
import {
  compaction,
  createAgentSession,
  createMirror,
  preloadTurns,
  stagedDiscovery,
  type ApproveOptions,
  type CancelOptions,
  type Confirmation,
  type CompactionOptions,
  type DisposeOptions,
  type EnqueueOptions,
  type GenerateOptions,
  type GivenLimits,
  type GivenPorts,
  type LeaveOptions,
  type LocalAgentSession,
  type MirrorOptions,
  type PreloadOptions,
  type Provider,
  type RegenerateOptions,
  type SendOptions,
  type SessionOptions,
  type SessionState,
  type StagedDiscoveryOptions,
  type SwitchOptions,
  type ToolContext,
  type UndoOptions,
} from '@banister/session';
import type { RunOptions, SteerOptions } from '@banister/session/operations';
import {
  contentFilter,
  outputGuard,
  type ContentFilterOptions,
  type OutputGuardOptions,
} from '@banister/session/filters';
import { withFallback, type BreakerOptions, type FallbackOptions, type RateLimit } from '@banister/provider';
import type { AppendOptions, ClaimOptions, LogRecord } from '@banister/session/log';
import { toMarkdown, type MarkdownOptions } from '@banister/session/export';
import { createWords, type WordsOptions, type WordTable } from '@banister/session/words';
import { indexedDbLog, memoryLog, type IndexedDbLogOptions, type MemoryLogOptions } from '@banister/storage';
import { indexedDbGrants, type IndexedDbGrantsOptions } from '@banister/storage/grants';
import { indexedDbMemory, type IndexedDbMemoryOptions } from '@banister/storage/memory';
import { sqliteLog, type SqliteLogOptions } from '@banister/storage/sqlite';
import { undoable, type StoreAdapter, type UndoableOptions } from '@banister/stores';
import {
  gatedTool,
  observe,
  say,
  scriptedProvider,
  spyTool,
  type AgentSessionConformanceOptions,
  type BindingConformanceOptions,
  type GatedToolOptions,
  type MemoryStoreConformanceOptions,
  type ObserveOptions,
  type ProviderConformanceOptions,
  type SayOptions,
  type ScriptedProviderOptions,
  type SessionLogConformanceOptions,
  type SpyToolOptions,
  type StoreConformanceOptions,
  type ValidateHistoryOptions,
} from '@banister/testing';
import type { Undefined } from './t3-provider-options.js';

declare const provider: Provider;
declare const store: StoreAdapter;
declare const state: SessionState;

/** Of each option that is an object, too. */
declare const memoryOptions: Undefined<MemoryOptions>;
declare const forFacts: Undefined<IndexedDbMemoryOptions>;
declare const forFactStores: Undefined<MemoryStoreConformanceOptions>;
declare const planningOptions: Undefined<PlanningOptions>;
declare const taskOptions: Undefined<BackgroundTasksOptions>;
declare const skillOptions: Undefined<SkillOptions>;
declare const limits: Undefined<GivenLimits>;
declare const ports: Undefined<GivenPorts>;
declare const policy: Undefined<Policy>;
declare const maxCost: Undefined<CostCeiling>;
declare const authorized: Undefined<Authorized>;
declare const breaker: Undefined<BreakerOptions>;
declare const rateLimit: Undefined<RateLimit>;
declare const formWords: Undefined<NonNullable<FormOptions['words']>>;
declare const errorWords: Undefined<NonNullable<WordTable['errors']>>;

declare const forForm: Undefined<FormOptions>;
createForm(forForm);
createForm({ ...forForm, words: formWords });

declare const forGateway: Undefined<GatewayOptions>;
gateway(forGateway);
gateway({ ...forGateway, policy: { ...policy, maxCost }, authorize: () => authorized });
memoryQuotas({ clock: undefined });
declare const forTokens: Undefined<JwtOptions>;
jwt(forTokens);
declare const forRelay: Undefined<RelayOptions>;
relay('/model', forRelay);

declare const forFallback: Undefined<FallbackOptions>;
withFallback([provider], forFallback);
withFallback([provider], { ...forFallback, breaker, rateLimit });

declare const forBrowser: Undefined<IndexedDbLogOptions>;
declare const forMemory: Undefined<MemoryLogOptions>;
declare const forFile: Undefined<SqliteLogOptions>;
declare const forGrants: Undefined<IndexedDbGrantsOptions>;
declare const forClaim: Undefined<ClaimOptions>;
export const log = indexedDbLog(forBrowser);
export const logs = [memoryLog(forMemory), sqliteLog('chats.db', forFile)];
indexedDbGrants(forGrants);
const lease = await log.claim('chat', 'tab', 5_000, forClaim);
declare const record: LogRecord;
declare const forRecord: Undefined<AppendOptions>;
if (lease) await log.append(lease, record, forRecord);
await log.describe('chat', { title: undefined, note: undefined });

declare const forStore: Undefined<UndoableOptions>;
undoable(store, forStore);

declare const forSession: Undefined<SessionOptions>;
declare const session: LocalAgentSession;
createAgentSession(forSession);
createAgentSession({ ...forSession, limits, ports });
declare const forCode: Undefined<PreloadOptions>;
await preloadTurns(forCode);
declare const forMirror: Undefined<MirrorOptions>;
createMirror(state, forMirror);
declare const forRemote: Undefined<RemoteOptions>;
declare const forBroadcast: Undefined<BroadcastOptions>;
remoteSession(broadcast(log, 'chat', forBroadcast), forRemote);
declare const forDirect: Undefined<DirectOptions>;
direct(session, forDirect);

declare const forSend: Undefined<SendOptions>;
declare const forGenerate: Undefined<GenerateOptions>;
declare const forQueue: Undefined<EnqueueOptions>;
declare const forCancel: Undefined<CancelOptions>;
declare const forSteer: Undefined<SteerOptions>;
declare const forUndo: Undefined<UndoOptions>;
declare const forBranch: Undefined<LeaveOptions>;
declare const forRegenerate: Undefined<RegenerateOptions>;
declare const forSwitch: Undefined<SwitchOptions>;
declare const confirmation: Confirmation;
declare const forApproval: Undefined<ApproveOptions>;
declare const forEnd: Undefined<DisposeOptions>;
await session.send('Hi', forSend);
await session.generate('Hi', { type: 'object' }, forGenerate);
await session.enqueue('Hi', forQueue);
await session.cancel(forCancel);
await session.steer('Hi', forSteer);
await session.undo(forUndo);
await session.regenerate(forRegenerate);
await session.edit('turn', 'Hi', forBranch);
await session.switchTo('turn', forSwitch);
await confirmation.approve(forApproval);
await session.dispose(forEnd);

declare const context: ToolContext;
declare const forRun: Undefined<RunOptions>;
await context.run('agent', 'Work.', forRun);

declare const forFilter: Undefined<ContentFilterOptions>;
contentFilter(forFilter);
declare const forGuard: Undefined<OutputGuardOptions>;
outputGuard(forGuard);
declare const forCompaction: Undefined<CompactionOptions>;
compaction(forCompaction);
declare const forDiscovery: Undefined<StagedDiscoveryOptions>;
stagedDiscovery(forDiscovery);

declare const forMarkdown: Undefined<MarkdownOptions>;
toMarkdown(state, forMarkdown);
declare const table: Undefined<WordTable>;
declare const forWords: Undefined<WordsOptions>;
createWords(table, forWords);
createWords({ ...table, errors: errorWords }, forWords);

declare const forSaying: Undefined<SayOptions>;
declare const forScript: Undefined<ScriptedProviderOptions>;
declare const forSpy: Undefined<SpyToolOptions>;
declare const forGated: Undefined<GatedToolOptions>;
declare const forObserver: Undefined<ObserveOptions>;
scriptedProvider([say('Hi', forSaying)], forScript);
spyTool('a', forSpy);
gatedTool('b', forGated);
observe(session, forObserver);
declare const forHistory: Undefined<ValidateHistoryOptions>;
declare const forProviders: Undefined<ProviderConformanceOptions>;
declare const forBindings: Undefined<BindingConformanceOptions>;
declare const forLogs: Undefined<SessionLogConformanceOptions>;
declare const forStores: Undefined<StoreConformanceOptions>;
declare const forSessions: Undefined<AgentSessionConformanceOptions>;
forHistory satisfies ValidateHistoryOptions;
forProviders satisfies ProviderConformanceOptions;
forBindings satisfies BindingConformanceOptions;
forLogs satisfies SessionLogConformanceOptions;
forStores satisfies StoreConformanceOptions;
forSessions satisfies AgentSessionConformanceOptions;
export const notes = skill('', skillOptions);
export const background = backgroundTasks(taskOptions);
export const plans = planning(planningOptions);
export const facts = memory(indexedDbMemory(forFacts), memoryOptions);
forFactStores satisfies MemoryStoreConformanceOptions;
