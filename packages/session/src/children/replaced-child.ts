import * as told from '../conversation/agent-words.js';
import { allCallsOf, type ChildTurn } from '../conversation/turn-record.js';
import { quotedId } from '@banister/provider/internal/messages/foreign-text';
import { childrenOf } from '../conversation/child-turns.js';
import { isReverted, itemOf } from '../state/open-report.js';
import { effectsOf } from '../state/undo-notes.js';
import { rollback } from '../turn/settle.js';
import type { Turn } from '../turn/turn-context.js';
import type { CallOfRuns } from '../turn/turn-parts.js';
import { childRevisions } from './child-parts.js';
import { ChildTransaction } from './child-transaction.js';
import { leafSink, takenBack } from './child-turn.js';
import type { Runs } from './runs.js';
import { movedTexts } from './told-result.js';
import { gateOf } from './turn-gate.js';

/** Returns the child turns of a call, in the order of their runs. */
export function childrenOfCall({ current }: Pick<Turn, 'current'>, callId: string): readonly ChildTurn[] {
  return allCallsOf(current().liveTurn).find(({ id }) => id === callId)?.children ?? [];
}

/** The name of a run among the runs of its call. */
export type RunKey = Pick<ChildTurn, 'key' | 'given'>;

/** Returns true if two keys are the same. A key that the app gave differs from the number of a run with the same text. */
export function isSameKey(one: RunKey, other: RunKey): boolean {
  return one.key === other.key && one.given === other.given;
}

/** Takes the effects of a child turn of the log back that has ended, because its run asks for something else now. */
export async function takeBackEnded(
  { root, tools }: Runs,
  above: Turn,
  call: CallOfRuns,
  child: ChildTurn,
): Promise<void> {
  const { ports, cancellation, clock } = above;
  const path = [...(above.agent?.path ?? []), child.id];
  const ref = { id: child.agent, child: child.id, path };
  const current = () => ({ ...root.current(), liveTurn: child });
  gateOf(root);
  const agent = { agent: ref, effectsOf: root.id, ports, cancellation, clock, current };
  const gate = above.parts.gate!.forChild(agent, call.callId);
  const transaction = new ChildTransaction(root.transaction, {
    effectsOf: root.id,
    running: new Map(),
    current,
    isLeftToTurnAbove: () => false,
    takesBack: (callIds, work) => takenBack({ current, tools, parts: { gate } }, callIds, work),
  });
  if (transaction.isUntouched) return;
  root.transaction.keepForEnd();
  await root.journal.recorded();
  const revisions = childRevisions(root.revisions, root.current);
  const fact = await rollback({ ...root, transaction, revisions });
  // If the turn ends meanwhile, its rollback includes the effects.
  if (call.isRunning()) leafSink(root, path).emit(fact);
}

/**
 * Returns lines about the child turns of a call in whose place the call has run another agent, or another task, after an interruption. The
 * model reads them with the result of the call.
 */
export function replacedLines(root: Turn, callId: string): readonly string[] {
  const children = childrenOfCall(root, callId);
  const replaced = children.filter((child, at) =>
    children.slice(at + 1).some((other) => isSameKey(child, other)),
  );
  return replaced.map((child) => {
    const ids = new Set<string | undefined>([child, ...childrenOf(child)].map(({ id }) => id));
    const all = effectsOf(root.current(), root.id).filter((call) => ids.has(call.child));
    const done = all.filter(isReverted).map(itemOf);
    const failed = all.filter((call) => !isReverted(call)).map(itemOf);
    return told.childReplaced(quotedId(child.agent), movedTexts({ done, failed }));
  });
}
