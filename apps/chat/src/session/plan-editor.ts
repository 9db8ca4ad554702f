import type { ArgumentForm, FormField } from '@banister/form';
import { isJsonObject } from '@banister/provider';
import type { Confirmation, ToolCallView } from '@banister/session';
import { computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { visibleText } from '../text/visible-text.js';
import type { Cues } from './cues.js';
import { optionLabel } from './field-words.js';
import { planEdits } from './plan-edits.js';

/** A step of a plan that the user is asked about. */
export interface EditedStep {
  /** The id of its field, which moves with it. */
  readonly id: string;
  readonly title: FormField & { readonly text: string };
  readonly task: FormField & { readonly text: string };
  readonly agent: FormField;
  /** The agents among which the user chooses. */
  readonly agents: readonly { readonly key: string; readonly label: string; readonly isSelected: boolean }[];
  /** The number of the chosen agent in the list, from 1 on; 0 if none is chosen. */
  readonly agentNumber: number;
  /** Its title for labels, safe to show; its place if the title is empty. */
  readonly name: string;
  /** What it follows, safe to show; empty if it follows nothing. */
  readonly after: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly canRemove: boolean;
  /** Safe to show; empty if there are none. */
  readonly errors: string;
}

/** A step that the user has removed, and can put back. */
export interface RemovedStep {
  readonly id: string;
  readonly name: string;
}

/** The question about a plan, as a list of steps. The form of the question has the values. */
export interface PlanEditor {
  readonly form: ArgumentForm;
  readonly steps: ReadonlySignal<readonly EditedStep[]>;
  readonly removed: ReadonlySignal<readonly RemovedStep[]>;
  /** What the user has changed so far; empty if nothing is changed. */
  readonly edits: ReadonlySignal<string>;
  /** Writes a text of a step. A title stays on one line. */
  write(field: FormField, text: string): void;
  /** Moves a step by a number of places. The button that moved the step keeps the focus. */
  move(step: EditedStep, by: number, focus: string): void;
  /** Moves a step before another one; null for the end. */
  place(id: string, before: string | null): void;
  /** Removes a step. The steps that follow it follow what it follows. */
  remove(step: EditedStep): void;
  putBack(step: RemovedStep): void;
}

/** Returns the name under which the focus finds a part of a step. */
export function stepFocus(part: 'handle' | 'up' | 'down' | 'back', { id }: Pick<EditedStep, 'id'>): string {
  return `plan-${part}:${id}`;
}

/** A removed step, with the function that puts it back. */
interface Removed extends RemovedStep {
  restore(): void;
}

/** @param call the call that carries out the plan */
export function createPlanEditor(
  form: ArgumentForm,
  { call }: Pick<Confirmation, 'call'>,
  cues: Pick<Cues, 'focus' | 'say'>,
): PlanEditor {
  const written: ToolCallView = { ...call, type: 'tool-call', index: 0, state: 'waiting', argumentsText: '' };
  const removed = signal<readonly Removed[]>([]);
  const fields = computed(() => stepsIn(form.fields.value));
  const steps = computed(() => {
    const titles = new Map(
      fields.value.map((field) => [partOf(field, 'id').text, partOf(field, 'title').text]),
    );
    return fields.value.map((field, index) => stepOf(field, index, titles));
  });

  const say = ({ id, name }: Pick<EditedStep, 'id' | 'name'>): void => {
    const at = steps.peek().findIndex((step) => step.id === id);
    cues.say(`${name}: step ${at + 1} of ${steps.peek().length}.`);
  };
  const moveField = (id: string, by: number): void => {
    const field = fields.peek().find((one) => one.id === id);
    const step = steps.peek().find((one) => one.id === id);
    if (field === undefined || step === undefined || by === 0) return;
    form.move(field, by);
    say(step);
  };

  /** Lets the steps that follow a step follow what it follows. Returns the function that reverses this. */
  const bypass = (field: GroupField): (() => void) => {
    const gone = partOf(field, 'id').text;
    const instead = linesOf(field);
    const undo = fields.peek().flatMap((other) => {
      const lines = linesOf(other);
      if (other.id === field.id || !lines.includes(gone)) return [];
      const after = partOf(other, 'after');
      const next = [...new Set([...lines.filter((line) => line !== gone), ...instead])].join('\n');
      form.input(after, next);
      return () => {
        const now = fields.peek().find(({ id }) => id === other.id);
        if (now !== undefined && linesOf(now).join('\n') === next) form.input(after, lines.join('\n'));
      };
    });
    return () => undo.forEach((back) => back());
  };

  return {
    form,
    steps,
    removed,
    edits: computed(() => {
      const changed = form.changes.value.length > 0 && isJsonObject(form.value.value);
      return changed ? (planEdits(written, form.value.value) ?? '') : '';
    }),
    write: (field, text) => form.input(field, text.replace(/\s*\n\s*/g, ' ')),
    move(step, by, focus) {
      moveField(step.id, by);
      cues.focus(focus);
    },
    place(id, before) {
      const ids = fields.peek().map((field) => field.id);
      const [from, to] = [ids.indexOf(id), before === null ? ids.length : ids.indexOf(before)];
      moveField(id, to > from ? to - 1 - from : to - from);
    },
    remove({ id, name, canRemove }) {
      const field = fields.peek().find((one) => one.id === id);
      if (field === undefined || !canRemove) return;
      const follow = bypass(field);
      const back = form.remove(field);
      const restore = () => {
        back();
        follow();
      };
      removed.value = [...removed.peek(), { id, name, restore }];
      cues.focus(stepFocus('back', { id }));
      cues.say(`Removed: ${name}.`);
    },
    putBack({ id }) {
      const one = removed.peek().find((step) => step.id === id);
      if (one === undefined) return;
      removed.value = removed.peek().filter((step) => step !== one);
      one.restore();
      cues.focus(stepFocus('handle', { id }));
      say(one);
    },
  };
}

type GroupField = Extract<FormField, { kind: 'group' }>;

/** Returns the fields of the steps; none while the form shows JSON, and where a step is no object. */
function stepsIn(fields: readonly FormField[]): readonly GroupField[] {
  const list = fields.find(({ path }) => path[0] === 'steps');
  const all = list?.kind === 'list' ? list.fields : [];
  return all.flatMap((field) => (field.kind === 'group' ? field : []));
}

/** Returns a part of a step. The schema of a plan names each of them. */
function partOf(step: GroupField, name: string): FormField & { readonly text: string } {
  const field = step.fields.find(({ path }) => path.at(-1) === name)!;
  return 'text' in field ? field : { ...field, text: '' };
}

function linesOf(step: GroupField): readonly string[] {
  return partOf(step, 'after')
    .text.split('\n')
    .filter((line) => line !== '');
}

function stepOf(field: GroupField, index: number, titles: ReadonlyMap<string, string>): EditedStep {
  const [title, task, agent] = [partOf(field, 'title'), partOf(field, 'task'), partOf(field, 'agent')];
  const agents = 'options' in agent ? agent.options : [];
  const after = linesOf(field).map((id) => `“${visibleText(titles.get(id) || id)}”`);
  const errors = [field, ...field.fields].flatMap((one) =>
    one.errors.map((error) => (one === field ? error : `${one.label} ${error}`)),
  );
  return {
    id: field.id,
    title,
    task,
    agent,
    agents: agents.map((one) => ({ ...one, label: optionLabel(one.label) })),
    agentNumber: agents.findIndex(({ isSelected }) => isSelected) + 1,
    name: visibleText(title.text.trim() || `Step ${index + 1}`),
    after: after.length === 0 ? '' : `after ${after.join(', ')}`,
    isFirst: field.item?.isFirst === true,
    isLast: field.item?.isLast === true,
    canRemove: field.item?.canRemove === true,
    errors: visibleText(errors.join(', ')),
  };
}
