// @ts-check
/** The scenes that each view runs every day: questions and the stream, because they cover most of a view's markup and updates. */
const daily = new Set(['confirm.spec.ts', 'stream.spec.ts']);

/**
 * Returns the files of scenes that a view leaves out on a day. React runs all scenes. Vue and Svelte share the scenes that are not daily,
 * and swap their halves the next day, so that every view runs every scene in two days.
 *
 * @param {string} view `react`, `vue` or `svelte`
 * @param {readonly string[]} files the names of all files of scenes
 * @param {number} day a number that grows by 1 each day
 */
export function leftOut(view, files, day) {
  if (view === 'react') return [];
  const shared = files.filter((file) => !daily.has(file)).sort();
  const turn = view === 'vue' ? 0 : 1;
  return shared.filter((_, index) => (index + day) % 2 !== turn);
}

/**
 * Returns the number of a day.
 *
 * @param {Date} now
 */
export function dayNumber(now) {
  return Math.floor(now.getTime() / 86_400_000);
}
