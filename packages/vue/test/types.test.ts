import * as session from '@banister/session';
import { expect, expectTypeOf, test } from 'vitest';
import { defineComponent, h, reactive, ref, type ComputedRef, type PropType } from 'vue';
import * as binding from '../src/index.js';
import {
  callOf,
  defineTool,
  useSession,
  useSignal,
  type AgentSession,
  type Confirmation,
  type ToolCallView,
  type TurnRecord,
} from '../src/index.js';
import { computed, type ReadonlySignal } from '@banister/session/signals';
import { confirmationOf, outputOf } from '@banister/session/view';

// Never called. The compiler still checks it.
function types(session: AgentSession, maybe: ReadonlySignal<string | null>) {
  expectTypeOf(useSignal(session.turns)).toEqualTypeOf<ComputedRef<readonly TurnRecord[]>>();
  expectTypeOf(useSignal(session.pendingConfirmation).value).toEqualTypeOf<Confirmation | null>();
  expectTypeOf(useSignal(() => maybe).value).toEqualTypeOf<string | null>();
  expectTypeOf(useSignal(computed(() => session.turns.value.length)).value).toEqualTypeOf<number>();
  // @ts-expect-error a value is no signal
  useSignal('text');
  // @ts-expect-error neither is a ref
  useSignal(ref('text'));

  expectTypeOf(useSession(session, (of) => of.isRunning.value)).toEqualTypeOf<ComputedRef<boolean>>();
  expectTypeOf(
    useSession(
      () => session,
      ({ phase }) => phase.value,
    ).value,
  ).toEqualTypeOf(session.phase.value);
  useSession(
    session,
    (of) => of.turns.value,
    (a, b) => {
      expectTypeOf(a).toEqualTypeOf<readonly TurnRecord[]>();
      return a.length === b.length;
    },
  );
  // @ts-expect-error a session has no such signal
  useSession(session, (of) => of.tokens.value);
  const compareTexts = (a: string, b: string) => a === b;
  // @ts-expect-error isEqual compares the results of the selector
  useSession(session, (of): boolean => of.canUndo.value, compareTexts);

  // In state of Vue, a session still has its type.
  const kept = reactive({ session });
  expectTypeOf(useSignal(() => kept.session.currentText)).toEqualTypeOf<ComputedRef<string>>();
  expectTypeOf(ref(session).value).toExtend<AgentSession>();
  expectTypeOf(useSession(ref(session), (of) => of.isRunning.value)).toEqualTypeOf<ComputedRef<boolean>>();
  // @ts-expect-error the ref of a signal is read-only
  useSignal(session.isRunning).value = true;
}

/** Calls and outputs with the types of a tool. */
const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  execute: () => ({ id: 1 }),
});
function readers(session: AgentSession, kept: ToolCallView) {
  const titles = useSession(session, (of) =>
    of.activeToolCalls.value.map((call) => callOf(addCard, call)?.arguments?.title),
  );
  expectTypeOf(titles.value).toEqualTypeOf<(string | undefined)[]>();
  const asks = useSignal(session.pendingConfirmations).value.map((ask) => confirmationOf(addCard, ask));
  expectTypeOf(asks[0]?.call.arguments.title).toEqualTypeOf<string | undefined>();
  const output = outputOf(addCard.parameters, useSignal(session.liveTurn).value);
  expectTypeOf(output?.value?.title).toEqualTypeOf<string | undefined>();
  // In state of Vue, a call still has its type.
  expectTypeOf(callOf(addCard, ref(kept).value)?.value?.id).toEqualTypeOf<number | undefined>();
}

/** Props and slots of a component that shows a session, as a caller sees them. */
function components(session: AgentSession) {
  const Calls = defineComponent({
    props: { session: { type: Object as PropType<AgentSession>, required: true } },
    setup(props, { slots }) {
      const calls = useSignal(() => props.session.activeToolCalls);
      expectTypeOf(calls.value).toEqualTypeOf<readonly ToolCallView[]>();
      return () => calls.value.map((call) => slots['default']?.({ call }));
    },
  });
  h(Calls, { session });
  // @ts-expect-error a signal is no session
  h(Calls, { session: session.turns });
}

test('refs have the type of the signal that they follow', () => {
  expectTypeOf(types).toBeFunction();
  expectTypeOf(components).toBeFunction();
});

test('the package exports all of @banister/session', () => {
  expect(binding).toMatchObject(session);
  expectTypeOf(binding).toExtend<typeof session>();
});

test('the binding to Vue keeps the types of readers', () => {
  expectTypeOf(readers).toBeFunction();
  expect(binding.callOf).toBe(session.callOf);
});
