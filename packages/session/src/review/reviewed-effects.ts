import { defined } from '@banister/provider/internal/json/defined';
import type { CallEffects, EffectStepData } from '../conversation/turn-undo.js';
import { overlaps, type EffectPlace } from '../conversation/effect-place.js';
import { domainOf } from '../conversation/tool-id.js';
import type { ReviewedEffect } from './review-operations.js';
import { inEffectOrder } from '../state/effect-order.js';
import { isReverted, itemOf } from '../state/open-report.js';
import { effectsOf } from '../state/undo-notes.js';
import type { Turn } from '../turn/turn-context.js';

/**
 * Returns the effects of a turn for a review, in the order of their calls: the effects in place that can be taken back, or could be taken
 * back before the page was left. They include effects that a call recorded before it was aborted.
 */
export function reviewedEffects({
  effectsOf: turnId,
  current,
  transaction,
}: Pick<Turn, 'effectsOf' | 'current' | 'transaction'>): readonly ReviewedEffect[] {
  if (!transaction.hasHistory) return [];
  const state = current();
  const calls = inEffectOrder(state, turnId, effectsOf(state, turnId), ({ callId }) => callId).filter(
    (call) => !call.irreversible && !isReverted(call),
  );
  const dependents = dependentsOf(calls);
  return calls.map((call, index) =>
    defined({
      ...itemOf(call),
      changes: call.steps.map(changeOf),
      dependents: dependents[index]!,
      lost: transaction.canRevert(call.callId) ? undefined : (true as const),
    }),
  );
}

function changeOf({ description, before, after }: EffectStepData): ReviewedEffect['changes'][number] {
  return defined({ description, before, after });
}

/** For each call, returns the ids of the later calls that depend on it, directly or through other calls. */
function dependentsOf(calls: readonly CallEffects[]): readonly (readonly string[])[] {
  const places = calls.map(placeOf);
  const found: (readonly number[])[] = [];
  for (let index = calls.length - 1; index >= 0; index--) {
    const direct = places.flatMap((place, later) =>
      later > index && overlaps(places[index]!, place) ? [later] : [],
    );
    found[index] = [...new Set(direct.flatMap((later) => [later, ...found[later]!]))].sort((a, b) => a - b);
  }
  return found.map((list) => list.map((index) => calls[index]!.callId));
}

/** Returns the part of the app that a call touched. It is the whole domain if one of its effects names no path. */
function placeOf({ tool, steps }: CallEffects): EffectPlace {
  const isKnown = steps.every(({ paths }) => paths !== undefined);
  return { domain: domainOf(tool), paths: isKnown ? steps.flatMap(({ paths = [] }) => paths) : undefined };
}
