import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import { deepFreeze } from '@banister/provider/internal/json/json';
import type { Decision, ExtensionDecision, RespondOutcome } from '../guards/decision.js';
import { isPaced, type Operation } from '../operations/operation.js';
import { resolvePorts, type GivenPorts } from '../ports/ports.js';
import { asInstance, keepRaw } from '../signals/keep-raw.js';
import { Projection, type Signals } from '../signals/projection.js';
import { untracked } from '../signals/signals-core.js';
import type { SessionState } from '../state/session-state.js';
import { StateStore } from '../state/state-store.js';
import { foldedState } from '../state/shown-turns.js';
import type { Words } from '../words/create-words.js';
import { command } from './command.js';
import { following } from '../log/following.js';

/** The options of a mirror. */
export interface MirrorOptions {
  /**
   * Sends the user's decision to the session. `approve()` and `deny()` of a confirmation call it, and `extend()` and `end()` of an
   * extension request too. Default: they reject `unsupported`.
   */
  readonly respond?:
    ((requestId: string, decision: Decision | ExtensionDecision) => Promise<RespondOutcome>) | undefined;
  /** The words for the user, made with `createWords`, as they appear in the signals. Default: the English words. */
  readonly words?: Words | undefined;
  /** The ports that a mirror uses. Default: the default ports of a session. */
  readonly ports?: Pick<GivenPorts, 'scheduler' | 'reportError'> | undefined;
}

/** The state of a session that runs elsewhere, as signals. */
export interface Mirror {
  /** The same signals as those of a session. */
  readonly signals: Signals;
  /** The whole state, immutable and always current. */
  readonly state: SessionState;
  /**
   * Folds operations, and publishes the signals once. Operations that the state already holds are skipped, so the log may begin earlier
   * than the state.
   *
   * @param operations in order of `sequence`. Numbers may be missing only before `text` and `thinking`, because a stored log joins adjacent
   *   pieces into one piece, with the number of the last piece
   * @throws AgentSessionError `storage` when an operation is missing, with `details.expected` and `details.received`; then no operation of
   *   the list is folded
   */
  fold(operations: readonly Operation[]): void;
}

/**
 * Creates the state and the signals of a session from its log instead of a pipeline: for another tab, another machine, or a replay. The
 * state and the operations may be copies from JSON; the mirror freezes them. A session may show a turn that starts before the turn has an
 * operation. A mirror shows no such turn, because the turn may never begin.
 *
 * @param state the first state: `initialState()` for a log that begins with its first operation
 *
 * @example
 * const mirror = createMirror(session.state);
 * session.operations$.subscribe((operation) => mirror.fold([operation]));
 * effect(() => { output.textContent = mirror.signals.currentText.value; });
 */
export function createMirror(state: SessionState, options: MirrorOptions = {}): Mirror {
  const { scheduler, reportError } = resolvePorts(options.ports);
  const store = new StateStore(deepFreeze(foldedState(state)));
  const projection = new Projection(store, scheduler, {
    respond: command(options.respond ?? refused),
    errors: new ErrorInstances(),
    reportError,
    words: options.words,
  });
  return asInstance(
    keepRaw({
      signals: projection.signals,
      get state() {
        return store.snapshot();
      },
      fold: (operations: readonly Operation[]) =>
        untracked(() => {
          const news = following(store.sequence, operations);
          if (news.length === 0) return;
          const paced = news.every(isPaced);
          projection.hold(paced);
          for (const operation of news) store.apply(operation);
          projection.publish(paced);
        }),
    }),
  );
}

function refused(): Promise<never> {
  return Promise.reject(
    new AgentSessionError('unsupported', 'This mirror has no connection to its session: it cannot answer.'),
  );
}
