// What is measured, and where the bar is. One cell is one workload at one size, run in a process of its own.

/**
 * @typedef {object} Bar what a figure must not exceed; several may be set
 * @property {number} [ratio] times the floor
 * @property {number} [most] in the figure's own unit
 * @property {{ from: number | string, most: number }} [growth] times Handrail's own figure at another size
 *
 * @typedef {object} Figure
 * @property {string} key name of the number among those that the workload returns
 * @property {string} unit
 * @property {Bar} bar
 *
 * @typedef {object} Cell
 * @property {string} workload its name in README.md: W1, W1b, …
 * @property {'session' | 'http' | 'views'} [group] what a run chooses by name; `session` unless told
 * @property {string} file of the workload
 * @property {{ floor: string, handrail: string }} [sides] files of the two sides; `floor` and `handrail` unless told
 * @property {number | string} size
 * @property {'frames' | 'immediate'} scheduler the product's, or one that publishes every delta
 * @property {'task' | 'none'} [pace] one macrotask before each delta, as from a socket; or a provider that never waits
 * @property {readonly (number | string)[]} warm sizes to run before: a little, so that the first figures are still those of
 *   code that is half compiled, as it is when a page has just been opened
 * @property {number} repetitions in each process
 * @property {boolean} [usage] whether a report of usage follows each delta
 * @property {boolean} [liveTurn] whether the reader looks at the live turn too
 * @property {boolean} [quick] part of the quick run
 * @property {readonly Figure[]} figures
 */

const perDelta = (bar) => [{ key: 'cpuPerDelta', unit: 'µs CPU per delta', bar }];
const flat = (from) => ({ from, most: 1.2 });
const text = { file: 'stream-text', warm: [2_000, 2_000], repetitions: 5 };
const pieces = { file: 'read-pieces', warm: [2_000, 2_000], repetitions: 5 };
const frames = { scheduler: 'frames', pace: 'task' };
const immediate = { scheduler: 'immediate', pace: 'none' };

const perPiece = (bar) => [{ key: 'cpuPerDelta', unit: 'µs CPU per piece', bar }];
const perFragment = (bar) => [{ key: 'cpuPerFragment', unit: 'µs CPU per fragment', bar }];
const perRound = (bar) => [{ key: 'cpuPerRound', unit: 'µs CPU per round', bar }];
const withHistory = (bar) => [
  { key: 'cpuPerDelta', unit: 'µs CPU per delta', bar: { ratio: 2, ...bar } },
  { key: 'untilText', unit: 'ms from send to text', bar: { ratio: 1.5 } },
];
const cancelled = [
  { key: 'untilIdle', unit: 'ms from cancel to idle', bar: { most: 1 } },
  { key: 'untilSettled', unit: 'ms from cancel to settled', bar: { most: 5 } },
  { key: 'lateDeltas', unit: 'late deltas', bar: { most: 0 } },
];

/** @type {readonly Cell[]} */
export const cells = [
  { workload: 'W1', ...text, ...frames, size: 10_000, figures: perDelta({ ratio: 2 }), quick: true },
  {
    workload: 'W1',
    ...text,
    ...frames,
    size: 100_000,
    figures: perDelta({ ratio: 2, growth: flat(10_000) }),
  },
  {
    workload: 'W1',
    ...text,
    ...immediate,
    size: 1_000,
    figures: perDelta({ most: 10 }),
    quick: true,
  },
  { workload: 'W1', ...text, ...immediate, size: 10_000, figures: perDelta({ ratio: 3 }), quick: true },
  {
    workload: 'W1',
    ...text,
    ...immediate,
    size: 100_000,
    figures: perDelta({ ratio: 3, growth: flat(10_000) }),
  },
  {
    workload: 'W1',
    ...text,
    ...immediate,
    size: 100_000,
    liveTurn: true,
    figures: [{ key: 'cpuPerDelta', unit: 'µs CPU per delta, live turn', bar: {} }],
  },
  {
    workload: 'W1',
    ...text,
    ...frames,
    size: 10_000,
    usage: true,
    figures: [
      { key: 'cpuPerDelta', unit: 'µs CPU per delta, with usage', bar: { ratio: 2 } },
      { key: 'publicationsPerFrame', unit: 'publications in 16 ms, with usage', bar: { most: 2 } },
    ],
    quick: true,
  },
  { workload: 'W1b', ...pieces, ...frames, size: 100_000, figures: perPiece({ ratio: 2 }) },
  { workload: 'W1b', ...pieces, ...immediate, size: 10_000, figures: perPiece({ ratio: 2 }), quick: true },
  {
    workload: 'W1b',
    ...pieces,
    ...immediate,
    size: 100_000,
    figures: perPiece({ ratio: 2, growth: flat(10_000) }),
  },
  {
    workload: 'W1b',
    file: 'read-whole-text',
    ...frames,
    size: 100_000,
    warm: [2_000],
    repetitions: 3,
    figures: [{ key: 'perPublication', unit: 'ms per publication', bar: { most: 0.5 } }],
  },
  ...[
    { size: 1_000, figures: perFragment({ ratio: 3 }), quick: true },
    { size: 10_000, figures: perFragment({ ratio: 3, growth: flat(1_000) }) },
  ].map((cell) => ({
    workload: 'W2',
    file: 'assemble-arguments',
    ...immediate,
    warm: [100, 300],
    repetitions: 5,
    ...cell,
  })),
  ...[
    { size: 100, figures: perRound({}), quick: true },
    { size: 500, figures: perRound({ ratio: 4, growth: flat(100) }) },
  ].map((cell) => ({
    workload: 'W3',
    file: 'loop-rounds',
    ...immediate,
    warm: [10, 30],
    repetitions: 5,
    ...cell,
  })),
  ...[
    { size: 1_000, figures: withHistory({}), quick: true },
    { size: 10_000, figures: withHistory({ growth: flat(1_000) }) },
  ].map((cell) => ({
    workload: 'W5',
    file: 'continue-history',
    ...immediate,
    warm: [100, 100],
    repetitions: 5,
    ...cell,
  })),
  ...['streaming', 'streaming, deaf', 'stalled', 'stalled, deaf'].map((size) => ({
    workload: 'W6',
    file: 'cancel-turn',
    ...frames,
    size,
    warm: [size],
    repetitions: 3,
    figures: cancelled,
  })),
  ...['chat', 'responses', 'messages'].map((api) => ({
    workload: `HTTP ${api}`,
    group: 'http',
    file: 'stream-over-http',
    sides: { floor: 'sdk-iterator', handrail: 'handrail-over-http' },
    api,
    size: 10_000,
    scheduler: 'frames',
    warm: [200, 1_000],
    repetitions: 5,
    quick: true,
    figures: perDelta({ ratio: 1.3 }),
  })),
  ...['react', 'vue', 'svelte'].map((framework) => ({
    workload: 'W7',
    group: 'views',
    file: 'draw-stream',
    sides: { floor: 'view-on-state', handrail: 'view-on-session' },
    framework,
    size: framework,
    deltas: 5_000,
    scheduler: 'frames',
    warm: [framework],
    repetitions: 5,
    quick: true,
    figures: [
      ...perDelta({ ratio: 1.2 }),
      { key: 'listDrawn', unit: 'times the list was drawn', bar: { most: 1 } },
      { key: 'messagesDrawn', unit: 'settled messages drawn', bar: { most: 2 } },
      { key: 'liveBesideFrames', unit: 'draws of the answer beside one a frame', bar: { most: 2 } },
    ],
  })),
];
