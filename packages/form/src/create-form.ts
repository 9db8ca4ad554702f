import type { JsonObject } from '@banister/session';
import { computed, untracked, type ReadonlySignal } from '@banister/session/signals';
import {
  withAdded,
  withChildren,
  withInput,
  withMoved,
  withPresence,
  withPutBack,
  withToggled,
} from './change-node.js';
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
  /** The session's check: its issues are the form's errors. The form is not valid while its promise is pending, or if it throws. */
  readonly check: Check;
  /** The arguments that the model wrote. Default: the defaults of the schema. */
  readonly value?: JsonObject | undefined;
  /** Words that replace English words. An undefined word stays English. */
  readonly words?: GivenWords | undefined;
  /** The prefix of field ids: letters and digits. Default `form`. */
  readonly id?: string | undefined;
}

/** A form. Signals hold what a view draws. The methods do not need `this`, and ignore a field that no longer exists. */
export interface ArgumentForm {
  /** The fields to draw: those of the tool's parameters, or one field with everything as JSON. */
  readonly fields: ReadonlySignal<readonly FormField[]>;
  /** The current arguments. If the text of a control is invalid, its last valid value counts, and the form is not valid. */
  readonly value: ReadonlySignal<JsonObject>;
  /** Whether the session accepts the value. */
  readonly isValid: ReadonlySignal<boolean>;
  /** Whether an asynchronous check is pending. */
  readonly isChecking: ReadonlySignal<boolean>;
  /** The differences from what the model wrote. */
  readonly changes: ReadonlySignal<readonly ValueChange[]>;
  /** The first field with an error, shown or not; focus this field. null if no field has an error. */
  readonly firstError: ReadonlySignal<FormField | null>;
  /** The errors of the arguments as a whole, which no field shows; empty until the form is submitted. */
  readonly errors: ReadonlySignal<readonly string[]>;
  readonly isJson: ReadonlySignal<boolean>;

  /**
   * Call this when the user wrote into a control, ticked a checkbox, or chose an option by its key. The field counts as touched.
   *
   * If the user empties an optional text: it is left out if the model wrote none; otherwise it is an empty string.
   */
  input(field: FormField, input: string | boolean): void;
  /** Call this when the user ticked or cleared an option of a field of the kind `checks`. */
  toggle(field: FormField, key: string, isOn: boolean): void;
  /** Call this when the user left the control. Its errors are shown from now on. */
  touch(field: FormField): void;
  leaveOut(field: FormField): void;
  setNull(field: FormField): void;
  /** Gives a field that is left out or `null` its initial value. */
  give(field: FormField): void;
  /** Adds an item to a list, or a row to a group. */
  add(field: FormField): void;
  /**
   * Removes an item or a row. Returns a function that puts the item or the row back at its place, with its value. The function does nothing
   * when it is called again, after `reset`, and if the list or the group no longer exists.
   */
  remove(field: FormField): () => void;
  /** Moves an item of a list by a number of places. */
  move(field: FormField, by: number): void;
  /** Changes the name of a row. */
  rename(field: FormField, name: string): void;
  /** Shows the whole value as JSON, or as fields. If the text is not valid JSON, it stays as it is, with its error. */
  showJson(isOn: boolean): void;
  /** Shows every error. Resolves with the arguments to send, or with null if they are not valid. */
  submit(): Promise<JsonObject | null>;
  /** Restores what the model wrote. */
  reset(): void;
}

/**
 * Creates the form in which a user edits the arguments of a call. The form draws nothing: a view draws `fields` with its own components
 * and calls the methods.
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
  let resets = 0;
  /** Changes the list or the group around a field. */
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
    remove({ id: inner }) {
      const parent = parentOf(
        untracked(() => state.root),
        inner,
      );
      if (!parent) return () => {};
      const at = parent.children.findIndex((child) => child.id === inner);
      const removed = parent.children[at]!;
      const before = resets;
      state.change(parent, (list) => without(list, inner));
      return () => {
        if (resets === before) state.change(parent, (list) => withPutBack(list, removed, at));
      };
    },
    move: (field, by) => changeAround(field, (parent) => withMoved(parent, field.id, by)),
    rename: (field, name) => change(field, (node) => (node.isRow ? { ...node, name } : node)),
    showJson: (isOn) => state.showJson(isOn),
    submit: () => state.submit(),
    reset() {
      resets++;
      state.reset();
    },
  };
}

/** Returns a list without an item, or a group without a row. */
function without(parent: FormNode, id: string): FormNode {
  const children = parent.children.filter(
    (child) => child.id !== id || !(child.isRow || parent.kind === 'list'),
  );
  return withChildren(parent, children);
}
