import { createElement, type ReactNode } from 'react';
import * as session from '@banister/session';
import { expect, expectTypeOf, test } from 'vitest';
import * as binding from '../src/index.js';
import {
  callOf,
  defineTool,
  useSession,
  useSignalValue,
  type AgentSession,
  type Confirmation,
  type ToolCallView,
  type TurnRecord,
} from '../src/index.js';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { confirmationOf, outputOf } from '@banister/session/view';

// Never called, because hooks run only in components. The compiler still checks it.
function types(session: AgentSession, maybe: ReadonlySignal<string | null>) {
  expectTypeOf(useSignalValue(session.turns)).toEqualTypeOf<readonly TurnRecord[]>();
  expectTypeOf(useSignalValue(session.pendingConfirmation)).toEqualTypeOf<Confirmation | null>();
  expectTypeOf(useSignalValue(maybe)).toEqualTypeOf<string | null>();
  expectTypeOf(useSignalValue(computed(() => session.turns.value.length))).toEqualTypeOf<number>();
  // @ts-expect-error a value is no signal
  useSignalValue('text');

  expectTypeOf(useSession(session, (of) => of.isRunning.value)).toEqualTypeOf<boolean>();
  expectTypeOf(useSession(session, ({ phase }) => ({ phase: phase.value })).phase).toEqualTypeOf(
    session.phase.value,
  );
  useSession(
    session,
    (of) => of.turns.value,
    (a, b) => {
      expectTypeOf(a).toEqualTypeOf<readonly TurnRecord[]>();
      return a.length === b.length;
    },
  );
  const compareTexts = (a: string, b: string) => a === b;
  // @ts-expect-error isEqual compares the results of the selector
  useSession(session, (of): boolean => of.canUndo.value, compareTexts);
  // @ts-expect-error a session has no such signal
  useSession(session, (of) => of.tokens.value);
}

/** Calls and outputs with the types of a tool. */
const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: () => ({ id: 1 }),
});
function readers(session: AgentSession) {
  const titles = useSession(session, (of) =>
    of.activeToolCalls.value.map((call) => callOf(addCard, call)?.arguments?.title),
  );
  expectTypeOf(titles).toEqualTypeOf<(string | undefined)[]>();
  const asks = useSignalValue(session.pendingConfirmations).map((ask) => confirmationOf(addCard, ask));
  expectTypeOf(asks[0]?.call.arguments.title).toEqualTypeOf<string | undefined>();
  const output = outputOf(addCard.parameters, useSignalValue(session.liveTurn));
  expectTypeOf(output?.value?.title).toEqualTypeOf<string | undefined>();
}

/** Props of a component that shows a session, as a caller sees them. */
function components(session: AgentSession) {
  function Calls(props: {
    readonly session: AgentSession;
    readonly children: (call: ToolCallView) => ReactNode;
  }) {
    return useSignalValue(props.session.activeToolCalls).map(props.children);
  }
  createElement(Calls, { session, children: (call) => call.tool });
  // @ts-expect-error a signal is no session
  createElement(Calls, { session: session.turns, children: () => null });
}

test('hooks infer their return types', () => {
  expectTypeOf(types).toBeFunction();
  expectTypeOf(components).toBeFunction();
});

test('the package exports all of @banister/session', () => {
  expect(binding).toMatchObject(session);
  expectTypeOf(binding).toExtend<typeof session>();
});

test('the binding to React keeps the types of readers', () => {
  expectTypeOf(readers).toBeFunction();
  expect(binding.callOf).toBe(session.callOf);
});
