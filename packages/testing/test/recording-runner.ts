import type { TestRunner } from '../src/test-runner.js';

/** A runner that keeps the facts of a suite, so that a test can run them one by one. */
export interface RecordingRunner extends TestRunner {
  /** The title and the body of each fact. */
  readonly bodies: readonly (readonly [title: string, body: () => void | Promise<void>])[];
  /** The titles of the facts that were skipped. */
  readonly skipped: readonly string[];
}

/** Creates a runner that runs nothing by itself. */
export function recordingRunner(): RecordingRunner {
  const bodies: [string, () => void | Promise<void>][] = [];
  const skipped: string[] = [];
  return {
    bodies,
    skipped,
    describe: (_name, body) => body(),
    it: Object.assign((name: string, body: () => void | Promise<void>) => void bodies.push([name, body]), {
      skip: (name: string) => void skipped.push(name),
    }),
  };
}
