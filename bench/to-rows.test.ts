import { expect, test } from 'vitest';
import { toRows } from './to-rows.mjs';

interface Sample {
  readonly cost: number | null;
}

function rowsOf(bar: object, banister: readonly Sample[], floor: readonly Sample[] = [{ cost: 2 }]) {
  const cell = { workload: 'W0', scheduler: 'frames', figures: [{ key: 'cost', unit: 'µs', bar }] };
  const smaller = { ...cell, size: 10, figures: [{ key: 'cost', unit: 'µs', bar: {} }] };
  return toRows(
    new Map<object, { floor: readonly Sample[]; banister: readonly Sample[] }>([
      [smaller, { floor: [{ cost: 2 }], banister: [{ cost: 3 }] }],
      [
        { ...cell, size: 100 },
        { floor, banister },
      ],
    ]),
  );
}

test('a figure is the median of its samples, and a ratio is the ratio of the medians', () => {
  const [, row] = rowsOf({}, [{ cost: 9 }, { cost: 4 }, { cost: 5 }], [{ cost: 1 }, { cost: 3 }]);
  expect(row).toMatchObject({ floor: 2, banister: 5, ratio: 2.5, met: true });
});

test('a bar is met only if each of its parts is met', () => {
  const bar = { ratio: 2, growth: { from: 10, most: 1.2 } };
  expect(rowsOf(bar, [{ cost: 3.6 }])[1]).toMatchObject({ met: true, bars: '≤ 2x, ≤ 1.2x of 10 (1.20x)' });
  expect(rowsOf(bar, [{ cost: 3.9 }])[1]).toMatchObject({ met: false });
  expect(rowsOf({ most: 3 }, [{ cost: 3.1 }])[1]).toMatchObject({ met: false });
  expect(rowsOf({ more: 1 }, [{ cost: 3 }])[1]).toMatchObject({ met: true, bars: '≤ 1 more' });
  expect(rowsOf({ more: 1 }, [{ cost: 3.1 }])[1]).toMatchObject({ met: false });
});

test('a figure that was never reached meets no bar', () => {
  expect(rowsOf({ most: 5 }, [{ cost: null }])[1]).toMatchObject({ banister: Infinity, met: false });
});
