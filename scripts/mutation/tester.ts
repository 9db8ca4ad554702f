import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { root } from '../run-process.mjs';

/** A file whose code differs from the file on disk. */
export interface ChangedFile {
  /** From the root of the repository. */
  readonly file: string;
  readonly code: string;
}

/** A test file that has run. */
export interface TestFile {
  readonly file: string;
  readonly seconds: number;
  /** If the sources are traced: the functions that the test file entered; see `traced`. */
  readonly entered: readonly string[];
}

/** The result of the tests of a mutant. */
export interface Verdict {
  /** The first test that failed; null when all passed. */
  readonly killer: { readonly file: string; readonly title: string } | null;
  readonly ran: readonly TestFile[];
  readonly seconds: number;
  /** The duration of the slowest test, in milliseconds. */
  readonly slowestMs: number;
  /** The longest time between two results of tests, in milliseconds. */
  readonly silenceMs: number;
}

/** How long a tester waits, in milliseconds. */
export interface Patience {
  /** The time limit of a test. */
  readonly testMs: number;
  /** The time limit between two test results. A mutant that takes longer never ends: it counts as noticed, and the process is replaced. */
  readonly silenceMs: number;
}

/** Runs the tests of the session against mutants, in a process that stays. */
export interface Tester {
  /**
   * @param files the mutant, or the traced sources
   * @param tests the test files to run, in this order, by parts of their paths: `['']` runs all
   */
  test(files: readonly ChangedFile[], tests: readonly string[]): Promise<Verdict>;
  dispose(): void;
}

/** @param seed of the properties */
export function createTester(seed: number, patience: Patience): Tester {
  let ready: Promise<ChildProcess> | null = null;
  return {
    async test(files, tests) {
      if (tests.length === 0) return { killer: null, ran: [], seconds: 0, slowestMs: 0, silenceMs: 0 };
      const child = await (ready ??= start(seed, patience));
      const verdict = await listen(child, patience.silenceMs, () => void child.send({ files, tests }));
      if (child.exitCode !== null || child.killed) ready = null;
      return verdict;
    },
    dispose() {
      void ready?.then((child) => child.kill('SIGKILL'));
    },
  };
}

/** Resolves with the verdict of the process. If the process falls silent or ends, resolves with a verdict about that. */
function listen(child: ChildProcess, patienceMs: number, begin: () => void): Promise<Verdict> {
  return new Promise((resolve) => {
    let heard = performance.now();
    let silenceMs = 0;
    const end = (verdict: Omit<Verdict, 'silenceMs'>): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve({ ...verdict, silenceMs });
    };
    const noticed = (title: string): void =>
      end({ killer: { file: '', title }, ran: [], seconds: 0, slowestMs: 0 });
    const giveUp = (): void => {
      child.kill('SIGKILL');
      noticed('never ends');
    };
    let timer = setTimeout(giveUp, patienceMs);
    child.on('message', (message) => {
      silenceMs = Math.max(silenceMs, performance.now() - heard);
      heard = performance.now();
      clearTimeout(timer);
      if (message !== 'alive') return end(message as Verdict);
      timer = setTimeout(giveUp, patienceMs);
    });
    child.once('exit', (code) => noticed(`ends the process with code ${code}`));
    begin();
  });
}

function start(seed: number, { testMs }: Patience): Promise<ChildProcess> {
  const env = {
    ...process.env,
    PROPERTY_SEED: String(seed),
    PROPERTY_RUNS: '60',
    PROPERTY_SHRINK: '0',
    TEST_TIMEOUT: String(testMs),
  };
  const child = fork(path.join(root, 'scripts/mutation/test-process.mjs'), { env, cwd: root });
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      child.removeAllListeners();
      resolve(child);
    });
    child.once('exit', (code) =>
      reject(new Error(`the test process ended with code ${code} before it was ready`)),
    );
  });
}
