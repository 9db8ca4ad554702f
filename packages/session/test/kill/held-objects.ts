import type { SessionState, TurnPart } from '@banister/session';
import { unknownCalls } from '../../src/state/interruption.js';
import { foldStateOf, type FoldState } from '../../src/state/session-state.js';
import { effectsOf } from '../../src/state/undo-notes.js';
import type { Answer } from '../../src/turn/answer.js';
import type { OpenQuestion } from '../../src/turn/question-desk.js';
import type { createTurn, Turn } from '../../src/turn/turn-context.js';
import type { EffectStep } from '../../src/undo/effect-step.js';

type Construct<T> = new (...args: never[]) => T;

/** The private fields of an object, which a test reads. */
const fieldsOf = (object: object) => object as Record<string, never>;

/** The objects that the newest turn holds beside the log. */
class HeldObjects {
  turn: Turn | null = null;
  answer: Answer | null = null;
  /** The number of times that an open turn was compared with its state. */
  comparisons = 0;
  /** By turn, call and number of the effect. */
  readonly steps = new Map<string, EffectStep>();

  whenCreated(create: typeof createTurn): typeof createTurn {
    return (...args) => {
      this.answer = null;
      this.steps.clear();
      return (this.turn = create(...args));
    };
  }

  keepingSteps<T extends Construct<EffectStep>>(Original: T): T {
    const { steps } = this;
    return class extends (Original as Construct<EffectStep>) {
      constructor(...args: never[]) {
        super(...args);
        steps.set((args[1] as unknown as { readonly key: string }).key, this);
      }
    } as unknown as T;
  }

  keepingAnswers<T extends Construct<Answer>>(Original: T): T {
    const keep = (answer: Answer) => void (this.answer = answer);
    return class extends (Original as Construct<Answer>) {
      constructor(...args: never[]) {
        super(...args);
        // The answers of child turns are beside the answer of the turn that the user sent.
        if ((args[0] as unknown as Pick<Turn, 'agent'>).agent === undefined) keep(this);
      }
    } as unknown as T;
  }
}

export const heldObjects = new HeldObjects();

/** Returns the differences between the objects of the open turn and those that its state describes. */
export function heldProblems(given: SessionState): readonly string[] {
  const { turn } = heldObjects;
  const state = foldStateOf(given);
  if (turn === null || state.liveTurn?.id !== turn.id || state.interrupted !== null) return [];
  heldObjects.comparisons++;
  return [
    ...cancelProblems(turn, state),
    ...questionProblems(turn, state),
    ...callProblems(turn, state),
    ...stepProblems(turn, state),
    ...answerProblems(state),
  ];
}

function differs(what: string, held: unknown, rebuilt: unknown): readonly string[] {
  const [one, other] = [JSON.stringify(held), JSON.stringify(rebuilt)];
  return one === other ? [] : [`${what}: held is ${one}, the state has ${other}`];
}

function cancelProblems({ cancellation }: Turn, { fold }: FoldState): readonly string[] {
  const { level, sideEffects } = cancellation;
  return differs('the cancel', level === null ? null : { level, sideEffects }, fold.turn?.cancel ?? null);
}

function questionProblems({ host }: Turn, { pendingConfirmations, fold }: FoldState): readonly string[] {
  // The questions of an earlier session are opened again later; at its end a turn closes them in the state.
  if (fold.turn?.cancel || fold.turn?.closing) return [];
  const questions = fieldsOf(host.desk)['open']! as ReadonlyMap<string, OpenQuestion>;
  // The option `confirm` answers the questions without `restart`, and requests for more of a limit have none either.
  const open = [...questions].flatMap(([id, { restart }]) => (restart ? [id] : []));
  return differs('open questions', open.sort(), asked(pendingConfirmations));
}

/** The ids of the questions that this session asked, and that wait for the user. */
function asked(pending: FoldState['pendingConfirmations']): readonly string[] {
  return pending
    .filter(({ answeredBy, expiresAt }) => answeredBy === 'signal' && expiresAt !== null)
    .map(({ id }) => id)
    .sort();
}

function callProblems({ running, unstarted, transaction }: Turn, state: FoldState): readonly string[] {
  const held = [...running.keys(), ...unstarted];
  const unknown = unknownCalls(state);
  const ended = fieldsOf(transaction)['calls']! as ReadonlyMap<string, unknown>;
  // Once the effects are final, a turn that is taken up has no use for the calls that may have acted: they are in its report.
  const { committed, report } = state.fold.turn!;
  const needed = committed || report !== null ? [] : unknown;
  return [
    ...held.filter((id) => !unknown.includes(id)).map((id) => `${id} runs, and the state has its end`),
    // The history is recording the effects of a call whose executor has returned.
    ...needed
      .filter((id) => !held.includes(id) && !ended.has(id))
      .map((id) => `${id} runs in the state alone`),
  ];
}

function stepProblems({ id }: Turn, state: FoldState): readonly string[] {
  return effectsOf(state, id).flatMap(({ callId, steps }) =>
    steps.flatMap(({ step, state: effect, moves = 0 }) => {
      const held = heldObjects.steps.get(`${id}-${callId}-${step}`);
      if (held === undefined || effect === 'lost') return [];
      const { isInEffect, moves: heldMoves } = fieldsOf(held);
      const place = { isInEffect: effect === 'in-effect', moves };
      return differs(`effect ${step} of ${callId}`, { isInEffect, moves: heldMoves }, place);
    }),
  );
}

function answerProblems({ liveTurn, fold }: FoldState): readonly string[] {
  const { answer } = heldObjects;
  const round = fold.turn?.round ?? null;
  // A round whose request waits for a hook has the answer of the round before it, and one whose answer is withheld has none.
  if (answer === null || round === null || round.attempt === 0 || round.appended || round.withheld) return [];
  const parts: readonly TurnPart[] = liveTurn?.rounds.at(-1)?.parts ?? [];
  const inner = Number(fieldsOf(answer)['innerCalls']);
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.argumentsText] : []));
  const heldCalls = fieldsOf(answer)['calls']! as readonly { readonly argumentsText: string }[];
  const end = answer.end && { reason: answer.end.reason };
  const isVisible = parts.length > 0 || (round.output ?? '') !== '';
  return [
    ...differs(
      'the calls of the answer',
      heldCalls.map(({ argumentsText }) => argumentsText),
      calls.slice(inner),
    ),
    ...(answer.visible === isVisible ? [] : [`visible is ${answer.visible}`]),
    ...(round.finish === null || end === null ? [] : differs('the end', end.reason, round.finish.reason)),
  ];
}
