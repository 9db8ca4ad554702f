// The entry `@banister/session/binding`: two functions for packages that bind a session to a view framework.
export { follow } from './follow.js';
export { selectionOf, type PreviousResult } from './selection.js';
