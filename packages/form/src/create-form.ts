import { computed, untracked, type JsonObject, type ReadonlySignal } from '@banister/session';
import { withAdded, withChildren, withInput, withMoved, withPresence, withToggled } from './change-node.js';
import type { Check } from './check-state.js';
import { firstField, labelOfPath } from './find-field.js';
import { parentOf } from './find-node.js';
import type { FormField, ValueChange } from './form-field.js';
import type { FormNode } from './form-node.js';
import { FormState, type Edit } from './form-state.js';
import { wordsOf, type GivenWords } from './form-words.js';
import { valueChanges } from './value-changes.js';

/** The options of {@link createForm}. `loadToolCheck` of `@banister/session/check` returns the first two. */
export interface FormOptions {
  /** The parameters of the tool, as JSON Schema. */
  readonly schema: JsonObject;
  /** The check of the session: its issues are the errors of the form. While its promise is open the form is not valid, nor where it throws. */
  readonly check: Check;
  /** The arguments that the model wrote. Default: none, and the form begins with the defaults of the schema. */
  readonly value?: JsonObject | undefined;
  /** Words in place of the English ones; one that is undefined counts as not given. */
  readonly words?: GivenWords | undefined;
  /** The beginning of the ids of fields: letters and digits. Default `form`. */
  readonly id?: string | undefined;
}

/** A form. Signals hold what a view draws; the methods need no `this`, and ignore a field that is gone. */
export interface ArgumentForm {
  /** The fields to draw: those of the tool's parameters, or one field with everything as JSON. */
  readonly fields: ReadonlySignal<readonly FormField[]>;
  /** The arguments as they are now. While a text is no value, it is the value before it, and the form is not valid. */
  readonly value: ReadonlySignal<JsonObject>;
  /** Whether the session accepts the value. */
  readonly isValid: ReadonlySignal<boolean>;
  /** Whether a check that answers with a promise is under way. */
  readonly isChecking: ReadonlySignal<boolean>;
  /** The parts that differ from what the model wrote. */
  readonly changes: ReadonlySignal<readonly ValueChange[]>;
  /** The first field with an error, shown or not: the one that gets the focus. null for a valid form. */
  readonly firstError: ReadonlySignal<FormField | null>;
  /** The errors of the arguments as a whole, which no field shows; empty before the form was submitted. */
  readonly errors: ReadonlySignal<readonly string[]>;
  readonly isJson: ReadonlySignal<boolean>;

  /**
   * The user wrote into a control, ticked a checkbox, or chose an option by its key. The field counts as touched.
   *
   * An optional text that is emptied is left out where the model wrote none, and is an empty text where it wrote one.
   */
  input(field: FormField, input: string | boolean): void;
  /** The user ticked one of the options of a field of the kind `checks`. */
  toggle(field: FormField, key: string, isOn: boolean): void;
  /** The user left the control: its errors are shown from now on. */
  touch(field: FormField): void;
  leaveOut(field: FormField): void;
  setNull(field: FormField): void;
  /** Gives a field that is left out or `null` the value with which it begins. */
  give(field: FormField): void;
  /** Adds an item to a list, or a row to a group. */
  add(field: FormField): void;
  /** Removes an item or a row. */
  remove(field: FormField): void;
  /** Moves an item of a list by so many places. */
  move(field: FormField, by: number): void;
  /** Changes the name of a row. */
  rename(field: FormField, name: string): void;
  /** Shows everything as JSON, or as fields. Text that is no JSON stays as it is, with its error. */
  showJson(isOn: boolean): void;
  /** Shows every error. Resolves with the arguments to send, or with null where the session would not accept them. */
  submit(): Promise<JsonObject | null>;
  /** Puts back what the model wrote. */
  reset(): void;
}

/**
 * Creates the form in which a user edits the arguments of a call. It draws nothing: a view draws `fields` with its own components, and calls the
 * methods.
 *
 * @example
 * const form = createForm({ ...(await loadToolCheck(addCard)), value: confirmation.call.arguments });
 * form.input(form.fields.value[0]!, 'Plan');
 * const args = await form.submit();
 * if (args) void confirmation.approve({ arguments: args });
 */
export function createForm({ words, value, id = 'form', ...given }: FormOptions): ArgumentForm {
  const state = new FormState({ ...given, id, value, words: wordsOf(words) });
  const { whole, changes, written } = state;
  /** Changes the list or the group that a field is in. */
  const changeAround = ({ id: inner }: FormField, edit: (parent: FormNode) => FormNode) => {
    const parent = parentOf(
      untracked(() => state.root),
      inner,
    );
    if (parent) state.change(parent, edit);
  };
  const change = (field: FormField, edit: Edit) => state.change(field, edit);
  return {
    fields: computed(() => (whole.value.kind === 'group' ? whole.value.fields : [whole.value])),
    value: computed(() => state.value),
    isValid: state.isValid,
    isChecking: state.isChecking,
    changes: computed(() =>
      valueChanges(written, state.value).map((one) => ({
        ...one,
        label: labelOfPath(whole.value, one.path),
      })),
    ),
    firstError: computed(() => firstField(whole.value, state.root, (node) => state.hasErrors(node))),
    errors: computed(() => (whole.value.kind === 'group' ? whole.value.errors : [])),
    isJson: computed(() => state.isJson),
    input: (field, input) => change(field, (node) => withInput(node, input, changes)),
    toggle: (field, key, isOn) => change(field, (node) => withToggled(node, key, isOn, changes)),
    touch: (field) => state.touch(field),
    leaveOut: (field) =>
      change(field, (node) => (node.isRequired ? node : withPresence(node, 'absent', changes))),
    setNull: (field) =>
      change(field, (node) => (node.schema.nullable ? withPresence(node, 'null', changes) : node)),
    give: (field) => change(field, (node) => withPresence(node, 'given', changes)),
    add: (field) => change(field, (node) => withAdded(node, changes)),
    remove: (field) => changeAround(field, (parent) => without(parent, field.id)),
    move: (field, by) => changeAround(field, (parent) => withMoved(parent, field.id, by)),
    rename: (field, name) => change(field, (node) => (node.isRow ? { ...node, name } : node)),
    showJson: (isOn) => state.showJson(isOn),
    submit: () => state.submit(),
    reset: () => state.reset(),
  };
}

/** Returns a list without one of its items, or a group without one of its rows. */
function without(parent: FormNode, id: string): FormNode {
  const children = parent.children.filter(
    (child) => child.id !== id || !(child.isRow || parent.kind === 'list'),
  );
  return withChildren(parent, children);
}
