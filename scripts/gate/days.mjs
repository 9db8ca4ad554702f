// @ts-check
import { dayNumber } from './views-of-the-day.mjs';

// The files of tests and scenes that take longest, and four checks that take long. The quick tier runs each of them on one day of six. The
// days take about the same time. A file that is not in this list runs every day.

/**
 * @typedef {object} Day
 * @property {readonly string[]} checks
 * @property {readonly string[]} tests files, from the root
 * @property {readonly string[]} scenes files of `apps/chat/e2e`
 */

/** The rules of ESLint that need types. ESLint spends two thirds of its time on these rules and on the types. */
export const typedLint = 'the lint rules that need types';

/** Prettier, which takes as long as the other rules of ESLint. */
export const format = 'Prettier';

export const svelteCheck = 'svelte-check';

/** The types of the components of Vue. On other days the native compiler checks all other types, in a sixth of the time. */
export const vueTypes = 'vue-tsc';

/** @type {readonly Day[]} */
export const days = [
  {
    checks: [typedLint],
    tests: [
      'test/gateway-over-socket.test.ts',
      'packages/openai/test/other-servers.test.ts',
      'packages/gateway/test/quotas.test.ts',
      'packages/session/test/cut-secrets.test.ts',
      'test/generate-over-socket.test.ts',
    ],
    scenes: [
      'page/late-code.spec.ts',
      'chat/composition.spec.ts',
      'chat/steer.spec.ts',
      'chat/review.spec.ts',
      'chat/tasks.spec.ts',
    ],
  },
  {
    checks: [format],
    tests: [
      'packages/session/test/undo-each-turn.test.ts',
      'packages/storage/test/indexed-db-log.browser.test.ts',
      'test/confirm.browser.test.ts',
      'packages/session/test/large-conversations.test.ts',
      'packages/react/test/conformance.browser.test.tsx',
      'test/reference.test.ts',
      'test/gateway-process.test.ts',
      'apps/chat/src/offline/first-sentences.test.ts',
      'test/aimock.test.ts',
      'packages/form/test/catalogues.test.ts',
      'test/poison-texts.test.ts',
      'test/forms-by-keyboard.browser.test.ts',
    ],
    scenes: [
      'chat/back.spec.ts',
      'chat/chats.spec.ts',
      'chat/gauge.spec.ts',
      'chat/attach.spec.ts',
      'chat/arguments.spec.ts',
    ],
  },
  {
    checks: [svelteCheck],
    tests: [
      'packages/openai/test/openai-7.test.ts',
      'packages/storage/test/crash/hidden-tab.test.ts',
      'packages/session/test/many-calls.test.ts',
      'packages/storage/test/large-log.test.ts',
      'packages/stores/test/conformance.test.ts',
      'packages/storage/test/storage-faults.browser.test.ts',
      'packages/remote/test/conformance.test.ts',
      'packages/vue/test/conformance.browser.test.ts',
      'packages/testing/src/session-log-conformance.test.ts',
      'packages/session/test/interrupted-journal.test.ts',
      'packages/testing/src/binding-conformance.test.ts',
    ],
    scenes: [
      'page/board-review.spec.ts',
      'chat/permissions.spec.ts',
      'page/board.spec.ts',
      'page/switch.spec.ts',
      'page/board-motion.spec.ts',
      'chat/tabs.spec.ts',
    ],
  },
  {
    checks: [],
    tests: [
      'test/docs-types.test.ts',
      'packages/storage/test/crash/crash.test.ts',
      'packages/storage/test/lost-answers.test.ts',
      'packages/storage/test/slow-log.test.ts',
      'test/hydration-guides.test.ts',
      'packages/session/test/check-bounds.test.ts',
      'packages/storage/test/reloaded-session.test.ts',
      'packages/session/test/fold-cost.test.ts',
      'packages/testing/src/virtual-clock.test.ts',
    ],
    scenes: [
      'page/on-device.spec.ts',
      'chat/compaction.spec.ts',
      'chat/rail.spec.ts',
      'chat/attachments.spec.ts',
      'page/how.spec.ts',
      'page/provider.spec.ts',
      'chat/failure.spec.ts',
      'chat/queue.spec.ts',
      'chat/markdown.spec.ts',
      'chat/table.spec.ts',
    ],
  },
  {
    checks: [],
    tests: [
      'packages/storage/test/sqlite-processes.test.ts',
      'scripts/exhaustive/exhaustive.test.ts',
      'test/guides.test.ts',
      'packages/storage/test/stored-size.test.ts',
      'packages/storage/test/removed-session.test.ts',
      'packages/stores/test/schedules.test.ts',
      'packages/storage/test/sqlite-log.test.ts',
      'packages/crew/test/poison-texts.test.ts',
      'packages/crew/test/plan-killed.test.ts',
    ],
    scenes: ['page/small-screens.spec.ts', 'chat/offers.spec.ts', 'chat/plan.spec.ts', 'chat/memory.spec.ts'],
  },
  {
    checks: [vueTypes],
    tests: [
      'packages/session/test/properties/malformed-facts.test.ts',
      'packages/storage/test/crash/frozen-tab.test.ts',
      'test/public-types.test.ts',
      'packages/storage/test/tabs.browser.test.ts',
      'packages/session/test/session-code.test.ts',
      'packages/storage/test/hostile-rows.test.ts',
      'test/broken-wires.test.ts',
      'packages/crew/test/memory-property.test.ts',
    ],
    scenes: [
      'chat/first-minute.spec.ts',
      'page/start.spec.ts',
      'chat/grip.spec.ts',
      'page/sizes.spec.ts',
      'chat/branches.spec.ts',
      'page/gateway.spec.ts',
      'chat/looks.spec.ts',
    ],
  },
];

/** The variable of the environment that has the seed in the quick tier, and that nothing else sets. */
const SEED = 'BANISTER_QUICK_SEED';

/**
 * Has this process, and those that it starts, leave out what other days run; in the full tier nothing.
 *
 * @param {import('./steps.mjs').Tier} tier
 * @param {number} seed
 */
export function drawByDay(tier, seed) {
  delete process.env[SEED];
  if (tier === 'quick') process.env[SEED] = String(seed);
}

/**
 * Returns what the run leaves out of a kind; nothing outside of `npm test`.
 *
 * @param {keyof Day} kind
 * @param {string | undefined} [seed]
 * @returns {readonly string[]}
 */
export function leftOutToday(kind, seed = process.env[SEED]) {
  if (seed === undefined) return [];
  const today = dayOf(seed) % days.length;
  return days.flatMap((day, index) => (index === today ? [] : day[kind]));
}

/**
 * Returns a number that grows by 1 each day, also from the last day of a month to the next one, for a seed such as 20261127.
 *
 * @param {string} seed
 */
function dayOf(seed) {
  const [, year, month, day] = (/^(\d{4})(\d\d)(\d\d)$/.exec(seed) ?? []).map(Number);
  if (year === undefined || month === undefined) return Math.abs(Number(seed));
  return dayNumber(new Date(Date.UTC(year, month - 1, day)));
}

/**
 * Returns a line about what the run leaves out; none if it leaves nothing out.
 *
 * @returns {readonly string[]}
 */
export function leftOutRemarks() {
  const [checks, tests, scenes] = [leftOutToday('checks'), leftOutToday('tests'), leftOutToday('scenes')];
  if (tests.length === 0) return [];
  return [
    `Left out today: ${tests.length} files of tests, ${scenes.length} files of scenes, ${checks.join(', ')}. ` +
      `Each runs on one day of ${days.length}, and with --full: scripts/gate/days.mjs lists them.`,
  ];
}
