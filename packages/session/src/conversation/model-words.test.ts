import { sentence } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import * as told from './model-words.js';
import { outputRepair } from './output-words.js';

describe('audit-S10 a sentence', () => {
  it.each([
    ['It failed: no disk', 'It failed: no disk.'],
    ['It failed: No disk.', 'It failed: No disk.'],
    ['It failed: Why?', 'It failed: Why?'],
    ['It said "No."', 'It said "No."'],
    ['It said "no"', 'It said "no".'],
    ['It failed (again)', 'It failed (again).'],
  ])('ends with exactly one full stop: %s', (text, whole) => {
    expect(sentence(text)).toBe(whole);
  });

  it("a sentence for the model ends with one full stop, no matter how the app's reason ends", () => {
    const texts = [
      told.guardFailed('g', 'No disk.'),
      told.notChecked('t', 'No disk.'),
      told.invalidArguments('t', ['It is wrong.'], []),
      told.middlewareFailed('t', 'm', 'No disk.'),
      told.unusable('No disk.'),
      outputRepair(['It is wrong.']),
    ];
    for (const text of texts) expect(text).not.toMatch(/\.\./);
    for (const text of texts) expect(text).toMatch(/[^.]\.$/);
  });
});
