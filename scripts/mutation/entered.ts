// Loaded before every test file, in the process that tests mutants: records which functions the test file enters, see `traced`.
import { afterEach, beforeAll } from 'vitest';

declare global {
  // Global variables need `var`.
  var entered: (body: string) => void;
  /** Bodies that were entered while the first test file was loaded. Later test files get these modules already loaded. */
  var enteredByModules: ReadonlySet<string> | undefined;
}
declare module 'vitest' {
  interface TaskMeta {
    entered?: ReadonlySet<string>;
  }
}

const bodies = new Set(globalThis.enteredByModules);
globalThis.entered = (body) => void bodies.add(body);
beforeAll(() => {
  globalThis.enteredByModules ??= new Set(bodies);
});
afterEach(({ task }) => {
  task.file.meta.entered = bodies;
});
