import type { ToolResult } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import type { LateSettlement } from '../conversation/turn-record.js';
import { movedOf, type Moved } from '../operations/moved.js';
import { isAccepted } from '../state/open-report.js';
import { didWork, isSuccess } from '../tools/tool-result.js';
import { differing } from '../undo/revisions.js';
import { callRecordOf, loggedEffects, type RecordedCall } from './call-record.js';

/** Takes back the effects of an aborted call whose executor has returned, and emits how the call ended. */
export async function settleLate(call: RecordedCall, result: ToolResult): Promise<void> {
  const { turn, ready } = call;
  const { id, tool } = ready;
  const { effect, moved } = await compensated(call);
  // Until here, a report of the turn lists the effect as unknown.
  turn.running.delete(id);
  if (didWork(tool, result)) turn.contextCache.changed(tool.domain.id);
  turn.host.emit({
    type: 'lateToolSettled',
    callId: id,
    tool: tool.id,
    target: turn.effectsOf,
    settlement: defined({
      outcome: isSuccess(result) ? 'succeeded' : 'failed',
      effect,
      description: descriptionOf(call, effect),
    }),
    moved,
  });
}

/** Takes the effects of a call back, unless the user has accepted them. */
async function compensated(call: RecordedCall): Promise<{ effect: LateSettlement['effect']; moved: Moved }> {
  const { turn, ready, notes } = call;
  if (notes.isEmpty) return { effect: 'none', moved: {} };
  if (isAccepted(turn.current(), turn.effectsOf, ready.id)) return { effect: 'kept', moved: {} };
  const work = () => turn.transaction.compensate(callRecordOf(call));
  const { effect, before, after } = await (turn.parts.gate?.takingBack([ready], work) ?? work());
  const domains = new Set([ready.tool.domain.id, ...differing(before, after)]);
  return { effect, moved: movedOf([...domains], before, after) };
}

/** Returns the tool's descriptions of its effects. If some effects could not be taken back, returns only their descriptions. */
function descriptionOf(call: RecordedCall, effect: LateSettlement['effect']): string | undefined {
  const { description, effects } = call.notes;
  if (effect !== 'revert-failed' || description === undefined) return description;
  const logged = loggedEffects(call);
  const left = effects.filter((_, index) => logged?.steps[index]?.state !== 'reverted');
  return left.map((one) => one.description).join('; ') || description;
}
