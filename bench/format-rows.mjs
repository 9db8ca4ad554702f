const headings = ['workload', 'size', 'scheduler', 'unit', 'floor', 'banister', 'ratio', 'bar', 'met'];

/** Rows as a Markdown table with aligned columns. */
export function formatRows(rows) {
  const lines = rows.map(({ workload, size, scheduler, unit, floor, banister, ratio, bars, met }) => [
    workload,
    size.toLocaleString('en'),
    scheduler,
    unit,
    number(floor),
    number(banister),
    ratio === null ? '–' : `${ratio.toFixed(2)}x`,
    bars === '' ? '–' : bars,
    bars === '' ? '' : met ? 'yes' : 'NO',
  ]);
  const widths = headings.map((_, column) =>
    Math.max(...[headings, ...lines].map((line) => line[column].length)),
  );
  const format = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [format(headings), rule, ...lines.map(format)].join('\n');
}

function number(value) {
  if (!Number.isFinite(value)) return 'never';
  if (value === 0 || value >= 100) return value.toFixed(0);
  return value.toPrecision(3);
}
