// The forms of docs/confirm.md, one for each way to draw them, filled with the keyboard alone.
import axe from 'axe-core';
import { createElement, type ComponentType } from 'react';
import { createRoot } from 'react-dom/client';
import { mount, unmount, type Component as SvelteComponent } from 'svelte';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { commands, userEvent } from 'vitest/browser';
import { createApp, type Component as VueComponent } from 'vue';
import { createForm, type ArgumentForm } from '@banister/form';
import type { Confirmation, JsonObject } from '@banister/session';
import { loadToolCheck } from '@banister/session/check';
import { drawnOf } from './kit/sample-size.js';

const parameters = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 2, description: 'Short and clear' },
    column: { enum: ['todo', 'doing', 'done'] },
    size: { enum: ['xs', 's', 'm', 'l', 'xl'] },
    due_date: { type: 'string', format: 'date' },
    points: { type: 'integer', minimum: 1, maximum: 8 },
    urgent: { type: 'boolean' },
    notes: { type: 'string', maxLength: 2000 },
    tags: { type: 'array', items: { type: 'string' } },
    days: { type: 'array', items: { enum: ['mon', 'tue'] } },
    place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    steps: { type: 'array', items: { type: 'object', properties: { step_name: { type: 'string' } } } },
    target: {
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'page' }, page_id: { type: 'string' } },
          required: ['kind', 'page_id'],
        },
        {
          type: 'object',
          properties: { kind: { const: 'user' }, user_id: { type: 'string' } },
          required: ['kind', 'user_id'],
        },
      ],
    },
    hours: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['title', 'column'],
} as const satisfies JsonObject;

type Shown = { ask: Confirmation; form: ArgumentForm };
type Mount = (module: Readonly<Record<string, unknown>>, root: HTMLElement, shown: Shown) => () => unknown;

const mounts: Readonly<Record<'tsx' | 'vue' | 'svelte' | 'ts', Mount>> = {
  tsx(module, root, shown) {
    const view = createRoot(root);
    view.render(createElement(module['Question'] as ComponentType<Shown>, shown));
    return () => view.unmount();
  },
  vue(module, root, shown) {
    const app = createApp(module['default'] as VueComponent, { ...shown });
    app.mount(root);
    return () => app.unmount();
  },
  svelte(module, root, shown) {
    const view = mount(module['default'] as SvelteComponent<Shown>, { target: root, props: shown });
    return () => unmount(view);
  },
  ts: (module, root, { ask, form }) =>
    (module['showQuestion'] as (root: Element, ask: Confirmation, form: ArgumentForm) => () => void)(
      root,
      ask,
      form,
    ),
};

let end: (() => unknown) | undefined;
afterEach(async () => {
  await end?.();
  document.body.replaceChildren();
});

/** The name of the element that has the focus, as a screen reader says it. */
function focused(): string {
  const { activeElement: element } = document;
  const labels =
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
      ? element.labels
      : null;
  const name =
    element?.getAttribute('aria-label') ??
    labels?.[0]?.firstChild?.textContent ??
    labels?.[0]?.textContent ??
    element?.textContent ??
    '';
  const group =
    element instanceof HTMLInputElement && ['radio', 'checkbox'].includes(element.type)
      ? element.closest('fieldset')?.querySelector('legend')?.textContent
      : null;
  const own = labels?.[0]?.textContent.trim() ?? name;
  return group ? `${group}: ${own}` : name.trim() || own;
}

/** Presses Tab until the control with this name has the focus. */
async function tabTo(name: string, tab = '{Tab}'): Promise<void> {
  const seen: string[] = [];
  for (let count = 0; count < 60; count++) {
    if (focused() === name) return;
    await userEvent.keyboard(tab);
    seen.push(focused());
  }
  throw new Error(`no control "${name}" among ${seen.join(', ')}`);
}

const press = async (name: string, keys = '{Enter}') => {
  await tabTo(name);
  await userEvent.keyboard(keys);
};
const alerts = () =>
  [...document.querySelectorAll('[role=alert]')].map(({ textContent }) => textContent.trim());
/** Whether the control that has the focus is invalid, and the errors that describe it. */
const describedAlerts = () => {
  const { activeElement: control } = document;
  const about = document.getElementById(control?.getAttribute('aria-describedby') ?? '');
  const said = [...(about?.querySelectorAll('[role=alert]') ?? [])].map(({ textContent }) =>
    textContent.trim(),
  );
  return [control?.getAttribute('aria-invalid'), said.join()];
};
const select = '{Control>}a{/Control}';
const back = '{Shift>}{Tab}{/Shift}';

/** Shows a question with the view of the guide in a language. */
async function show(language: keyof typeof mounts, shown: Shown): Promise<void> {
  const views = await commands.docViews('docs/confirm.md');
  const view = views.find(
    (one) => one.language === language && /showQuestion|Question|defineProps|\$props/.test(one.code),
  )!;
  const module = (await import(/* @vite-ignore */ view.module)) as Readonly<Record<string, unknown>>;
  end = mounts[language](module, document.body.appendChild(document.createElement('main')), shown);
  await expect.poll(() => document.querySelector('form')).not.toBeNull();
}

/** The faults of accessibility that axe finds in the form. */
async function faults() {
  const { violations } = await axe.run(document.querySelector('form')!);
  return violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

const languages = ['tsx', 'vue', 'svelte', 'ts'] as const;

describe.each(drawnOf(languages, languages.length))('the form of docs/confirm.md in %s', (language) => {
  test('the forms of the guide are filled with the keyboard alone in React, Vue, Svelte and plain DOM, without a fault of accessibility', async () => {
    const approve = vi.fn<Confirmation['approve']>(() => Promise.resolve('accepted'));
    const ask = { reason: 'Add a card', approve, deny: vi.fn() } as unknown as Confirmation;
    const value = { title: 'Plan', column: 'todo', other: 'kept' };
    const form = createForm({ ...(await loadToolCheck({ name: 'add', parameters })), value });
    await show(language, { ask, form });

    await press('Title', `${select}P`);
    await expect.poll(alerts).toEqual(['must have at least 2 characters']);
    expect(document.activeElement?.getAttribute('aria-invalid')).toBe('true');
    await userEvent.keyboard('lan B{Home}My ');
    await expect.poll(alerts).toEqual([]);
    expect(form.value.value['title']).toBe('My Plan B');

    await press('Column: todo', '{ArrowDown}');
    await press('Size', 'm');
    await press('Due date', '12012026');
    await press('Points', '9x');
    await expect.poll(alerts).toEqual(['must be a number']);
    await userEvent.keyboard('{Backspace}');
    await expect.poll(alerts).toEqual(['must be at most 8']);
    await press('Days: mon', ' ');
    await press('Tags', 'a{Enter}b');

    // Approving goes to what is wrong.
    await press('Approve');
    await expect.poll(focused).toBe('Points');
    expect(approve).not.toHaveBeenCalled();
    await userEvent.keyboard(`${select}5`);
    await press('Urgent', ' ');
    await press('Notes', 'Line{Enter}break');
    await press('Add Place');
    await press('City', 'Bern');
    await press('Add Steps');
    await press('Add to Steps');
    await press('Step name', 'First');
    await press('Target', 'u');
    await press('User id', '7');
    await press('Add Hours');
    await press('Add to Hours');
    await tabTo('Name', back);
    expect(describedAlerts()).toEqual(['true', 'needs a name that no other row has']);
    await userEvent.keyboard('mon');
    await expect.poll(describedAlerts).toEqual(['false', '']);
    await tabTo('Mon', back);
    await userEvent.keyboard('2.5');

    expect(await faults()).toEqual([]);

    await press('As JSON', ' ');
    await userEvent.keyboard(back);
    await userEvent.keyboard(`{Control>}{End}{/Control}x`);
    await expect.poll(() => alerts().join()).toMatch(/^is no valid JSON: line \d+, column 2$/);
    await userEvent.keyboard('{Backspace}');
    await expect.poll(alerts).toEqual([]);
    await press('As JSON', ' ');
    await press('Remember', 'For this c');
    await press('Approve');
    await expect
      .poll(() => approve.mock.calls)
      .toEqual([
        [
          {
            remember: 'session',
            arguments: {
              title: 'My Plan B',
              column: 'doing',
              size: 'm',
              due_date: '2026-12-01',
              points: 5,
              urgent: true,
              notes: 'Line\nbreak',
              tags: ['a', 'b'],
              days: ['mon'],
              place: { city: 'Bern' },
              steps: [{ step_name: 'First' }],
              target: { kind: 'user', user_id: '7' },
              hours: { mon: 2.5 },
              other: 'kept',
            },
          },
        ],
      ]);
  });

  test('says an error that belongs to no field below the fields, goes there, and has no fault of accessibility', async () => {
    const approve = vi.fn<Confirmation['approve']>(() => Promise.resolve('accepted'));
    const ask = { reason: 'Invite', approve, deny: vi.fn() } as unknown as Confirmation;
    const schema: JsonObject = {
      type: 'object',
      properties: { name: { type: 'string' }, email: { type: 'string' }, phone: { type: 'string' } },
      anyOf: [{ required: ['email'] }, { required: ['phone'] }],
      dependentRequired: { phone: ['name'] },
    };
    const form = createForm(await loadToolCheck({ name: 'invite', parameters: schema }));
    await show(language, { ask, form });
    expect(alerts()).toEqual([]);

    await press('Approve');
    await expect.poll(alerts).toEqual(['must have email or phone']);
    expect(approve).not.toHaveBeenCalled();
    // The focus is at the errors, so that Tab goes on from there.
    const whole = document.querySelector('[role=alert]')!.parentElement!;
    expect(document.activeElement).toBe(whole);
    expect(whole.closest('label, fieldset')).toBeNull();
    expect(document.querySelectorAll('[aria-invalid=true]')).toHaveLength(0);
    expect(await faults()).toEqual([]);

    await press('Phone', '7');
    await expect.poll(alerts).toEqual(['is required with phone']);
    await press('Approve');
    await expect.poll(focused).toBe('Name');
    expect(describedAlerts()).toEqual(['true', 'is required with phone']);
    await userEvent.keyboard('Ada');
    await expect.poll(alerts).toEqual([]);
    await press('Approve');
    await expect.poll(() => approve.mock.calls).toEqual([[{ arguments: { phone: '7', name: 'Ada' } }]]);
  });
});
