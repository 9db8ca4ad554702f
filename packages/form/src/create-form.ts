import {
  batch,
  computed,
  isJsonObject,
  signal,
  type JsonObject,
  type ReadonlySignal,
  type ValidationIssue,
} from '@handrail/session';
import { nodeBuilder } from './build-node.js';
import {
  changed,
  withAdded,
  withChildren,
  withInput,
  withMoved,
  withPresence,
  withToggled,
  type NodeChanges,
} from './change-node.js';
import { errorsOf, fieldDrawer } from './draw-field.js';
import type { FormField, ValueChange } from './form-field.js';
import type { FormNode } from './form-node.js';
import { englishWords, type FormWords } from './form-words.js';
import { freshValue } from './fresh-value.js';
import { labelOf } from './label-of.js';
import { placeIssues } from './place-issues.js';
import { schemaReader } from './read-schema.js';
import { sameValue } from './same-value.js';
import { valueChanges } from './value-changes.js';

type Issues = readonly ValidationIssue[];

/** The options of {@link createForm}. `loadToolCheck` of `@handrail/session/check` returns the first two. */
export interface FormOptions {
  /** The parameters of the tool, as JSON Schema. */
  readonly schema: JsonObject;
  /** The check of the session: its issues are the errors of the form. While a promise is open the form is not valid. */
  check(args: JsonObject): Issues | Promise<Issues>;
  /** The arguments that the model wrote. Default: none, and the form begins with the defaults of the schema. */
  readonly value?: JsonObject | undefined;
  /** Words in place of the English ones. */
  readonly words?: Partial<FormWords> | undefined;
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
export function createForm({ schema, check, value, words: given, id = 'form' }: FormOptions): ArgumentForm {
  const words: FormWords = { ...englishWords, ...given };
  const read = schemaReader(schema);
  const builder = nodeBuilder(read);
  const changes: NodeChanges = { builder, words };
  const fresh = value ?? freshValue(read, read(schema));
  const written: JsonObject = isJsonObject(fresh) ? fresh : {};

  const build = (from: JsonObject): FormNode => {
    builder.begin(0);
    return builder.build({ id, name: '', isRequired: true, isRow: false, written }, read(schema), from);
  };
  const root = signal(build(written));
  const tree = signal<FormNode | null>(null);
  const touched = signal<ReadonlySet<string>>(new Set());
  const isSubmitted = signal(false);
  const state = checking(check, written, words);

  const placed = computed(() => placeIssues(root.value, state.issues.value ?? [], words));
  const draw = fieldDrawer();
  const whole = computed(() =>
    draw(root.value, {
      read,
      words,
      written,
      issues: placed.value,
      shows: (field) => isSubmitted.value || touched.value.has(field),
    }),
  );
  const isJson = computed(() => tree.value !== null);
  const valueOf = (node: FormNode) => (node.value ?? {}) as JsonObject;

  const set = (next: FormNode, id: string): void => {
    batch(() => {
      const before = root.value.value;
      if (!touched.value.has(id)) touched.value = new Set([...touched.value, id]);
      root.value = next;
      if (!sameValue(before, next.value)) state.run(valueOf(next));
    });
  };
  const change = (
    { id }: FormField,
    edit: (node: FormNode, parent: FormNode | null) => FormNode | readonly FormNode[],
  ): void => {
    const { value: now } = root;
    builder.begin(countOf(now));
    if (id !== now.id) return set(changed(now, id, edit), id);
    const edited = edit(now, null);
    if (!Array.isArray(edited)) set(edited as FormNode, id);
  };
  /** Changes the list or the group that a field is in. */
  const changeAround = ({ id }: FormField, edit: (parent: FormNode) => FormNode): void => {
    const parent = parentOf(root.value, id);
    if (parent) change({ id: parent.id } as FormField, edit);
  };

  return {
    fields: computed(() => (whole.value.kind === 'group' ? whole.value.fields : [whole.value])),
    value: computed(() => valueOf(root.value)),
    isValid: computed(() => state.issues.value?.length === 0 && !someNode(root.value, hasProblem)),
    isChecking: computed(() => state.issues.value === null),
    changes: computed(() =>
      valueChanges(written, valueOf(root.value)).map((one) => ({
        ...one,
        label: labelsOf(whole.value, one.path).join(' › '),
      })),
    ),
    firstError: computed(() => firstWith(whole.value, root.value, (node) => hasErrors(node, placed.value))),
    errors: computed(() => (whole.value.kind === 'group' ? whole.value.errors : [])),
    isJson,
    input: (field, input) => change(field, (node) => withInput(node, input, changes)),
    toggle: (field, key, isOn) => change(field, (node) => withToggled(node, key, isOn, changes)),
    touch({ id }) {
      if (!touched.value.has(id)) touched.value = new Set([...touched.value, id]);
    },
    leaveOut: (field) =>
      change(field, (node) => (node.isRequired ? node : withPresence(node, 'absent', changes))),
    setNull: (field) =>
      change(field, (node) => (node.schema.nullable ? withPresence(node, 'null', changes) : node)),
    give: (field) => change(field, (node) => withPresence(node, 'given', changes)),
    add: (field) => change(field, (node) => withAdded(node, changes)),
    remove: (field) =>
      changeAround(field, (parent) =>
        withChildren(
          parent,
          parent.children.filter((child) => child.id !== field.id || !isRemovable(child, parent)),
        ),
      ),
    move: (field, by) => changeAround(field, (parent) => withMoved(parent, field.id, by)),
    rename: (field, name) => change(field, (node) => (node.isRow ? { ...node, name } : node)),
    showJson(isOn) {
      const { value: now } = root;
      if (isOn === isJson.value || now.problem !== null) return;
      batch(() => {
        const kept = tree.value;
        tree.value = isOn ? now : null;
        builder.begin(0);
        const place = { id, name: '', isRequired: true, isRow: false, written };
        if (isOn) root.value = { ...builder.build(place, read(true), now.value), schema: jsonSchema(words) };
        else root.value = kept !== null && sameValue(kept.value, now.value) ? kept : build(valueOf(now));
      });
    },
    async submit() {
      isSubmitted.value = true;
      await state.settled();
      const { value: now } = root;
      return state.issues.value?.length === 0 && !someNode(now, hasProblem) ? valueOf(now) : null;
    },
    reset() {
      batch(() => {
        tree.value = null;
        touched.value = new Set();
        isSubmitted.value = false;
        root.value = build(written);
        state.run(written);
      });
    },
  };
}

/** The state of the check: the issues of the value that was checked last, null while its promise is open. */
function checking(check: FormOptions['check'], first: JsonObject, words: FormWords) {
  const issues = signal<Issues | null>(null);
  let latest: Promise<void> | null = null;
  const failed: Issues = [{ path: [], message: words.checkFailed }];
  const run = (value: JsonObject): void => {
    latest = null;
    let found: Issues | Promise<Issues>;
    try {
      found = check(value);
    } catch {
      found = failed;
    }
    if (!(found instanceof Promise)) {
      issues.value = found;
      return;
    }
    issues.value = null;
    const settled: Promise<void> = found
      .catch(() => failed)
      .then((checked) => {
        // A later value has a check of its own.
        if (latest === settled) issues.value = checked;
      });
    latest = settled;
  };
  run(first);
  return {
    issues,
    run,
    async settled(): Promise<void> {
      for (let waited = latest; waited !== null; waited = waited === latest ? null : latest) await waited;
    },
  };
}

function jsonSchema(words: FormWords) {
  return {
    type: 'any',
    keywords: { title: words.allAsJson },
    nullable: false,
    choices: [],
    branches: [],
  } as const;
}

function countOf(node: FormNode): number {
  return node.children.reduce((count, child) => count + countOf(child), 1);
}

function someNode(node: FormNode, test: (node: FormNode) => boolean): boolean {
  return test(node) || node.children.some((child) => someNode(child, test));
}

function hasProblem({ problem, hasNameProblem }: FormNode): boolean {
  return problem !== null || hasNameProblem;
}

function hasErrors(node: FormNode, placed: ReturnType<typeof placeIssues>): boolean {
  return node.hasNameProblem || errorsOf(node, placed).length > 0;
}

function parentOf(node: FormNode, id: string): FormNode | null {
  if (!id.startsWith(`${node.id}/`)) return null;
  if (node.children.some((child) => child.id === id)) return node;
  return node.children.map((child) => parentOf(child, id)).find((parent) => parent !== null) ?? null;
}

function isRemovable(child: FormNode, parent: FormNode): boolean {
  return child.isRow || parent.kind === 'list';
}

/** Returns the first field of a tree, in the order in which it is drawn, whose node has errors. */
function firstWith(field: FormField, node: FormNode, test: (node: FormNode) => boolean): FormField | null {
  const fields = insideOf(field);
  const inner = node.children
    .map((child, at) => firstWith(fields[at]!, child, test))
    .find((found) => found !== null);
  const isOwn = test(node);
  // The errors of a group stand before its fields; the whole form has no place of its own.
  return isOwn && (node.id.includes('/') || inner === undefined) ? field : (inner ?? null);
}

function insideOf(field: FormField): readonly FormField[] {
  if (field.kind === 'group' || field.kind === 'list') return field.fields;
  return field.kind === 'alternatives' && field.field ? [field.field] : [];
}

function labelsOf(field: FormField, path: ValueChange['path']): readonly string[] {
  const inner = insideOf(field).find((one) => one.path.every((key, at) => key === path[at]));
  const own = field.path.length === 0 || (field.kind === 'alternatives' && inner) ? [] : [field.label];
  if (inner) return [...own, ...labelsOf(inner, path)];
  // A property that has no field any more, such as a row that was removed.
  const rest = path
    .slice(field.path.length)
    .map((key) => (typeof key === 'number' ? String(key + 1) : labelOf(key)));
  return [...own, ...rest];
}
