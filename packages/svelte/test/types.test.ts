import { expectTypeOf, test } from 'vitest';
import type { Readable } from 'svelte/store';
import {
  computed,
  fromSession,
  fromSignal,
  type AgentSession,
  type Confirmation,
  type Current,
  type ReadonlySignal,
  type TurnRecord,
} from '../src/index.js';

// Never called. The compiler reads it all the same.
function types(session: AgentSession, maybe: ReadonlySignal<string | null>) {
  expectTypeOf(fromSignal(session.turns)).toEqualTypeOf<Current<readonly TurnRecord[]>>();
  expectTypeOf(fromSignal(session.pendingConfirmation).current).toEqualTypeOf<Confirmation | null>();
  expectTypeOf(fromSignal(maybe).current).toEqualTypeOf<string | null>();
  expectTypeOf(fromSignal(computed(() => session.turns.value.length)).current).toEqualTypeOf<number>();
  // @ts-expect-error a value is no signal
  fromSignal('text');
  // @ts-expect-error what is followed cannot be written
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

  // A signal is a store, as `$text` needs one.
  expectTypeOf(session.currentText).toExtend<Readable<string>>();
}

test('what is current has the type of what it follows', () => {
  expectTypeOf(types).toBeFunction();
});
