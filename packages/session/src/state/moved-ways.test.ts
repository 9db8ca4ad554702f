import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import { isInPlace, touchSame, type CallsOf } from './in-the-way.js';
import { afterMove, inWayOf } from './moved-ways.js';
import type { UndoTurn } from './session-state.js';

const place = fc.constantFrom('', 'a', 'a/b', 'a/b/c', 'a/d', 'e');
const step = fc.record({
  /** The index of the turn that is undone or made again; null for a turn that is committed. */
  moved: fc.option(fc.nat(99), { freq: 2 }),
  calls: fc.array(
    fc.record({ domain: fc.constantFrom('board', 'notes'), paths: fc.array(place, { maxLength: 2 }) }),
    { minLength: 1, maxLength: 2 },
  ),
});

function callsOf(index: number, calls: readonly { domain: string; paths: string[] }[]): CallEffects[] {
  return calls.map(({ domain, paths }, at) => ({
    callId: `${index}-${at}`,
    tool: `${domain}.set`,
    steps: [{ state: 'in-place', paths }],
  })) as unknown as CallEffects[];
}

/**
 * The definition to test against: a turn is in the way of each entry that touches the same parts, unless it is in the way of a turn that
 * the entry already lists.
 */
function inWayByDefinition(entries: readonly UndoTurn[], turnId: string, calls: CallsOf): readonly number[] {
  const touches = (id: string) => touchSame(calls(id), calls(turnId), isInPlace);
  return entries.flatMap(({ turnId: id, state, undoable, inTheWay = [] }, index) =>
    state !== 'undone' && undoable && touches(id) && !inTheWay.some(touches) ? [index] : [],
  );
}

test('a committed turn is in the way of earlier turns that touch the same paths, after any undo and redo of turns', () => {
  let several = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
      let entries: readonly UndoTurn[] = [];
      const effects = new Map<string, readonly CallEffects[]>();
      const calls = (id: string) => effects.get(id) ?? [];
      steps.forEach(({ moved, calls: touched }, index) => {
        const target = moved === null ? undefined : entries[moved % Math.max(1, entries.length)];
        if (target === undefined) {
          const turnId = `turn_${index}`;
          effects.set(turnId, callsOf(index, touched));
          const places = inWayOf(entries, turnId, calls);
          expect(places).toEqual(inWayByDefinition(entries, turnId, calls));
          if (places.length > 1) several++;
          const inWay = new Set(places);
          const noted = entries.map((entry, at) =>
            inWay.has(at) ? { ...entry, inTheWay: [...(entry.inTheWay ?? []), turnId] } : entry,
          );
          entries = [...noted, { turnId, state: 'done', undoable: true } as unknown as UndoTurn];
        } else {
          const state = target.state === 'undone' ? 'done' : 'undone';
          const now = state === 'undone' ? 'reverted' : 'in-place';
          effects.set(
            target.turnId,
            calls(target.turnId).map((call) => ({
              ...call,
              steps: call.steps.map((one) => ({ ...one, state: now })),
            })) as unknown as CallEffects[],
          );
          entries = entries.map((entry) =>
            entry === target ? ({ ...entry, state, undoable: state === 'done' } as UndoTurn) : entry,
          );
          entries = afterMove(entries, target.turnId, calls);
        }
      });
    }),
    propertyRun('turns in the way', 20_000),
  );
  expect(several).toBeGreaterThan(0);
});
