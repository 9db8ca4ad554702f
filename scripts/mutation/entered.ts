// Before every test file, in the process that tests mutants: notes the functions that the file enters, see `traced`.
import { afterEach, beforeAll } from 'vitest';

declare global {
  // Global variables need `var`.
  var entered: (body: string) => void;
  /** Bodies that were entered while modules were loaded, which happens once for all test files. */
  var enteredByModules: Set<string> | undefined;
}
declare module 'vitest' {
  interface TaskMeta {
    entered?: ReadonlySet<string>;
  }
}

let bodies = (globalThis.enteredByModules ??= new Set());
globalThis.entered = (body) => void bodies.add(body);
beforeAll(() => {
  bodies = new Set(globalThis.enteredByModules);
});
afterEach(({ task }) => {
  task.file.meta.entered = bodies;
});
