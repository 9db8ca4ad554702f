// The entry `@handrail/session/binding`: what a binding to a view framework is made of, beside the session itself.
export { follow } from './follow.js';
export { selectionOf, type Kept } from './selection.js';
