import { mount, type Component, type Snippet } from 'svelte';
import * as session from '@banister/session';
import { expect, expectTypeOf, test } from 'vitest';
import type { Readable } from 'svelte/store';
import * as binding from '../src/index.js';
import {
  callOf,
  defineTool,
  fromSession,
  fromSignal,
  type AgentSession,
  type Confirmation,
  type Current,
  type ToolCallView,
  type TurnRecord,
} from '../src/index.js';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { confirmationOf, outputOf } from '@banister/session/view';

// Never called. The compiler still checks it.
function types(session: AgentSession, maybe: ReadonlySignal<string | null>) {
  expectTypeOf(fromSignal(session.turns)).toEqualTypeOf<Current<readonly TurnRecord[]>>();
  expectTypeOf(fromSignal(session.pendingConfirmation).current).toEqualTypeOf<Confirmation | null>();
  expectTypeOf(fromSignal(maybe).current).toEqualTypeOf<string | null>();
  expectTypeOf(fromSignal(computed(() => session.turns.value.length)).current).toEqualTypeOf<number>();
  // @ts-expect-error a value is no signal
  fromSignal('text');
  // @ts-expect-error `current` is read-only
  fromSignal(session.isRunning).current = true;

  expectTypeOf(fromSession(session, (of) => of.isRunning.value)).toEqualTypeOf<Current<boolean>>();
  fromSession(
    session,
    (of) => of.turns.value,
    (a, b) => {
      expectTypeOf(a).toEqualTypeOf<readonly TurnRecord[]>();
      return a.length === b.length;
    },
  );
  // @ts-expect-error a session has no such signal
  fromSession(session, (of) => of.tokens.value);

  const compareTexts = (a: string, b: string) => a === b;
  // @ts-expect-error isEqual compares the results of the selector
  fromSession(session, (of): boolean => of.canUndo.value, compareTexts);

  // A signal is a store, as `$text` needs one.
  expectTypeOf(session.currentText).toExtend<Readable<string>>();
}

/** Calls and outputs with the types of a tool. */
const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: () => ({ id: 1 }),
});
function readers(session: AgentSession) {
  const titles = fromSession(session, (of) =>
    of.activeToolCalls.value.map((call) => callOf(addCard, call)?.arguments?.title),
  );
  expectTypeOf(titles.current).toEqualTypeOf<(string | undefined)[]>();
  const asks = fromSignal(session.pendingConfirmations).current.map((ask) => confirmationOf(addCard, ask));
  expectTypeOf(asks[0]?.call.arguments.title).toEqualTypeOf<string | undefined>();
  const output = outputOf(addCard.parameters, fromSignal(session.liveTurn).current);
  expectTypeOf(output?.value?.title).toEqualTypeOf<string | undefined>();
}

/** Props and snippets of a component that shows a session, as a caller sees them. */
function components(
  session: AgentSession,
  Calls: Component<{ session: AgentSession; row: Snippet<[call: ToolCallView]> }>,
  row: Snippet<[call: ToolCallView]>,
  count: Snippet<[count: number]>,
) {
  mount(Calls, { target: document.body, props: { session, row } });
  // @ts-expect-error a signal is no session
  mount(Calls, { target: document.body, props: { session: session.turns, row } });
  // @ts-expect-error a row is given a call, as `fromSignal(session.activeToolCalls)` holds them
  mount(Calls, { target: document.body, props: { session, row: count } });
  expectTypeOf(fromSignal(session.activeToolCalls).current).toEqualTypeOf<readonly ToolCallView[]>();
}

test('current has the type of the signal that it follows', () => {
  expectTypeOf(types).toBeFunction();
  expectTypeOf(components).toBeFunction();
});

test('the package exports all of @banister/session', () => {
  expect(binding).toMatchObject(session);
  expectTypeOf(binding).toExtend<typeof session>();
});

test('the binding to Svelte keeps the types of readers', () => {
  expectTypeOf(readers).toBeFunction();
  expect(binding.callOf).toBe(session.callOf);
});
