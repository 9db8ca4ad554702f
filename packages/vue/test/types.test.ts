import { expectTypeOf, test } from 'vitest';
import { ref, type ComputedRef } from 'vue';
import {
  computed,
  useSession,
  useSignal,
  type AgentSession,
  type Confirmation,
  type ReadonlySignal,
  type TurnRecord,
} from '../src/index.js';

// Never called. The compiler reads it all the same.
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
}

test('refs have the type of what they follow', () => {
  expectTypeOf(types).toBeFunction();
});
