import type { JsonObject, JsonValue } from '@banister/session';
import { batch, computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { isJsonObject } from '@banister/provider';
import { nodeBuilder } from './build-node.js';
import { changed, type NodeChanges } from './change-node.js';
import { checkState, type Check } from './check-state.js';
import { errorsOf, fieldDrawer } from './draw-field.js';
import { countOf, hasProblem } from './find-node.js';
import type { FormField } from './form-field.js';
import type { FormNode } from './form-node.js';
import type { FormWords } from './form-words.js';
import { freshValue } from './fresh-value.js';
import { placeIssues } from './place-issues.js';
import { schemaReader } from './read-schema.js';
import { sameValue } from './same-value.js';

/** Changes a field. If it returns a list of fields, the list replaces the field. */
export type Edit = (node: FormNode) => FormNode | readonly FormNode[];

/** What the state of a form is made from. */
interface Settings {
  readonly schema: JsonObject;
  readonly check: Check;
  readonly value: JsonObject | undefined;
  readonly words: FormWords;
  readonly id: string;
}

/** The state of a form: its tree of fields, which fields show their errors, and the check of its value. */
export class FormState {
  readonly changes: NodeChanges;
  readonly written: JsonObject;
  readonly isSubmitted = signal(false);
  readonly whole: ReadonlySignal<FormField>;
  readonly isValid: ReadonlySignal<boolean>;
  readonly isChecking: ReadonlySignal<boolean>;
  private readonly placed;
  private readonly check;
  private readonly tree;
  /** The tree of fields while the form is shown as JSON; null while fields are shown. */
  private readonly aside = signal<FormNode | null>(null);
  private readonly touched = signal<ReadonlySet<string>>(new Set());

  constructor(private readonly settings: Settings) {
    const { schema, check, value, words } = settings;
    const read = schemaReader(schema);
    this.changes = { builder: nodeBuilder(read), words };
    const begun = value ?? freshValue(read, read(schema));
    this.written = isJsonObject(begun) ? begun : {};
    this.tree = signal(this.build(this.written));
    this.check = checkState(check, words.checkFailed);
    this.check.run(this.written);
    const { issues } = this.check;
    this.placed = computed(() => placeIssues(this.tree.value, issues.value ?? [], words));
    const draw = fieldDrawer();
    this.whole = computed(() =>
      draw(this.tree.value, {
        read,
        words,
        written: this.written,
        issues: this.placed.value,
        shows: (field) => this.isSubmitted.value || this.touched.value.has(field),
      }),
    );
    this.isValid = computed(() => issues.value?.length === 0 && !hasProblem(this.tree.value));
    this.isChecking = computed(() => issues.value === null);
  }

  get root(): FormNode {
    return this.tree.value;
  }

  /** The value of the form. If the user wrote JSON that is not an object, it is that value, and the check reports it. */
  get value(): JsonObject {
    return valueOf(this.tree.value);
  }

  get isJson(): boolean {
    return this.aside.value !== null;
  }

  hasErrors(node: FormNode): boolean {
    return node.hasNameProblem || errorsOf(node, this.placed.value).length > 0;
  }

  /** Changes a field, which counts as touched. */
  change({ id }: Pick<FormField, 'id'>, edit: Edit): void {
    const now = this.tree.peek();
    this.changes.builder.begin(countOf(now));
    const next = id === now.id ? edit(now) : changed(now, id, edit);
    if (next === now || !('kind' in next)) return;
    batch(() => {
      this.touch({ id });
      this.tree.value = next;
      if (!sameValue(now.value, next.value)) this.check.run(valueOf(next));
    });
  }

  touch({ id }: Pick<FormField, 'id'>): void {
    if (!this.touched.peek().has(id)) this.touched.value = new Set([...this.touched.peek(), id]);
  }

  showJson(isOn: boolean): void {
    const [now, kept] = [this.tree.peek(), this.aside.peek()];
    if (isOn === (kept !== null) || now.problem !== null) return;
    batch(() => {
      this.aside.value = isOn ? now : null;
      const isSame = kept !== null && sameValue(kept.value, now.value);
      this.tree.value = isOn ? this.build(now.value, true) : isSame ? kept : this.build(now.value);
    });
  }

  /** Resolves with the arguments; null if they are not valid. */
  async submit(): Promise<JsonObject | null> {
    this.isSubmitted.value = true;
    await this.check.settled();
    return this.isValid.peek() ? valueOf(this.tree.peek()) : null;
  }

  reset(): void {
    batch(() => {
      this.aside.value = null;
      this.touched.value = new Set();
      this.isSubmitted.value = false;
      this.tree.value = this.build(this.written);
      this.check.run(this.written);
    });
  }

  private build(value: JsonValue | undefined, asJson = false): FormNode {
    const { builder } = this.changes;
    const { id, schema } = this.settings;
    builder.begin(0);
    const place = { id, name: '', isRequired: true, isRow: false, written: this.written };
    return builder.build(place, builder.read(asJson ? true : schema), value);
  }
}

function valueOf({ value }: FormNode): JsonObject {
  return (value === undefined ? {} : value) as JsonObject;
}
