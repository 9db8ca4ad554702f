/** JSON has no infinity: for a figure that was never reached, a cell prints null. */
const NEVER = Infinity;

/** The rows of a table: a row for each figure of each cell, with the medians of its samples, its bar, and whether it is met. */
export function toRows(samples) {
  const rows = [...samples].flatMap(([cell, { floor, banister }]) =>
    cell.figures.map(({ key, unit, bar }) => {
      const of = (side) => median(side.map((sample) => sample[key] ?? NEVER));
      const figures = { floor: of(floor), banister: of(banister) };
      const ratio = figures.floor === 0 ? null : figures.banister / figures.floor;
      const { workload, size, scheduler } = cell;
      return { workload, size, scheduler, unit, ...figures, ratio, bar };
    }),
  );
  return rows.map((row) => ({ ...row, ...judged(row, rows) }));
}

function judged({ bar, workload, scheduler, unit, floor, banister, ratio }, rows) {
  const checks = [];
  if (bar.ratio !== undefined) checks.push({ text: `≤ ${bar.ratio}x`, met: ratio <= bar.ratio });
  if (bar.most !== undefined) checks.push({ text: `≤ ${bar.most}`, met: banister <= bar.most });
  if (bar.more !== undefined) checks.push({ text: `≤ ${bar.more} more`, met: banister - floor <= bar.more });
  if (bar.growth !== undefined) {
    const { from, most } = bar.growth;
    const base = rows.find(
      (row) =>
        row.workload === workload && row.size === from && row.scheduler === scheduler && row.unit === unit,
    );
    const growth = base === undefined ? null : banister / base.banister;
    const measured = growth === null ? '' : ` (${growth.toFixed(2)}x)`;
    checks.push({
      text: `≤ ${most}x of ${from.toLocaleString('en')}${measured}`,
      met: growth === null || growth <= most,
    });
  }
  return { bars: checks.map(({ text }) => text).join(', '), met: checks.every(({ met }) => met) };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
