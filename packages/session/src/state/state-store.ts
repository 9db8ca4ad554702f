import { deepFreeze } from '@banister/provider/internal/json/json';
import { isDelta, type Operation, type OperationOf } from '../operations/operation.js';
import { allHandlers } from './all-handlers.js';
import { Draft, type Change, type Path } from './change.js';
import { reduce } from './handlers.js';
import {
  activeCallsOf,
  foldStateOf,
  sessionStateOf,
  type FoldState,
  type SessionState,
} from './session-state.js';
import type { Field, StateSource } from './state-source.js';

/** Returns true if a change at a place may change `activeToolCalls`: it changes the live turn, or which of its rounds is open. */
function mayChangeCalls(path: Path): boolean {
  const [field, part, key] = path;
  if (field !== 'fold') return field === 'liveTurn';
  return part === 'turn' && (path.length === 2 || (path.length === 3 && key === 'round'));
}

/** Operations that change the live turn but no call. */
const leavesCallsAlone: ReadonlySet<string> = new Set(['text', 'thinking', 'opaque', 'messagesAppended']);

/** The depth of a call in the live turn: below the turn, its rounds, a round and the parts of the round. */
const DEPTH_OF_CALLS = 4;

type TextOperation = OperationOf<'text'> | OperationOf<'subagent'>;

/** Adjacent texts of a turn. */
interface CollectedText {
  readonly turn: string;
  /** The operation with the first of them. */
  readonly from: TextOperation;
  delta: string;
}

function withDelta(from: TextOperation, delta: string): Operation {
  if (from.type === 'text') return { ...from, delta };
  return { ...from, inner: { ...from.inner, delta } as typeof from.inner };
}

/**
 * The only writer of a session's state. It folds operations into a draft in place. Readers receive immutable values, which share the
 * unchanged nodes.
 */
export class StateStore implements StateSource {
  private draft: Draft<FoldState>;
  private latest: SessionState | undefined;
  /** The changed fields, without duplicates. A list is faster than a set for so few items. */
  private changed: Field[] = [];
  private activeCallsAreOld = false;
  /** The texts that arrived since the last read and are not folded yet, by the id of their child turn; empty for the turn of the user. */
  private readonly texts = new Map<string, CollectedText>();
  /** The text that the last operation continued; null if no text is collected. */
  private text: CollectedText | null = null;
  /** The turn whose text was folded last, as in `texts`; null after an operation of another type. */
  private textOf: string | null = null;
  /** The fields to which that text was appended. */
  private textFields: readonly Field[] = [];
  /** The number of the last operation. It is written into the draft only when the state is read, so that a delta stays cheap. */
  private last: number;

  constructor(state: SessionState) {
    this.draft = new Draft(foldStateOf(state));
    this.last = state.sequence;
  }

  /** The number of the last folded operation. */
  get sequence(): number {
    return this.last;
  }

  /** Replaces the state with a frozen state that was read from a log. */
  replace(state: SessionState): void {
    this.draft = new Draft(foldStateOf(state));
    this.last = state.sequence;
    this.latest = undefined;
    this.texts.clear();
    this.text = null;
    this.textOf = null;
    this.activeCallsAreOld = false;
    for (const key of Object.keys(state)) if (key !== 'fold') this.noteChange(key as Field);
  }

  /**
   * Folds an operation, and freezes it, because the state shares its objects. Adjacent texts are collected for each turn. They are folded as
   * one text when an operation of another type arrives or the state is read.
   */
  apply(operation: Operation): void {
    if (operation.type === 'text') this.collect('', operation, operation.delta);
    else if (operation.type === 'subagent' && operation.inner.type === 'text')
      this.collect(operation.path.at(-1)!, operation, operation.inner.delta);
    else {
      this.foldText();
      if (!isDelta(operation)) deepFreeze(operation);
      this.fold(operation);
    }
    // If an operation cannot be folded, `fold` throws, and the next operation gets the same number.
    this.last = operation.sequence;
  }

  /** Writes into the draft what was only collected: text, and the number of the last operation. */
  private settle(): void {
    this.foldText();
    const { draft, last } = this;
    if (draft.current.sequence === last) return;
    draft.setField('sequence', last);
    this.latest = undefined;
    this.noteChange('sequence');
  }

  private collect(turn: string, from: TextOperation, delta: string): void {
    if (this.text?.turn !== turn) {
      let text = this.texts.get(turn);
      if (text === undefined) this.texts.set(turn, (text = { turn, from, delta: '' }));
      this.text = text;
    }
    this.text.delta += delta;
  }

  /** Folds the collected texts, in place if no reader has the part that contains the text. */
  private foldText(): void {
    if (this.text === null) return;
    this.text = null;
    const texts = [...this.texts.values()];
    this.texts.clear();
    for (const { turn, from, delta } of texts) {
      if (turn === this.textOf && this.draft.appendAgain(delta)) {
        this.latest = undefined;
        for (const key of this.textFields) this.noteChange(key);
        continue;
      }
      const changes = this.fold(withDelta(from, delta));
      if (changes.length > 0) this.textOf = turn;
      this.textFields = changes
        .map(({ path }) => path[0] as Field)
        .filter((key) => (key as string) !== 'fold');
    }
  }

  private fold(operation: Operation): readonly Change[] {
    const changes = reduce(allHandlers, this.draft.current, operation);
    this.textOf = null;
    if (changes.length === 0) return changes;
    this.draft.apply(changes);
    this.latest = undefined;
    let mayHaveCalls = !leavesCallsAlone.has(operation.type);
    // `forEach`, because the engine compiles a function with a loop during the first turns, which takes more time than the loop.
    changes.forEach(({ path }) => {
      const key = path[0];
      if (mayHaveCalls && mayChangeCalls(path)) {
        mayHaveCalls = false;
        this.activeCallsAreOld = true;
        this.noteChange('activeToolCalls');
      }
      if (key !== 'fold') this.noteChange(key as Field);
    });
    return changes;
  }

  private noteChange(key: Field): void {
    if (!this.changed.includes(key)) this.changed.push(key);
  }

  /** The current state, without collected text and number. It may be read until the next change, and must not be kept. */
  get current(): FoldState {
    return this.draft.current;
  }

  /** Returns a field for keeping. */
  take<Key extends Field>(key: Key): FoldState[Key] {
    this.settle();
    if (key === 'activeToolCalls') this.deriveActiveCalls();
    return this.draft.take(key);
  }

  /** Returns the whole state for keeping. It is the same object until the next change. */
  snapshot(): SessionState {
    this.settle();
    this.deriveActiveCalls();
    this.latest ??= sessionStateOf(this.draft.takeAll());
    return this.latest;
  }

  /** Returns the fields that may have changed since the last call. */
  takeChanged(): readonly Field[] {
    this.settle();
    const { changed } = this;
    this.changed = [];
    return changed;
  }

  /** Derives the active calls. They are nodes of the live turn; the lists above them are not copied. */
  private deriveActiveCalls(): void {
    if (!this.activeCallsAreOld) return;
    this.activeCallsAreOld = false;
    this.draft.share('liveTurn', DEPTH_OF_CALLS);
    const calls = activeCallsOf(this.draft.current);
    if (calls === this.draft.current.activeToolCalls) return;
    this.draft.apply([{ kind: 'set', path: ['activeToolCalls'], value: calls }]);
  }
}
