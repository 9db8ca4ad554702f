/** Defines a test, or declares it as skipped. */
export interface DefineTest {
  (name: string, body: () => void | Promise<void>): unknown;
  skip(name: string, body: () => void | Promise<void>): unknown;
}

/** The part of a test runner that a conformance suite needs. Vitest, Jest, Mocha and `node:test` all have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  readonly it: DefineTest;
}
