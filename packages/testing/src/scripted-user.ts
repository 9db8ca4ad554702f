import type {
  AgentSession,
  RespondOutcome,
  Decision,
  Input,
  JsonObject,
  Operation,
  Phase,
  SessionState,
} from '@banister/session';
import { apply } from '@banister/session/operations';
import { deferred } from './deferred.js';

/** An action of a scripted user at any moment. A function can do anything else; its result is awaited. */
export type UserAction =
  | 'cancel'
  | 'abort'
  /** Cancels, and keeps the changes. */
  | 'cancel-keep'
  | 'undo'
  | 'redo'
  | 'retry'
  | { readonly send: Input }
  | ((session: AgentSession, operation: Operation) => unknown);

/** How a scripted user answers a question about a call. */
export type UserAnswer =
  'approve' | 'deny' | { readonly deny: string } | { readonly edit: JsonObject } | UserAction;

/** When a scripted user acts, and what the user does then. */
export type UserStep = {
  /** How many times the user acts. Default once; `Infinity` for every time, which may be never. */
  readonly times?: number;
} & (
  | {
      /** A call needs a confirmation. */
      readonly at: 'confirmation';
      /** `domain.tool`; any tool by default. */
      readonly tool?: string;
      readonly do: UserAnswer;
    }
  | {
      /** The turn's text has reached a length. */
      readonly at: 'text';
      /** The length in characters. Default 1. */
      readonly after?: number;
      readonly do: UserAction;
    }
  | {
      /** A tool has started, or has ended with success or failure. */
      readonly at: 'tool-started' | 'tool-settled';
      /** `domain.tool`; any tool by default. */
      readonly tool?: string;
      readonly do: UserAction;
    }
  | {
      /** The session enters a phase. */
      readonly at: 'phase';
      readonly phase: Phase;
      readonly do: UserAction;
    }
  | {
      /** An operation of this type has arrived: the end of a turn or of an undo. */
      readonly at: 'completed' | 'stopped' | 'cancelled' | 'failed' | 'undone' | 'redone';
      readonly do: UserAction;
    }
);

/** An action that the user has done. */
export interface UserDeed {
  /** The step, in words. */
  readonly step: string;
  /** The sequence number of the operation that caused the action. */
  readonly sequence: number;
  /** For a confirmation: the outcome of the decision, after it has resolved. */
  readonly answer?: RespondOutcome;
}

/** A user who follows a plan. */
export interface ScriptedUser {
  /**
   * Resolves when every step was played and all actions have settled. Rejects if the user is disposed before that, with the names of the
   * missing steps, or if an action fails.
   */
  readonly done: Promise<void>;
  /** The actions of the user up to now. */
  readonly log: readonly UserDeed[];
  /** Steps that have not been played yet, in words. */
  readonly missed: readonly string[];
  /** The user leaves. Steps that were not played yet are never played. */
  dispose(): void;
}

interface PlannedStep {
  readonly step: UserStep;
  readonly name: string;
  played: number;
}

/**
 * A user who acts at given points of a turn. Each step is played once, at the first moment that fits; the order of the steps does not
 * matter. If several steps fit, the first unused step in the plan is played. The user acts at once, before anything else happens.
 *
 * @example
 * const user = scriptedUser(session, [
 *   { at: 'confirmation', tool: 'board.delete_card', do: { edit: { id: 'card-2' } } },
 *   { at: 'completed', do: 'undo' },
 * ]);
 * await session.send('Delete the first card');
 * await user.done;
 * console.log(user.log[0]?.answer); // 'accepted'
 */
export function scriptedUser(session: AgentSession, plan: readonly UserStep[]): ScriptedUser {
  const steps = plan.map(planned);
  const log: UserDeed[] = [];
  const reactions: Promise<unknown>[] = [];
  const done = deferred();
  // A copy of the state, exact at each operation. The session's own state may be ahead of the delivered operations.
  let state = session.state;

  const missed = (): readonly string[] =>
    steps
      .filter(({ step, played }) => isFinite(timesOf(step)) && played < timesOf(step))
      .map(({ name }) => name);

  const finishWhenPlayed = (): void => {
    if (missed().length === 0) Promise.all(reactions).then(() => done.resolve(), done.reject);
  };

  const react = (operation: Operation): void => {
    const before = state;
    state = apply(state, operation);
    const now = steps.find(
      ({ step, played }) => played < timesOf(step) && isMoment(step, operation, before, state),
    );
    if (now === undefined) return;
    now.played++;
    const deed: { step: string; sequence: number; answer?: RespondOutcome } = {
      step: now.name,
      sequence: operation.sequence,
    };
    log.push(deed);
    const reaction = perform(session, now.step.do, operation, (answer) => (deed.answer = answer));
    reaction.catch(done.reject);
    reactions.push(reaction);
    finishWhenPlayed();
  };

  const nothingMoreComes = (reason: string): void => {
    const never = missed();
    if (never.length > 0) done.reject(new Error(`${reason}, and these never came: ${never.join('; ')}.`));
  };

  finishWhenPlayed();
  const subscription = session.operations$.subscribe({
    next: react,
    complete: () => nothingMoreComes('The session was disposed of'),
  });

  return {
    done: done.promise,
    log,
    get missed() {
      return missed();
    },
    dispose() {
      subscription.unsubscribe();
      nothingMoreComes('The user left');
    },
  };
}

function planned(step: UserStep, index: number): PlannedStep {
  return { step, name: `step ${index + 1}, ${nameOf(step)}`, played: 0 };
}

function timesOf({ times = 1 }: UserStep): number {
  return times;
}

function isMoment(step: UserStep, operation: Operation, before: SessionState, after: SessionState): boolean {
  switch (step.at) {
    case 'confirmation':
      return (
        operation.type === 'confirmationRequested' &&
        (step.tool === undefined || operation.request.call.tool === step.tool)
      );
    case 'text': {
      const { after: length = 1 } = step;
      return before.currentText.length < length && after.currentText.length >= length;
    }
    case 'tool-started':
      return operation.type === 'toolStarted' && (step.tool === undefined || operation.tool === step.tool);
    case 'tool-settled': {
      if (operation.type !== 'toolCompleted' && operation.type !== 'toolFailed') return false;
      const call = after.activeToolCalls.find(({ id }) => id === operation.callId);
      return step.tool === undefined || call?.tool === step.tool;
    }
    case 'phase':
      return before.phase !== step.phase && after.phase === step.phase;
    default:
      return operation.type === step.at;
  }
}

function perform(
  session: AgentSession,
  action: UserAnswer,
  operation: Operation,
  answered: (answer: RespondOutcome) => void,
): Promise<unknown> {
  const respond = async (decision: Decision): Promise<void> => {
    // The types allow these answers only at confirmations.
    if (operation.type === 'confirmationRequested')
      answered(await session.respond(operation.request.id, decision));
  };
  switch (action) {
    case 'approve':
      return respond({ approve: true });
    case 'deny':
      return respond({ approve: false });
    case 'cancel':
      return session.cancel();
    case 'abort':
      return session.cancel({ immediate: true });
    case 'cancel-keep':
      return session.cancel({ sideEffects: 'keep' });
    case 'undo':
      return session.undo();
    case 'redo':
      return session.redo();
    case 'retry':
      return whateverItsEnd(session.retry());
    default:
      if (typeof action === 'function') return invoke(action, session, operation);
      if ('send' in action) return whateverItsEnd(session.send(action.send));
      return 'edit' in action
        ? respond({ approve: true, arguments: action.edit })
        : respond({ approve: false, reason: action.deny });
  }
}

/** Resolves when the turn ends, even if it fails: a test reads `lastOutcome`. */
function whateverItsEnd(turn: Promise<unknown>): Promise<unknown> {
  return turn.catch(() => {});
}

/** Async, so that a function that throws rejects `done` and does not disturb the session. */
async function invoke(
  action: (session: AgentSession, operation: Operation) => unknown,
  session: AgentSession,
  operation: Operation,
): Promise<unknown> {
  return action(session, operation);
}

function nameOf(step: UserStep): string {
  const action = typeof step.do === 'function' ? 'call a function' : describe(step.do);
  const place =
    'tool' in step && step.tool !== undefined
      ? ` of ${step.tool}`
      : 'phase' in step
        ? ` ${step.phase}`
        : 'after' in step
          ? ` after ${step.after} characters`
          : '';
  return `at ${step.at}${place}: ${action}`;
}

function describe(action: Exclude<UserAnswer, (...args: never[]) => unknown>): string {
  return typeof action === 'string' ? action : JSON.stringify(action);
}
