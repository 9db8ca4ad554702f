import { describe, expect, test } from 'vitest';
import { fieldAt, opened } from './opened.js';

const card = {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 2 },
    column: { enum: ['todo', 'doing', 'done'] },
    due_date: { type: 'string', format: 'date' },
    points: { type: 'integer', minimum: 1, maximum: 8 },
    urgent: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  required: ['title'],
  additionalProperties: false,
} as const;

describe('smoke', () => {
  test('edits', async () => {
    const form = await opened(card, { title: 'Plan', points: 3, tags: ['a'] });
    expect(form.fields.value.map(({ label, kind, presence }) => [label, kind, presence]))
      .toMatchInlineSnapshot(`
      [
        [
          "Title",
          "text",
          "given",
        ],
        [
          "Column",
          "segments",
          "absent",
        ],
        [
          "Due date",
          "text",
          "absent",
        ],
        [
          "Points",
          "number",
          "given",
        ],
        [
          "Urgent",
          "checkbox",
          "absent",
        ],
        [
          "Tags",
          "lines",
          "given",
        ],
        [
          "Place",
          "group",
          "absent",
        ],
      ]
    `);
    expect(form.isValid.value).toBe(true);
    form.input(fieldAt(form, 'Title'), 'P');
    expect(fieldAt(form, 'Title').errors).toEqual(['must have at least 2 characters']);
    form.input(fieldAt(form, 'Title'), 'Pl');
    form.input(fieldAt(form, 'Points'), '9x');
    expect(form.firstError.value).toBe(fieldAt(form, 'Points'));
    form.input(fieldAt(form, 'Points'), '');
    form.give(fieldAt(form, 'Place'));
    form.input(fieldAt(form, 'Column'), '1');
    form.input(fieldAt(form, 'Tags'), 'a\nb\n');
    expect(await form.submit()).toBe(null);
    expect(fieldAt(form, 'Place', 'City').errors).toEqual(['is required']);
    form.input(fieldAt(form, 'Place', 'City'), 'Bern');
    form.showJson(true);
    expect(form.fields.value).toMatchInlineSnapshot(`
      [
        {
          "canBeNull": false,
          "canGive": false,
          "canLeaveOut": false,
          "errors": [],
          "hint": null,
          "id": "form",
          "isChanged": true,
          "isRequired": true,
          "item": null,
          "kind": "json",
          "label": "As JSON",
          "path": [],
          "presence": "given",
          "preset": null,
          "row": null,
          "text": "{
        "title": "Pl",
        "tags": [
          "a",
          "b"
        ],
        "place": {
          "city": "Bern"
        },
        "column": "doing"
      }",
        },
      ]
    `);
    form.showJson(false);
    expect(await form.submit()).toEqual({
      title: 'Pl',
      column: 'doing',
      tags: ['a', 'b'],
      place: { city: 'Bern' },
    });
    expect(form.changes.value).toMatchInlineSnapshot(`
      [
        {
          "after": "Pl",
          "before": "Plan",
          "label": "Title",
          "path": [
            "title",
          ],
        },
        {
          "after": undefined,
          "before": 3,
          "label": "Points",
          "path": [
            "points",
          ],
        },
        {
          "after": [
            "a",
            "b",
          ],
          "before": [
            "a",
          ],
          "label": "Tags",
          "path": [
            "tags",
          ],
        },
        {
          "after": {
            "city": "Bern",
          },
          "before": undefined,
          "label": "Place",
          "path": [
            "place",
          ],
        },
        {
          "after": "doing",
          "before": undefined,
          "label": "Column",
          "path": [
            "column",
          ],
        },
      ]
    `);
  });
});
