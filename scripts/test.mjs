// @ts-check
// `npm test` runs the quick tier, `npm test -- --full` the whole.
import { mkdirSync, rmSync } from 'node:fs';
import { ensureBrowser } from './ensure-browser.mjs';
import { ensureInstall } from './ensure-install.mjs';
import { closingLines } from './gate/closing-lines.mjs';
import { none } from './gate/counts.mjs';
import { drawByDay, leftOutRemarks } from './gate/days.mjs';
import { runLanes, runStep } from './gate/lanes.mjs';
import { propertySeed } from './gate/seed.mjs';
import { e2e, lint, nodes, packed, reports, size, types, unit } from './gate/steps.mjs';
import { recordingsRemark } from './recordings-folder.mjs';
import { allowYoungObjects } from './run-process.mjs';

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  const unknown = args.filter((arg) => arg !== '--full');
  if (unknown.length > 0) {
    console.error(`npm test takes --full and nothing else; got ${unknown.join(' ')}.`);
    return 2;
  }
  allowYoungObjects();
  const tier = args.includes('--full') ? 'full' : 'quick';
  // Set here, so that a run past midnight keeps its day.
  const seed = propertySeed(process.env['PROPERTY_SEED'], new Date());
  process.env['PROPERTY_SEED'] = String(seed);
  drawByDay(tier, seed);
  const setUp = await runStep('set-up', async () => {
    await ensureInstall();
    await ensureBrowser();
    return { counts: none };
  });
  const outcomes = setUp.counts.failed > 0 ? [setUp] : await runSteps(tier);
  const { lines, exitCode } = closingLines(outcomes, [...leftOutRemarks(), recordingsRemark]);
  console.log(['', ...lines].join('\n'));
  return exitCode;
}

/** @param {import('./gate/steps.mjs').Tier} tier */
async function runSteps(tier) {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  // Lint, types and bundling each keep one processor busy. The demo in a browser is sensitive to time, and runs alone.
  const besideTests = /** @type {const} */ ([
    ['lint', lint],
    ['types', types],
    ['size', size],
  ]);
  const full = /** @type {const} */ ([
    ['packed', packed],
    ['nodes', nodes],
  ]);
  const beside = tier === 'full' ? [...besideTests, ...full] : besideTests;
  return [
    ...(await runLanes([[['unit', unit]], beside], { tier })),
    ...(await runLanes([[['e2e', e2e]]], { tier })),
  ];
}
