import { defined } from '@banister/provider/internal/json/defined';
import type { UndoItem } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { effectsOf } from '../state/undo-notes.js';
import type { RevisionChange } from '../undo/call-changes.js';
import type { CallRecord } from '../undo/live-call.js';
import type { ReadyCall } from './batch-call.js';
import type { EffectNotes } from './effect-notes.js';
import type { Turn } from './turn-context.js';

/** A call that has run, with the effects that it has recorded. */
export interface RecordedCall {
  readonly turn: Turn;
  readonly ready: ReadyCall;
  readonly notes: EffectNotes;
  /** The revisions of the domain at the start of the call and at the return of its executor. */
  readonly change: RevisionChange;
}

/** Returns a call in the form for reports. */
export function undoItemOf({ turn, ready: { id, tool }, notes }: RecordedCall): UndoItem {
  const description = notes.description ?? tool.tool.title ?? tool.id;
  return defined({ toolCallId: id, toolName: tool.id, description, child: turn.agent?.child });
}

/** Returns the effects of a call from the log. */
export function loggedEffects({ turn, ready }: RecordedCall): CallEffects | undefined {
  return effectsOf(turn.current(), turn.effectsOf).findLast(({ callId }) => callId === ready.id);
}

/** Returns the effects that a call has recorded until now, with the code that takes them back. */
export function callRecordOf(call: RecordedCall): CallRecord {
  const { ready, notes, change } = call;
  const { tool } = ready;
  const logged = loggedEffects(call);
  return {
    item: undoItemOf(call),
    domain: tool.domain.id,
    change,
    irreversible: tool.irreversible || notes.hasIrreversible,
    steps: notes.effects.map(({ code, data, isLogged }, index) => {
      // After the end of the turn, the log does not keep an effect that the user rejected.
      const { state, moves = 0 } = logged?.steps[index] ?? { state: 'reverted', moves: 1 };
      const isReverted = isLogged && state === 'reverted';
      // The user rejected the effect before its call returned, and the call may have acted afterwards. Undo data, unlike closures, can be
      // used a second time.
      return {
        code,
        moves,
        isLogged: isLogged && !isReverted,
        isInEffect: !isReverted || data !== undefined,
      };
    }),
  };
}
