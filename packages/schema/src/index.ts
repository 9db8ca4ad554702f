// What all validators share: their types, and the bounds of a check. Each validator is an entry of its own, because a page loads a single validator.
export type { SchemaValidator, Validate, ValidationIssue } from './schema-validator.js';
export type { LoadMatcher } from './load-matcher.js';
export { maxCheckSteps } from './check-work.js';
export { maxIssues } from './describe-issue.js';
export { maxPatternSteps } from './schema-patterns.js';
