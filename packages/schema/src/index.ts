// What the validators have in common: their types, and the bounds of a check. Each validator is an entry of its own, because a page loads one of them.
export type { SchemaValidator, Validate, ValidationIssue } from './schema-validator.js';
export type { LoadMatcher } from './load-matcher.js';
export { maxCheckSteps } from './check-work.js';
export { maxIssues } from './describe-issue.js';
export { maxPatternSteps } from './schema-patterns.js';
