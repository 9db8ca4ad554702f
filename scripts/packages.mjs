// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './run-process.mjs';

const folder = path.join(root, 'packages');

/** Every package of the project, by the name of its folder. */
export const packages = readdirSync(folder).filter((name) =>
  existsSync(path.join(folder, name, 'package.json')),
);

/** Packages that a page must load only when it needs them: each must be in its own chunk. */
export const latePackages = Object.freeze([
  'ajv',
  '@cfworker/json-schema',
  '@eslint-community/regexpp',
  '@streamparser/json',
  'partial-json',
  'openai',
  '@anthropic-ai/sdk',
  '@pydantic/genai-prices',
]);
