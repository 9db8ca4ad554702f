// @ts-check

/**
 * @typedef {import('./closing-lines.mjs').Outcome} Outcome
 * @typedef {import('./steps.mjs').Step} Step
 * @typedef {import('./steps.mjs').Tier} Tier
 * @typedef {readonly (readonly [name: string, step: Step])[]} Lane steps that run one after the other
 */

/**
 * Runs lanes side by side. The steps of the first lane write to the console while they run; the output of any other step is
 * printed at its end. Every step runs even if earlier steps have failed, so that one run shows everything that must be fixed.
 *
 * @param {readonly Lane[]} lanes
 * @param {{ tier: Tier, log?: (text: string) => void }} options
 * @returns {Promise<readonly Outcome[]>} in the order of the lanes
 */
export async function runLanes(lanes, { tier, log = console.log }) {
  const outcomes = await Promise.all(
    lanes.map(async (lane, position) => {
      /** @type {Outcome[]} */
      const ofLane = [];
      for (const [name, step] of lane) {
        if (position === 0) log(`\n── ${name} ──`);
        /** @type {string[]} */
        const output = [];
        const print = position === 0 ? undefined : (/** @type {string} */ text) => void output.push(text);
        ofLane.push(await runStep(name, () => step({ tier, ...(print && { print }) })));
        if (position > 0) log(`\n── ${name} ──\n${output.join('').trimEnd()}`);
      }
      return ofLane;
    }),
  );
  return outcomes.flat();
}

/**
 * Runs a step and measures it. If the step throws, it has failed, with the message as its note.
 *
 * @param {string} name
 * @param {() => Promise<Omit<Outcome, 'name' | 'seconds'>>} run
 * @returns {Promise<Outcome>}
 */
export async function runStep(name, run) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    const outcome = await run();
    return { name, ...outcome, seconds: seconds() };
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return { name, counts: { passed: 0, failed: 1, skipped: 0 }, note, seconds: seconds() };
  }
}
