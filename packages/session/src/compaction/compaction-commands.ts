import type { UsageReport } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { defined } from '@banister/provider/internal/json/defined';
import { totalTokensOf } from '@banister/provider/internal/messages/usage-amounts';
import { Spending } from '../limits/spending.js';
import { LimitClock } from '../limits/limit-clock.js';
import type { ContextCompacted } from './compaction-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { Cancellation } from '../turn/cancellation.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { noJournal } from '../turn/turn-request.js';
import { createArgumentChecker } from '../tools/argument-checker.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { abandonInterrupted, assertWriter, stored, type BranchParts } from '../session/branch-parts.js';

/** Compacts the conversation, see `AgentSession.compact`. */
export async function compact(parts: BranchParts): Promise<void> {
  await abandonInterrupted(parts);
  assertWriter(parts);
  const { ports, settings, signal } = parts;
  const stages = await settings.current.compaction.load(ports.clock);
  const tools = await toolsOf(parts);
  if (signal.aborted) throw cancelledError();
  const turn = turnOf(parts, tools);
  const marks = new MarkWriter(parts);
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => cancel(turn.cancellation), { once: true });
    stages.compact(turn, hasBudget(parts)).subscribe({
      next: (fact) => marks.take(fact),
      error: reject,
      complete: resolve,
    });
  }).catch((error: unknown) => {
    marks.close();
    throw error;
  });
  assertWriter(parts);
  await stored(parts);
}

/** Takes a compaction back, see `AgentSession.uncompact`. */
export async function uncompact(parts: BranchParts, id: string): Promise<void> {
  const { core, release } = parts;
  const assertKnown = () => {
    if (!core.current.compactions.some((one) => one.id === id))
      throw new AgentSessionError('invalid-input', `The conversation has no compaction "${String(id)}".`);
  };
  assertKnown();
  await abandonInterrupted(parts);
  assertWriter(parts);
  assertKnown();
  release();
  core.emitSession({ type: 'contextUncompacted', id });
  await stored(parts);
}

/**
 * Emits the facts of one compaction. The last fact is emitted after the session is released, so that its subscribers may call the next
 * command.
 */
class MarkWriter {
  private open: ContextCompacted | null = null;
  /** Usage of the summary until now. */
  private usage: UsageReport | null = null;

  constructor(private readonly parts: BranchParts) {}

  take(fact: TurnFact): void {
    const { core, hide, release } = this.parts;
    // The fact `usage` would count for a turn, so it is not emitted: the mark has the usage.
    if (fact.type === 'usage') this.usage = fact.report;
    if (fact.type === 'middlewareActed') core.emitSession(fact);
    if (fact.type !== 'contextCompacted') return;
    this.open = fact.summarizing ? { ...fact } : null;
    if (fact.summarizing) hide();
    else release();
    core.emitSession(fact);
  }

  /** Ends a compaction whose summary was aborted. The steps before the summary stay. */
  close(): void {
    if (this.open === null) return;
    const { summarizing: _summarizing, ...stripped } = this.open;
    this.take(defined({ ...stripped, failure: 'it was cancelled', usage: this.usage ?? undefined }));
  }
}

function cancel(cancellation: Cancellation): void {
  cancellation.raise('abort', 'rollback');
  cancellation.notify();
}

/** Returns true if the limits of the session permit the request for a summary. */
function hasBudget({ core, settings }: BranchParts): boolean {
  const { maxTokens, maxCost } = settings.current.limits.session;
  const { usage, cost } = core.current.totals;
  return (totalTokensOf(usage) ?? 0) < maxTokens && (cost?.amount ?? 0) < maxCost;
}

/** Returns the tools of the next request, which count for its size. With staged discovery they are only some of the tools. */
async function toolsOf({ core, ports, settings }: BranchParts): Promise<ToolRegistry> {
  const { discovery } = settings.current;
  const { tools } = settings;
  if (discovery === null) return tools;
  const { stagedTools } = await discovery.code.get(ports.clock);
  const current = () => core.current;
  const asked = {
    agent: undefined,
    settings: settings.current,
    options: undefined,
    tools,
    current,
    ports,
    emit: () => {},
  };
  return stagedTools(asked, discovery)?.tools ?? tools;
}

/**
 * Returns the parts of a turn that a compaction between two turns needs. It has no token or cost limit, so the compaction cannot trip a
 * limit.
 */
function turnOf({ core, ports, settings }: BranchParts, tools: ToolRegistry): FeatureTurn {
  const current = () => core.current;
  const { session, ...limits } = settings.current.limits;
  const unlimited = { ...limits, maxTokens: Infinity, maxCost: Infinity };
  const withoutSession = { ...unlimited, session: { ...session, maxTokens: Infinity, maxCost: Infinity } };
  return {
    id: core.current.turns.at(-1)?.id ?? '',
    agent: undefined,
    structured: undefined,
    settings: settings.current,
    ports,
    tools,
    cancellation: new Cancellation(),
    state: () => core.state,
    current,
    arguments: createArgumentChecker(ports),
    parts: { hooks: settings.current.hooks, extensions: null, structured: null },
    spending: new Spending(withoutSession, new LimitClock(ports.clock, Infinity), current),
    journal: core.journal?.forTurn() ?? noJournal,
  };
}
