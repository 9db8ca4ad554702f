import { describe, expect, test } from 'vitest';
import { draw } from './draw.js';
import { bodyName, mutantsOf, mutated, traced } from './mutants.js';
import { TestOrder } from './test-order.js';

const changes = (text: string) => mutantsOf('a.ts', text).map(({ from, to }) => `${from} → ${to}`);

describe('mutants', () => {
  test('negate a condition, and drop a branch that leaves', () => {
    expect(changes('if (ready) start;')).toEqual(['ready → !(ready)', 'start; → ;']);
    expect(changes('if (over) throw error;')).toEqual(['over → !(over)', 'over → false']);
    expect(changes('const one = ready ? two : three;')).toEqual(['ready → !(ready)']);
  });

  test('swap operators, and drop what stands in for nothing', () => {
    expect(changes('const one = a === b;')).toEqual(['=== → !==']);
    expect(changes('const one = a < b && c;')).toEqual(['&& → ||', '< → <=']);
    expect(changes('const one = a ?? b;')).toEqual(['a ?? b → a']);
  });

  test('remove statements, flip booleans, and shift numbers by one', () => {
    expect(changes('close();')).toEqual(['close(); → ;']);
    expect(changes('const one = true;')).toEqual(['true → false']);
    expect(changes('const one = 8;')).toEqual(['8 → 9', '8 → 7']);
    expect(changes('const one = [0, -1];')).toEqual(['0 → 1', '0 → (-1)', '-1 → 0', '-1 → (-2)']);
  });

  test('leave strings, types and imports as they are', () => {
    expect(changes('import a from "a"; interface A { b: 1 } type C = true; const d: 2 = "e" + f;')).toEqual(
      [],
    );
  });

  test('name their place, and change nothing else', () => {
    const text = 'function start(): void {\n  if (a > 1) stop();\n}\n';
    const mutants = mutantsOf('a.ts', text);
    expect(mutants.map(({ line, inside }) => [line, inside])).toEqual(mutants.map(() => [2, 'start']));
    expect(mutants.map((mutant) => mutated(text, mutant).split('\n')[1])).toEqual([
      '  if (!(a > 1)) stop();',
      '  if (a >= 1) stop();',
      '  if (a > 2) stop();',
      '  if (a > 0) stop();',
      '  if (a > 1) ;',
    ]);
  });
});

test('a traced source reports each function that runs, by the position that its mutants have', () => {
  const text =
    'const add = (a) => a + 1;\nclass B {\n  get c() { return [2].map((d) => ({ d })); }\n}\nfunction never() { return 3; }';
  const reported: string[] = [];
  const run = new Function('globalThis', `${traced('a.ts', text)}\nadd(1); return new B().c;`);
  expect(run({ entered: (body: string) => reported.push(body) })).toEqual([{ d: 2 }]);
  const bodies = ['1', '2', '3'].map(
    (number) => mutantsOf('a.ts', text).find(({ from }) => from === number)?.body,
  );
  const [add, getter, never] = bodies.map((body) => bodyName('a.ts', body ?? NaN));
  expect(reported).toEqual([add, getter, expect.any(String)]);
  expect(reported).not.toContain(never);
});

test('the test files that enter the function of a mutant run, those that noticed mutants nearby first', () => {
  const [mutant, other, outside] = mutantsOf(
    'a.ts',
    'const a = () => 1;\nconst b = () => 2;\nconst c = 3;',
  ).filter(({ to }) => ['2', '3', '4'].includes(to));
  const name = bodyName('a.ts', mutant!.body!);
  const order = new TestOrder([
    { file: 'slow', seconds: 2, entered: [name] },
    { file: 'fast', seconds: 1, entered: [name] },
    { file: 'else', seconds: 0, entered: [] },
  ]);
  expect(order.testsOf(mutant!)).toEqual(['fast', 'slow']);
  order.note(mutant!, 'slow');
  expect(order.testsOf(mutant!)).toEqual(['slow', 'fast']);
  expect(order.testsOf(other!)).toEqual([]);
  expect(order.testsOf(outside!)).toEqual(['slow', 'else', 'fast']);
});

test('a seed draws the same mutants again, each once', () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(draw(all, 10, 7)).toEqual(draw(all, 10, 7));
  expect(draw(all, 10, 7)).not.toEqual(draw(all, 10, 8));
  expect(new Set(draw(all, 100, 7)).size).toBe(100);
});
