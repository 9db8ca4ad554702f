import type { Operation, OperationOf, OperationType } from '../operations/operation.js';
import { Draft } from './change.js';
import { reduce, type Handlers } from './handlers.js';
import { activeCallsOf, type FoldState, type SessionState } from './session-state.js';

/** The fields of which `activeToolCalls` is a view. */
const sourcesOfActiveCalls: ReadonlySet<string> = new Set(['liveTurn', 'fold']);
/** Operations that change these fields, but no call. */
const leavesCallsAlone: ReadonlySet<string> = new Set(['text', 'thinking', 'opaque', 'messagesAppended']);

/**
 * The one writer of a session's state. Folds operations into a draft in place; hands out immutable values that share
 * everything that did not change.
 */
export class StateStore {
  private readonly draft: Draft<FoldState>;
  private latest: SessionState | undefined;
  /** Each once; a handful, so a list is cheaper than a set. */
  private changed: (keyof SessionState)[] = [];
  private activeCallsAreOld = false;
  /** Text that arrived since the last read and is not folded yet. */
  private text = '';
  /** The operation with the first piece of that text. */
  private textFrom: OperationOf<'text'> | null = null;
  /** The fields that the last folded operation appended its text to; empty unless it was a text. */
  private textFields: readonly (keyof SessionState)[] = [];

  constructor(
    state: SessionState,
    private handlers: Partial<Handlers<OperationType>>,
  ) {
    this.draft = new Draft(state as FoldState);
  }

  /** Operations of these handlers are folded from now on as well. */
  addHandlers(handlers: Partial<Handlers<OperationType>>): void {
    this.handlers = { ...this.handlers, ...handlers };
  }

  /** Adjacent texts fold like one text: they are kept until another operation arrives or the state is read. */
  apply(operation: Operation): void {
    if (operation.type === 'text') {
      this.textFrom ??= operation;
      this.text += operation.delta;
    } else {
      this.foldText();
      this.fold(operation);
    }
  }

  /** Text that follows text is appended in place as long as no reader has the part that it belongs to. */
  private foldText(): void {
    const { textFrom, text, textFields } = this;
    if (textFrom === null) return;
    this.textFrom = null;
    this.text = '';
    if (textFields.length > 0 && this.draft.appendAgain(text)) {
      this.latest = undefined;
      for (const key of textFields) this.noteChange(key);
    } else this.fold({ ...textFrom, delta: text });
  }

  private fold(operation: Operation): void {
    const changes = reduce(this.handlers, this.draft.current, operation);
    this.textFields =
      operation.type === 'text' ? changes.map(({ path }) => path[0] as keyof SessionState) : [];
    if (changes.length === 0) return;
    this.draft.apply(changes);
    this.latest = undefined;
    const mayChangeCalls = !leavesCallsAlone.has(operation.type);
    for (const { path } of changes) {
      const key = path[0];
      if (mayChangeCalls && sourcesOfActiveCalls.has(key)) {
        this.activeCallsAreOld = true;
        this.noteChange('activeToolCalls');
      }
      if (key !== 'fold') this.noteChange(key as keyof SessionState);
    }
  }

  private noteChange(key: keyof SessionState): void {
    if (!this.changed.includes(key)) this.changed.push(key);
  }

  /** One field as it is now, to keep. */
  take<Key extends keyof SessionState>(key: Key): SessionState[Key] {
    this.foldText();
    if (key === 'activeToolCalls') this.deriveActiveCalls();
    return this.draft.take(key);
  }

  /** The whole state as it is now, to keep. */
  snapshot(): SessionState {
    this.foldText();
    this.deriveActiveCalls();
    this.latest ??= this.draft.takeAll();
    return this.latest;
  }

  /** The fields that may have changed since the last call. */
  takeChanged(): readonly (keyof SessionState)[] {
    this.foldText();
    const { changed } = this;
    this.changed = [];
    return changed;
  }

  /** The active calls are nodes of the live turn: taking the calls takes the turn. */
  private deriveActiveCalls(): void {
    if (!this.activeCallsAreOld) return;
    this.activeCallsAreOld = false;
    this.draft.take('liveTurn');
    const calls = activeCallsOf(this.draft.current);
    if (calls === this.draft.current.activeToolCalls) return;
    this.draft.apply([{ kind: 'set', path: ['activeToolCalls'], value: calls }]);
  }
}
