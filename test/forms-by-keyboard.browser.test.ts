// Published schemas of tools, each drawn by the plain view of docs/confirm.md and filled with the keyboard alone.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { commands, userEvent } from 'vitest/browser';
import type { ArgumentForm, FormField } from '@banister/form';
import type { Confirmation, JsonObject } from '@banister/session';
import { childrenOf, fieldNow, opened } from '../packages/form/test/opened.js';
import { publishedSchemas } from '../packages/form/test/published-schemas.js';
import { sampleSize } from './kit/sample-size.js';

type ShowQuestion = (root: Element, ask: Confirmation, form: ArgumentForm) => () => void;

/** The quick tier takes some of them, from the seed of the day; within a week all are used. */
const count = sampleSize(publishedSchemas.length);
const first = (inject('propertySeed') * count) % publishedSchemas.length;
const sample = [...publishedSchemas, ...publishedSchemas].slice(first, first + count);

let showQuestion: ShowQuestion;
beforeAll(async () => {
  const views = await commands.docViews('docs/confirm.md');
  const { module } = views.find(({ code }) => code.includes('function showQuestion'))!;
  ({ showQuestion } = (await import(/* @vite-ignore */ module)) as { showQuestion: ShowQuestion });
});

let end: (() => void) | undefined;
afterEach(() => {
  end?.();
  document.body.replaceChildren();
});

// ------------------------------------------------------------------------------------------------ the keyboard

/** Writes a text as `userEvent.keyboard` takes it: brackets stand for keys there. */
const literally = (text: string) =>
  text.replace(/[{[]/g, (bracket) => bracket + bracket).replaceAll('\n', '{Enter}');

/** Moves to an element with Tab, or with Shift and Tab if the element is before the focus. */
async function tabTo(name: string, target: Element, isThere = () => document.activeElement === target) {
  for (let presses = 0; presses < 200; presses++) {
    if (isThere()) return;
    const { activeElement: from } = document;
    const isBefore =
      from !== null &&
      from !== document.body &&
      (target.compareDocumentPosition(from) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    await userEvent.keyboard(isBefore ? '{Shift>}{Tab}{/Shift}' : '{Tab}');
  }
  throw new Error(`Tab does not reach ${name}`);
}

async function press(text: string): Promise<void> {
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === text);
  if (!button) throw new Error(`no button "${text}"`);
  await tabTo(text, button);
  await userEvent.keyboard('{Enter}');
}

/** Presses the checkbox that shows everything as JSON. */
async function toggleJson(): Promise<void> {
  const [label] = [...document.querySelectorAll('label')].filter(
    ({ textContent }) => textContent === ' As JSON',
  );
  await tabTo('As JSON', label!.control!);
  await userEvent.keyboard(' ');
}

async function write(field: FormField, text: string): Promise<void> {
  await tabTo(field.label, document.getElementById(field.id)!);
  const isNative = field.kind === 'text' && ['date', 'time', 'datetime-local'].includes(field.input);
  await userEvent.keyboard(isNative ? text : `{Control>}a{/Control}${literally(text)}`);
}

/** Chooses an option of a select: Home goes to the first that can be chosen. */
async function choose({ id, label }: FormField, key: string): Promise<void> {
  const select = document.getElementById(id) as HTMLSelectElement;
  await tabTo(label, select);
  const options = [...select.options].filter(({ disabled }) => !disabled);
  const at = options.findIndex(({ value }) => value === key);
  await userEvent.keyboard('{Home}' + '{ArrowDown}'.repeat(at));
  expect([label, select.value]).toEqual([label, key]);
}

/** Chooses a radio button, or ticks a checkbox of a group. Tab goes to the radio button that is chosen, arrows to the others. */
async function tick({ id, label }: FormField, at: number): Promise<void> {
  const inputs = [...document.getElementById(id)!.querySelectorAll<HTMLInputElement>(`input[name="${id}"]`)];
  const target = inputs[at]!;
  if (target.type === 'radio') {
    const isInside = () => inputs.some((input) => input === document.activeElement);
    await tabTo(label, inputs.find(({ checked }) => checked) ?? target, isInside);
    for (let presses = 0; presses < inputs.length && document.activeElement !== target; presses++)
      await userEvent.keyboard('{ArrowDown}');
  }
  await tabTo(label, target);
  if (!target.checked) await userEvent.keyboard(' ');
  expect([label, target.checked]).toEqual([label, true]);
}

// ------------------------------------------------------------------------------------------------ what is said

/** The errors that a screen reader says with a control, or with a group of them. */
function saidAt(id: string): readonly string[] {
  const described = document.getElementById(id)?.getAttribute('aria-describedby')?.split(' ') ?? [];
  return described.flatMap((about) =>
    [...(document.getElementById(about)?.querySelectorAll('[role=alert]') ?? [])].map(({ textContent }) =>
      textContent.trim(),
    ),
  );
}

/** Controls say that they are invalid; for a group of other controls ARIA has no such word. */
function expectSaid(field: FormField): void {
  const control = document.getElementById(field.id);
  expect([field.label, saidAt(field.id)]).toEqual([field.label, field.errors]);
  if (control instanceof HTMLFieldSetElement) return;
  expect([field.label, control?.getAttribute('aria-invalid')]).toEqual([
    field.label,
    String(field.errors.length > 0),
  ]);
}

// ------------------------------------------------------------------------------------------------ filling

/** Fills a form, and expects of each error on the way that it is said at its field. */
class Filling {
  constructor(private readonly form: ArgumentForm) {}

  private now(field: FormField): FormField {
    const now = fieldNow(this.form, field);
    if (now.errors.length > 0) expectSaid(now);
    return now;
  }

  /** Writes texts until one of them is right. */
  private async write(field: FormField, ...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await write(field, text);
      const now = this.now(field);
      if (now.errors.length > 0) continue;
      return expectSaid(now);
    }
  }

  private async inside(field: FormField): Promise<void> {
    for (const inner of childrenOf(this.now(field))) {
      await this.fill(inner);
      if (!inner.row) continue;
      const name = document.getElementById(`${inner.id}-name`)!;
      const { error } = inner.row;
      expect([name.getAttribute('aria-invalid'), saidAt(name.id)]).toEqual(['true', [error]]);
      await tabTo('Name', name);
      await userEvent.keyboard('name');
      expect([name.getAttribute('aria-invalid'), saidAt(name.id)]).toEqual(['false', []]);
    }
  }

  async fill(given: FormField): Promise<void> {
    if (this.now(given).canGive) await press(`Add ${given.label}`);
    const field = this.now(given);
    switch (field.kind) {
      case 'text':
        if (field.input === 'date') return this.write(field, '12012026');
        if (field.input === 'datetime-local') return this.write(field, '12012026{ArrowRight}1000AM');
        return this.write(field, 'a text', 'https://a.example', 'a'.repeat(36));
      case 'textarea':
        return this.write(field, 'one\ntwo');
      case 'number': {
        const outside = [field.min === null ? [] : field.min - 1, field.max === null ? [] : field.max + 1];
        const inside = [field.min ?? 1, field.max ?? 2];
        return this.write(field, '1x', ...outside.flat().map(String), ...inside.map(String));
      }
      case 'checkbox':
        await tabTo(field.label, document.getElementById(field.id)!);
        if (!field.isChecked) await userEvent.keyboard(' ');
        return;
      case 'segments':
        return tick(field, field.options.findIndex(isValue));
      case 'checks':
        return tick(field, 0);
      case 'select':
        return choose(field, field.options.find(isValue)!.key);
      case 'lines':
        return this.write(field, 'one\ntwo');
      case 'json':
        return this.write(
          field,
          '{',
          '{}',
          '[]',
          '{"type":"text","text":{"content":"x"}}',
          '"x"',
          '1',
          '[{}]',
        );
      case 'alternatives':
        for (const { key } of field.options.filter(isValue)) {
          await choose(field, key);
          await this.inside(field);
          if (this.now(field).errors.length === 0) return;
        }
        return;
      case 'list':
      case 'group':
        if (field.canAdd) await press(`Add to ${field.label}`);
        return this.inside(field);
      case 'fixed':
    }
  }
}

const isValue = ({ key }: { readonly key: string }) => key !== '' && key !== 'null';

describe.each(sample)('%s', (_tool, parameters) => {
  test('is filled with the keyboard alone: what is wrong is said at its field, and ajv accepts what is sent', async () => {
    const approve = vi.fn<Confirmation['approve']>(() => Promise.resolve('accepted'));
    const form = await opened(parameters);
    const ask = { reason: 'Use it', approve, deny: vi.fn() } as unknown as Confirmation;
    end = showQuestion(document.body.appendChild(document.createElement('main')), ask, form);
    const filling = new Filling(form);

    // Approving the empty form goes to the first field that is wrong, and says there why.
    if (!form.isValid.value) {
      await press('Approve');
      await expect.poll(() => document.activeElement?.id).toBe(form.firstError.value!.id);
      expectSaid(form.firstError.value!);
      expect(approve).not.toHaveBeenCalled();
    }

    for (const field of form.fields.value) await filling.fill(field);
    for (const { label, presence, errors } of form.fields.value)
      expect([label, presence, errors]).toEqual([label, 'given', []]);
    const filled = form.value.value;

    // Also edits everything as JSON, and enters text that is not JSON.
    await toggleJson();
    const hasRequired = Array.isArray(parameters['required']) && parameters['required'].length > 0;
    for (const wrong of [hasRequired ? '{}' : '5', '[']) {
      await write(form.fields.value[0]!, wrong);
      expect(form.fields.value[0]!.errors).not.toEqual([]);
      expectSaid(form.fields.value[0]!);
      for (let undos = 0; undos < 5 && form.fields.value[0]!.errors.length > 0; undos++)
        await userEvent.keyboard('{Control>}z{/Control}');
      expectSaid(form.fields.value[0]!);
    }
    await toggleJson();
    expect([form.isJson.value, form.value.value]).toEqual([false, filled]);

    await press('Approve');
    await expect.poll(() => approve.mock.calls.length).toBe(1);
    const args = approve.mock.calls[0]![0]!.arguments!;
    expect(Object.keys(args).sort()).toEqual(Object.keys(parameters['properties'] as JsonObject).sort());
    const { $schema: _dialect, ...rest } = parameters;
    expect(new Ajv2020({ strict: false, validateFormats: false }).compile(rest)(args)).toBe(true);
  });
});
