import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileIndex, filesPage } from '../scripts/file-index.mjs';
import { page, reference } from '../scripts/reference.mjs';

test('audit-AD-12 docs/reference.md has the fields that the types have: node scripts/reference.mjs writes it', () => {
  expect(readFileSync(page, 'utf8')).toBe(reference());
}, 120_000);

test('house H4 docs/files.md has what each source says of itself: node scripts/file-index.mjs writes it', () => {
  expect(readFileSync(filesPage, 'utf8')).toBe(fileIndex());
});
