import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, reference } from '../scripts/reference.mjs';

test('audit-AD-12 docs/reference.md has the fields that the types have: node scripts/reference.mjs writes it', () => {
  expect(readFileSync(page, 'utf8')).toBe(reference());
}, 120_000);
