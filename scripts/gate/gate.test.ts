import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../run-process.mjs';
import { closingLines, FLAKY_LIMIT } from './closing-lines.mjs';
import { asOne, lineOf, none, sumOf } from './counts.mjs';
import {
  days,
  drawByDay,
  format,
  leftOutRemarks,
  leftOutToday,
  svelteCheck,
  typedLint,
  vueTypes,
} from './days.mjs';
import { distrust, judge, REPEAT_LIMIT, toRepeat } from './flaky.mjs';
import { runLanes } from './lanes.mjs';
import { playwrightRuns, vitestRuns, type TestRun } from './reports.mjs';
import { dayNumber, leftOut } from './views-of-the-day.mjs';

const run = (key: string, status: TestRun['status']): TestRun => ({
  key,
  title: key,
  file: `${key}.ts`,
  status,
});

describe('counts', () => {
  test('add up, and name the skipped ones only if there are any', () => {
    const sum = sumOf([asOne(true), asOne(false), { ...none, skipped: 2 }]);
    expect(sum).toEqual({ passed: 1, failed: 1, skipped: 2 });
    expect([lineOf(asOne(true)), lineOf(sum)]).toEqual([
      '1 passed, 0 failed',
      '1 passed, 1 failed, 2 skipped',
    ]);
  });
});

describe('a repeated run', () => {
  const runs = [
    run('a', 'passed'),
    run('b', 'failed'),
    run('c', 'failed'),
    run('d', 'skipped'),
    run('e', 'failed'),
  ];

  test('finds a failed test flaky when it passed alone, and failed when it failed again or did not run', () => {
    expect(judge(runs, [run('b', 'passed'), run('c', 'failed')])).toEqual({
      counts: { passed: 1, failed: 2, skipped: 1 },
      flaky: ['b'],
      failures: ['c', 'e'],
      skipped: ['d'],
    });
  });

  test('names a failed test with its reason below it', () => {
    expect(judge([{ ...run('a', 'failed'), reason: 'one\ntwo' }], []).failures).toEqual([
      'a\n    one\n    two',
    ]);
  });

  test('holds the failed tests that may be repeated', () => {
    expect(toRepeat(runs).map(({ key }) => key)).toEqual(['b', 'c', 'e']);
    expect(toRepeat(runs, ({ file }) => file === 'c.ts').map(({ key }) => key)).toEqual(['c']);
  });

  test('holds nothing if too much failed', () => {
    const failures = (count: number) =>
      Array.from({ length: count }, (_, index) => run(`${index}`, 'failed'));
    expect(toRepeat(failures(REPEAT_LIMIT))).toHaveLength(REPEAT_LIMIT);
    expect(toRepeat(failures(REPEAT_LIMIT + 1))).toEqual([]);
  });
});

describe('a runner', () => {
  test('that ran no test has failed', () => {
    const runs = [run('a', 'skipped')];
    expect(distrust(0, runs, judge(runs, []))).toMatchObject({ counts: { failed: 1 }, note: 'no test ran' });
  });

  test('that ends with an error has failed, also when no test did', () => {
    const runs = [run('a', 'passed')];
    expect(distrust(1, runs, judge(runs, []))).toMatchObject({
      counts: { passed: 1, failed: 1 },
      note: 'no test failed, but the runner ended with exit code 1',
    });
    expect(distrust(0, runs, judge(runs, []))).toEqual(judge(runs, []));
  });

  test('that ends with an error because of a flaky test has passed', () => {
    const runs = [run('a', 'passed'), run('b', 'failed')];
    const judged = judge(runs, [run('b', 'passed')]);
    expect(distrust(1, runs, judged)).toEqual(judged);
  });
});

describe('the closing lines', () => {
  const outcome = { name: 'e2e', counts: { passed: 7, failed: 0, skipped: 1 }, seconds: 1.25 };
  const flaky = (count: number) => Array.from({ length: count }, (_, index) => `test ${index}`);

  test('end with the counts of all steps, alone on the last line', () => {
    const { lines, exitCode } = closingLines(
      [
        { ...outcome, skipped: ['x (gap: none)'] },
        { ...outcome, name: 'unit' },
      ],
      ['Seed: 7'],
    );
    expect(lines).toEqual([
      'Skipped (1):',
      '  x (gap: none)',
      'Seed: 7',
      '',
      'e2e    7 passed, 0 failed, 1 skipped (1.3 s)',
      'unit   7 passed, 0 failed, 1 skipped (1.3 s)',
      '',
      '14 passed, 0 failed, 2 skipped',
    ]);
    expect(exitCode).toBe(0);
  });

  test('name up to three flaky tests, which count as passed', () => {
    const { lines, exitCode } = closingLines([{ ...outcome, flaky: flaky(FLAKY_LIMIT) }]);
    expect(lines.slice(0, 4)).toEqual(['Flaky (3):', '  test 0', '  test 1', '  test 2']);
    expect([lines.at(-1), exitCode]).toEqual(['10 passed, 0 failed, 1 skipped', 0]);
  });

  test('name the tests that failed', () => {
    const { lines } = closingLines([{ ...outcome, counts: asOne(false), failures: ['x\n    wrong'] }]);
    expect(lines.slice(0, 2)).toEqual(['Failed (1):', '  x\n    wrong']);
  });

  test('fail with more than three flaky tests, over all steps', () => {
    const { lines, exitCode } = closingLines([
      { ...outcome, flaky: flaky(2) },
      { ...outcome, flaky: flaky(2) },
    ]);
    expect(lines[0]).toBe('Flaky, more than the 3 that a run may have (4):');
    expect([lines.at(-1), exitCode]).toEqual(['14 passed, 4 failed, 2 skipped', 1]);
  });

  test('give the reason of a step that failed without a test', () => {
    const { lines, exitCode } = closingLines([{ ...outcome, counts: asOne(false), note: 'no browser' }]);
    expect(lines).toContain('e2e    0 passed, 1 failed (1.3 s): no browser');
    expect(exitCode).toBe(1);
  });
});

describe('lanes', () => {
  test('run side by side, their steps one after the other, and a step that throws stops no other', async () => {
    const log: string[] = [];
    const outcomes = await runLanes(
      [
        [
          [
            'slow',
            async () => (await new Promise((resolve) => setTimeout(resolve, 0)), { counts: asOne(true) }),
          ],
        ],
        [
          ['broken', () => Promise.reject(new Error('broken on purpose'))],
          [
            'quiet',
            ({ print }) => {
              print?.('its output\n');
              return Promise.resolve({ counts: asOne(true) });
            },
          ],
        ],
      ],
      { tier: 'quick', log: (text) => log.push(text.trim()) },
    );
    expect(outcomes.map(({ name, counts, note }) => [name, counts.failed, note])).toEqual([
      ['slow', 0, undefined],
      ['broken', 1, 'broken on purpose'],
      ['quiet', 0, undefined],
    ]);
    expect(log).toEqual(['── slow ──', '── broken ──', '── quiet ──\nits output']);
  });
});

describe('reports', () => {
  test('of Vitest: a file that does not load is a failure', () => {
    const report = {
      testResults: [
        {
          name: '/root/a.test.ts',
          status: 'failed',
          assertionResults: [
            { fullName: 'x y', status: 'failed', failureMessages: ['\u001B[31mwrong\u001B[39m'] },
          ],
        },
        { name: '/root/b.test.ts', status: 'failed', assertionResults: [], message: 'no such file' },
        {
          name: '/root/c.test.ts',
          status: 'passed',
          assertionResults: [
            { fullName: 'x', status: 'passed' },
            { fullName: 'y', status: 'pending' },
          ],
        },
      ],
    };
    expect(vitestRuns(report, '/root/').map(({ title, status, reason }) => [title, status, reason])).toEqual([
      ['a.test.ts > x y', 'failed', 'wrong'],
      ['b.test.ts does not load', 'failed', 'no such file'],
      ['c.test.ts > x', 'passed', undefined],
      ['c.test.ts > y', 'skipped', undefined],
    ]);
  });

  test('of Playwright: a test counts once for each project, and an error outside of tests fails', () => {
    const spec = {
      id: 'id',
      file: 'a.spec.ts',
      title: 'works',
      tests: [
        { projectName: 'react', status: 'expected' },
        { projectName: 'vue', status: 'unexpected' },
        { projectName: 'svelte', status: 'skipped' },
      ],
    };
    const report = {
      suites: [{ suites: [{ title: 'group', specs: [spec] }] }],
      errors: [{ message: 'no server\nat x' }],
    };
    expect(playwrightRuns(report).map(({ title, status }) => [title, status])).toEqual([
      ['[react] a.spec.ts > group > works', 'passed'],
      ['[vue] a.spec.ts > group > works', 'failed'],
      ['[svelte] a.spec.ts > group > works', 'skipped'],
      ['outside of a test: no server', 'failed'],
    ]);
    expect(new Set(playwrightRuns(report).map(({ key }) => key)).size).toBe(4);
  });

  test('of Playwright: a scene has one key in a run of all projects and in the repetition of a single one', () => {
    // `spec.id` as Playwright writes it: that of the first project in the report.
    const reportOf = (id: string, ...tests: object[]) => ({
      suites: [{ title: '', specs: [{ id, file: 'a.spec.ts', title: 'works', tests }] }],
    });
    const all = playwrightRuns(
      reportOf(
        'id-react',
        { projectName: 'react', status: 'expected' },
        { projectName: 'svelte', status: 'unexpected' },
      ),
    );
    const alone = playwrightRuns(reportOf('id-svelte', { projectName: 'svelte', status: 'expected' }));
    expect(judge(all, alone)).toMatchObject({ counts: { failed: 0 }, flaky: [all[1]!.title] });
  });
});

describe('the days of the quick tier', () => {
  const kinds = ['checks', 'tests', 'scenes'] as const;
  const all = (kind: (typeof kinds)[number]) => days.flatMap((day) => day[kind]);
  const seeds = [20_261_128, 20_261_129, 20_261_130, 20_261_201, 20_261_202, 20_261_203];

  test('each file and each check that a day leaves out runs on one of them', () => {
    expect(all('checks').toSorted()).toEqual([format, svelteCheck, typedLint, vueTypes].toSorted());
    for (const kind of kinds) {
      expect(new Set(all(kind)).size).toBe(all(kind).length);
      const run = seeds.map((seed) => {
        const left = leftOutToday(kind, String(seed));
        return all(kind).filter((one) => !left.includes(one));
      });
      expect(run.flat().toSorted()).toEqual(all(kind).toSorted());
    }
    expect(leftOutToday('tests', '-3').length).toBeLessThan(all('tests').length);
  });

  test('each file is there', () => {
    const places = [...all('tests'), ...all('scenes').map((file) => `apps/chat/e2e/${file}`)];
    expect(places.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test('questions, undo, cancel, reload, keyboard, the stream and the built page have scenes on every day', () => {
    const walks = ['confirm', 'undo', 'cancel', 'reload', 'keyboard', 'stream', 'built-page'];
    const drawn = all('scenes').map((file) => path.basename(file, '.spec.ts'));
    expect(walks.filter((walk) => drawn.includes(walk))).toEqual([]);
  });

  test('the full tier, and a run by hand, leave nothing out, and the quick tier says what it leaves out', () => {
    const before = process.env['BANISTER_QUICK_SEED'];
    try {
      drawByDay('quick', seeds[0]!);
      const left = leftOutToday('tests').length;
      expect(left).toBeGreaterThan(10);
      expect(leftOutRemarks()).toEqual([expect.stringContaining(`Left out today: ${left} files of tests`)]);
      drawByDay('full', seeds[0]!);
      expect(kinds.flatMap((kind) => leftOutToday(kind))).toEqual([]);
      expect(leftOutRemarks()).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['BANISTER_QUICK_SEED'];
      else process.env['BANISTER_QUICK_SEED'] = before;
    }
  });
});

describe('the views of a day', () => {
  const files = ['attach.spec.ts', 'cancel.spec.ts', 'confirm.spec.ts', 'stream.spec.ts', 'undo.spec.ts'];

  test('React leaves no scenes out, and Vue and Svelte share them', () => {
    expect(leftOut('react', files, 7)).toEqual([]);
    const [vue, svelte] = [leftOut('vue', files, 7), leftOut('svelte', files, 7)];
    expect([...vue, ...svelte].sort()).toEqual(['attach.spec.ts', 'cancel.spec.ts', 'undo.spec.ts']);
  });

  test('two days run every scene in every view', () => {
    for (const view of ['vue', 'svelte'])
      expect(leftOut(view, files, 7).filter((file) => leftOut(view, files, 8).includes(file))).toEqual([]);
  });

  test('a day is one number from midnight to midnight, UTC', () => {
    const first = dayNumber(new Date('2026-11-24T00:00:00Z'));
    expect(dayNumber(new Date('2026-11-24T23:59:59Z'))).toBe(first);
    expect(dayNumber(new Date('2026-11-25T00:00:00Z'))).toBe(first + 1);
  });
});
