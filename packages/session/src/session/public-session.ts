import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession, LocalAgentSession, TurnResult } from './agent-session.js';
import { command } from './command.js';
import { commandsThat, type PassedCommand } from './command-table.js';
import { SafeObservable } from './operation-stream.js';
import { runsOnce } from './runs-once.js';
import type { SessionFront } from './session-front.js';
import { withAsyncDispose } from './with-async-dispose.js';

/** The methods that wait until the session is open, and have no other behaviour before. */
type Passed = Pick<LocalAgentSession, PassedCommand>;

/** Returns the session that an app receives: its signals, and its methods wrapped by {@link command}. */
export function publicSession(front: SessionFront): LocalAgentSession {
  const { link, outputs } = front;
  const session = withAsyncDispose<LocalAgentSession>({
    ...outputs.projection.signals,
    link: keepRaw(link),
    get state() {
      return front.state;
    },
    operations$: outputs.stream.operations$,
    send: sendMethod(front),
    turn$: turnMethod(front),
    ...passedMethods(front),
    cancel: command((...args) => front.cancel(...args)),
    attend: (...args) => untracked(() => front.attend(...args)),
    configure: (changes) => untracked(() => front.configure(changes)),
    touch: (domain) => untracked(() => front.touch(domain)),
    save: () => front.save(),
    dispose: (options) => untracked(() => front.dispose(options)),
  });
  return asInstance(keepRaw(session));
}

function passedMethods(front: SessionFront): Passed {
  const methodOf = (name: keyof Passed) =>
    command(
      (...args: unknown[]) => front.call((session) => (session.methods[name] as PassedMethod)(...args)),
      front.outputs,
    );
  const names = commandsThat<PassedCommand>(({ waits }) => waits === undefined);
  return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as unknown as Passed;
}

type PassedMethod = (...args: unknown[]) => Promise<unknown>;

function sendMethod(front: SessionFront): AgentSession['send'] {
  return command(
    (input, options) =>
      front.opened?.methods.send(input, options) ??
      new Promise<TurnResult>((resolve, refuse) => {
        front.hold({
          input,
          options,
          begin: (methods, args) => resolve((async () => methods.send(...args))()),
          refuse,
        });
      }),
    front.outputs,
  );
}

function turnMethod(front: SessionFront): LocalAgentSession['turn$'] {
  return (input, options) => {
    const { opened } = front;
    if (opened !== null) return opened.methods.turn$(input, options);
    let turn: Observable<Operation> | null = null;
    let isHeld = false;
    return new SafeObservable<Operation>(
      (subscriber) =>
        untracked(() => {
          if (isHeld) throw runsOnce();
          if (front.opened !== null) {
            turn ??= front.opened.methods.turn$(input, options);
            return turn.subscribe(subscriber);
          }
          const abort = front.hold({
            input,
            options,
            begin: (methods, args) => subscriber.add(methods.turn$(...args).subscribe(subscriber)),
            refuse: (error) => subscriber.error(error),
          });
          isHeld = true;
          return abort;
        }),
      front.ports.reportError,
    );
  };
}
