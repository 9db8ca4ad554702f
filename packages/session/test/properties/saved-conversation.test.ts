import {
  isAgentSessionError,
  SAVED_VERSION,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { validateHistory } from '@banister/testing';
import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openConversation, readConversation } from '../../src/conversation/open-conversation.js';
import { apply } from '../../src/state/apply.js';
import { resumedState } from '../../src/state/resumed-state.js';
import { stateOf } from '../../src/state/read-stored-state.js';
import { savedConversationOf } from '../../src/state/saved-conversation-of.js';
import { savedState } from '../../src/state/stored-state.js';
import { foldStateOf } from '../../src/state/session-state.js';
import { allUndo } from '../../src/state/undo-notes.js';
import { operationLogs } from './operation-grammar.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

type Node = Record<string, unknown>;

/** The saved text of a random session at a random moment. */
const savedTexts = fc
  .tuple(operationLogs, fc.nat(500))
  .map(([log, length]) => log.slice(0, length % (log.length + 1)).reduce(apply, initialState()))
  .map((state: SessionState) => ({ state, text: JSON.stringify(saved(state)) }));

function saved(state: SessionState): SavedConversation {
  return savedConversationOf(state, null);
}

/** Opens a saved conversation, or returns the code of its refusal; rethrows any other error. */
function opened(given: unknown): ReturnType<typeof openConversation> | string {
  try {
    return openConversation(given);
  } catch (error) {
    if (isAgentSessionError(error)) return error.code;
    throw error;
  }
}

/** Opened, all turns are those of the session, with their messages; the running one has failed. */
function expectEqual(result: ReturnType<typeof openConversation>, state: SessionState): void {
  const folded = foldStateOf(state);
  const { fold, liveTurn, turns } = folded;
  expect(isDeepStrictEqual(result.conversation, state.conversation)).toBe(true);
  expect(isDeepStrictEqual(result.turns.slice(0, turns.length), turns)).toBe(true);
  expect(result.turns.slice(turns.length).map(({ id }) => id)).toEqual(
    liveTurn === null ? [] : [liveTurn.id],
  );
  expect(isDeepStrictEqual(result.aside, fold.aside)).toBe(true);
  expect(isDeepStrictEqual(result.undo, allUndo(folded))).toBe(true);
  expect(result.headTurnId).toBe(state.headTurnId);
}

describe('a saved conversation', { timeout: 120_000 }, () => {
  test('opens to an equal conversation, from the object or from JSON text', () => {
    fc.assert(
      fc.property(savedTexts, ({ state, text }) => {
        const given = JSON.parse(text) as SavedConversation;
        const before = structuredClone(given);
        const result = openConversation(given);
        expect(isDeepStrictEqual(given, before)).toBe(true);
        for (const one of [result, openConversation(saved(state))]) expectEqual(one, state);
        // The opened conversation is saved to the same text: opening loses and adds nothing.
        const again = saved(resumedState(result));
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(again)), given)).toBe(true);
      }),
      propertyRun('saved conversation, round trip', 150),
    );
  });

  test('used as the snapshot of a log, is read as the same state, at any moment', () => {
    fc.assert(
      fc.property(savedTexts, ({ state }) => {
        const text = JSON.stringify(savedState(state));
        const again = stateOf(readConversation(JSON.parse(text)));
        expect(isDeepStrictEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(state)))).toBe(
          true,
        );
        expect(JSON.stringify(savedState(again))).toBe(text);
      }),
      propertyRun('saved conversation, snapshot', 150),
    );
  });

  test('that was damaged at any place opens to a valid history, or is refused with a reason', () => {
    const damages = fc.array(fc.tuple(fc.nat(9_999), fc.nat(damage.length - 1), fc.nat(99)), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(savedTexts, damages, ({ text }, wounds) => {
        const given = JSON.parse(text) as Node;
        for (const [place, kind, detail] of wounds) damageAt(given, place, kind, detail);
        const result = opened(given);
        expectCleanPrototypes();
        if (typeof result === 'string') {
          expect(['invalid-configuration', 'unsupported']).toContain(result);
          return;
        }
        const problems = validateHistory(result.conversation.messages);
        if (problems.length > 0) throw new Error([...problems, JSON.stringify(given)].join('\n'));
        expectUsable(result);
      }),
      propertyRun('saved conversation, damaged', 1_500),
    );
  });

  test('of any other shape is refused', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true }), (value) => {
        expect(opened(value)).toBe('invalid-configuration');
      }),
      propertyRun('saved conversation, anything', 300),
    );
  });

  test('of a newer release is refused as unsupported, and left as it is', () => {
    fc.assert(
      fc.property(savedTexts, fc.integer({ min: SAVED_VERSION + 2, max: 1_000 }), ({ text }, version) => {
        const given = { ...(JSON.parse(text) as Node), version };
        const before = structuredClone(given);
        expect(opened(given)).toBe('unsupported');
        expect(given).toEqual(before);
      }),
      propertyRun('saved conversation, newer', 30),
    );
  });
});

/** Ways to damage a field of an object, or an item of a list. */
const damage: readonly ((parent: Node, key: string, detail: number) => void)[] = [
  (parent, key) => (Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key]),
  (parent, key, detail) =>
    (parent[key] = [null, 0, '', [], {}, true, -1, 'text', [null], { type: 'text' }][detail % 10]),
  (parent, key) => {
    const value = JSON.parse(JSON.stringify(parent[key]) ?? 'null') as unknown;
    if (Array.isArray(parent)) parent.splice(Number(key), 0, value);
    else parent[`${key}2`] = value;
  },
  (parent) =>
    Object.defineProperty(parent, '__proto__', {
      value: { polluted: true },
      enumerable: true,
      configurable: true,
      writable: true,
    }),
  (parent, key) =>
    (parent[key] = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    )),
  (parent, key) => {
    if (Array.isArray(parent)) parent.reverse();
    else parent[key] = typeof parent[key] === 'string' ? `${parent[key]}x` : String(parent[key]);
  },
  (parent, key) => {
    let deep: unknown = 'bottom';
    for (let i = 0; i < 1_000; i++) deep = [deep];
    parent[key] = deep;
  },
];

function damageAt(root: Node, place: number, kind: number, detail: number): void {
  const places: [Node, string][] = [];
  const visit = (node: unknown, depth: number): void => {
    if (typeof node !== 'object' || node === null || depth > 30) return;
    for (const key of Object.keys(node)) {
      places.push([node as Node, key]);
      visit((node as Node)[key], depth + 1);
    }
  };
  visit(root, 0);
  const chosen = places[place % places.length];
  if (chosen !== undefined) damage[kind]!(chosen[0], chosen[1], detail);
}

function expectCleanPrototypes(): void {
  expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  expect(([] as { polluted?: unknown }).polluted).toBe(undefined);
}

/** The opened state can be folded further: a turn can follow, and an old one can be folded as undone. */
function expectUsable(result: ReturnType<typeof openConversation>): void {
  const first = resumedState(result);
  const last = result.turns.at(-1);
  const stamp = { sequence: 1, at: 1 };
  if (last !== undefined) {
    const settlement = { outcome: 'succeeded', effect: 'reverted' } as const;
    apply(first, {
      type: 'lateToolSettled',
      callId: 'x',
      tool: 'y',
      target: last.id,
      settlement,
      moved: {},
      ...stamp,
    });
  }
  expect(first.conversation).toBe(result.conversation);
}
