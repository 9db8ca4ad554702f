// Published schemas of tools, listed by their servers: each package, its version and its licence are in catalogues.json.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { confirmTools, createAgentSession, defineDomain, type JsonObject } from '@banister/session';
import { callTools, say, scriptedProvider, settle, spyTool } from '@banister/testing';
import type { ArgumentForm, FormField } from '@banister/form';
import { childrenOf, fieldNow, opened } from './opened.js';
import { publishedSchemas, schemaLicenses } from './published-schemas.js';

test('there are at least forty published schemas, with permissive licences', () => {
  expect(publishedSchemas.length).toBeGreaterThanOrEqual(40);
  for (const license of schemaLicenses) expect(['MIT', 'Apache-2.0']).toContain(license);
});

/** Tries inputs until one of them has no error. */
function write(form: ArgumentForm, field: FormField, ...inputs: readonly (string | boolean)[]): void {
  for (const input of inputs) {
    form.input(field, input);
    if (fieldNow(form, field).errors.length === 0) return;
  }
}

/** Fills a field as a user would who enters every value. */
function fill(form: ArgumentForm, given: FormField): void {
  if (given.canGive) form.give(given);
  const field = fieldNow(form, given);
  switch (field.kind) {
    case 'text':
      return write(
        form,
        field,
        field.input === 'date' ? '2026-12-01' : '2026-12-01T10:00',
        'https://a.example',
        'a text',
        'a'.repeat(36),
      );
    case 'textarea':
      return write(form, field, 'one\ntwo');
    case 'number':
      return write(form, field, String(field.min ?? 1), String(field.max ?? 2));
    case 'checkbox':
      return form.input(field, true);
    case 'segments':
    case 'select':
      return form.input(field, field.options.find(({ key }) => key !== '' && key !== 'null')!.key);
    case 'lines':
      return form.input(field, 'one\ntwo');
    case 'checks':
      return form.toggle(field, field.options[0]!.key, true);
    case 'json':
      return write(form, field, '{}', '[]', '{"type":"text","text":{"content":"x"}}', '"x"', '1', '[{}]');
    case 'alternatives':
      for (const { key } of field.options.filter((option) => !['', 'null'].includes(option.key))) {
        form.input(field, key);
        childrenOf(fieldNow(form, field)).forEach((inner) => fill(form, inner));
        if (fieldNow(form, field).errors.length === 0) return;
      }
      return;
    case 'list':
      if (field.canAdd) form.add(field);
      return childrenOf(fieldNow(form, field)).forEach((inner) => fill(form, inner));
    case 'group':
      if (field.canAdd) form.add(field);
      return childrenOf(fieldNow(form, field)).forEach((inner) => {
        if (inner.row) form.rename(inner, 'name');
        fill(form, inner);
      });
    case 'fixed':
  }
}

/** Sends arguments to a session that asks, and returns the arguments with which the tool ran. */
async function approved(parameters: JsonObject, args: JsonObject): Promise<unknown> {
  const tool = spyTool('work', { parameters, execute: () => 'done' });
  await using session = createAgentSession({
    provider: scriptedProvider([callTools({ tool: 'board.work', args }), say('Done.')]),
    domains: [defineDomain({ id: 'board', tools: [tool] })],
    guards: [confirmTools('board.work')],
  });
  const turn = session.send('Go');
  await settle();
  expect(await session.pendingConfirmation.value!.approve({ arguments: args })).toBe('accepted');
  await turn;
  return tool.runs[0]?.args;
}

describe.each(publishedSchemas)('%s', (_name, parameters) => {
  test('a filled form gives arguments that the session and ajv accept', async () => {
    const form = await opened(parameters);
    for (const field of form.fields.value) fill(form, field);
    const args = await form.submit();
    expect([form.firstError.value?.path, form.firstError.value?.errors, args === null]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const { $schema: _dialect, ...rest } = parameters;
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(rest);
    expect(check(args)).toBe(true);
    for (const field of form.fields.value)
      expect([field.label, field.presence]).toEqual([field.label, 'given']);
    expect(await approved(parameters, args!)).toEqual(args);

    // Opened again, the form is the same, and nothing counts as changed.
    const again = await opened(parameters, args!);
    expect(again.value.value).toEqual(args);
    expect(again.changes.value).toEqual([]);

    // An error about invalid input is shown at its field.
    for (const field of again.fields.value.filter(({ kind }) => kind === 'number')) {
      again.input(field, 'many');
      expect(fieldNow(again, field).errors).toEqual(['must be a number']);
      expect(again.firstError.value?.id).toBe(field.id);
      again.reset();
    }
    for (const required of again.fields.value.filter(({ isRequired }) => isRequired)) {
      const { [required.path[0]!]: _left, ...others } = args!;
      const lacking = await opened(parameters, others);
      expect(await lacking.submit()).toBeNull();
      expect(fieldNow(lacking, required).errors).toEqual(['is required']);
    }
  });
});
