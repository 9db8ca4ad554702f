import type { Observable } from '../operations/observable.js';
import type { Operation } from '../operations/operation.js';
import { untracked } from '../signals/signals-core.js';
import type { AgentSession, LocalAgentSession, TurnResult } from './agent-session.js';
import { command } from './command.js';
import { commandsThat, type PassedCommand } from './command-table.js';
import { SafeObservable } from './operation-stream.js';
import { runsOnce } from './runs-once.js';
import type { SessionFront } from './session-front.js';
import { sessionObject } from './session-object.js';

/** Returns the session that an app receives. */
export function publicSession(front: SessionFront): LocalAgentSession {
  const passed = commandsThat<PassedCommand>(({ waits }) => waits === undefined);
  return sessionObject<LocalAgentSession, PassedCommand>(front, passed, {
    send: sendMethod(front),
    turn$: turnMethod(front),
    cancel: command((...args) => front.cancel(...args)),
    configure: (changes) => untracked(() => front.configure(changes)),
    touch: (domain) => untracked(() => front.touch(domain)),
  });
}

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
