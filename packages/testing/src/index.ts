// Doubles for everything that a session talks to.
export { gate, type Gate } from './gate.js';
export {
  callInside,
  callTools,
  cut,
  deaf,
  fail,
  failAfter,
  finishWith,
  say,
  scriptedCall,
  stall,
  unsafe,
  type InsideCalls,
  type Pieces,
  type SayOptions,
  type ScriptedAnswer,
  type ScriptedCall,
  type Step,
} from './scripted-answer.js';
export {
  scriptedProvider,
  type AnswerSource,
  type ScriptedProvider,
  type ScriptedProviderOptions,
  type ScriptedStream,
} from './scripted-provider.js';
export {
  scriptedUser,
  type ScriptedUser,
  type UserAction,
  type UserAnswer,
  type UserDeed,
  type UserStep,
} from './scripted-user.js';
export {
  spyTool,
  type SpyTool,
  type SpyToolOptions,
  type ToolDeclaration,
  type ToolRun,
} from './spy-tool.js';
export { gatedTool, type GatedRun, type GatedTool, type GatedToolOptions } from './gated-tool.js';
export { forcedGuard, type ForcedGuard, type ForcedVerdict } from './forced-guard.js';
export {
  recordingHistory,
  type HistoryCall,
  type HistoryFault,
  type HistoryMethod,
  type RecordingHistory,
} from './recording-history.js';

// A log in memory.
export { memoryLog, type MemoryLogOptions } from '@banister/storage';

// Ports that a test controls.
export {
  recordingJournal,
  type JournalAnswer,
  type JournalWrite,
  type RecordingJournal,
} from './recording-journal.js';
export { createVirtualClock, type VirtualClock } from './virtual-clock.js';
export { createManualScheduler, type ManualScheduler } from './manual-scheduler.js';
export { createSequentialIds } from './sequential-ids.js';
export { createDeterministicRandom } from './deterministic-random.js';
export { settle } from './settle.js';

// Invariants.
export { checkOrder, createOrderChecker, type OrderChecker } from './order/order-checker.js';
export { observe, type Observation, type ObserveOptions } from './observe-session.js';
export { assertValidHistory, validateHistory, type ValidateHistoryOptions } from './validate-history.js';
export { assertValidRequest, validateRequest, type RequestApi } from './request/validate-request.js';

// Suites for authors of a provider, a view binding, a log or a transport.
export type { DefineTest, TestRunner } from './test-runner.js';
export {
  providerConformance,
  type MakeProvider,
  type ProviderConformanceOptions,
  type ProviderFixture,
} from './provider-conformance.js';
export {
  providerScenarios,
  type ProviderScenario,
  type ProviderScenarioName,
  type ScenarioAnswer,
  type ScenarioCall,
  type ScenarioEnding,
} from './provider-scenarios.js';
export {
  bindingConformance,
  type BindingConformanceOptions,
  type BindingFact,
  type MountedView,
  type MountView,
} from './binding-conformance.js';
export {
  sessionLogConformance,
  type LogFact,
  type LogFixture,
  type SessionLogConformanceOptions,
} from './session-log-conformance.js';
export {
  storeConformance,
  type StoreBoard,
  type StoreCard,
  type StoreConformanceOptions,
  type StoreFact,
  type StoreFixture,
} from './store-conformance.js';
export {
  memoryStoreConformance,
  type MemoryStoreConformanceOptions,
  type MemoryStoreFact,
  type MemoryStoreFixture,
} from './memory-store-conformance.js';
export {
  agentSessionConformance,
  type AgentSessionConformanceOptions,
  type AgentSessionFixture,
  type MakeSession,
  type SessionFact,
} from './agent-session-conformance.js';
