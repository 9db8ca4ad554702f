// The cells that a run measures, each with its bars. A cell is one workload at one size, run in a process of its own.

/**
 * @typedef {object} Bar the bounds that a figure must not exceed; several may be set
 * @property {number} [ratio] times the floor
 * @property {number} [most] in the figure's own unit
 * @property {number} [more] than the floor, in the figure's own unit
 * @property {{ from: number | string, most: number }} [growth] times Banister's figure at another size
 *
 * @typedef {object} Figure
 * @property {string} key name of the number among those that the workload returns
 * @property {string} unit
 * @property {Bar} bar
 *
 * @typedef {object} Cell
 * @property {string} workload its name in README.md: W1, W1b, …
 * @property {'session' | 'load' | 'http' | 'views' | 'storage' | 'stores'} [group] the name by which a run chooses it; default `session`
 * @property {string} file of the workload
 * @property {{ floor: string, banister: string }} [sides] files of the two sides; default `floor` and `banister`
 * @property {number | string} size
 * @property {'frames' | 'immediate'} scheduler `frames` is the default of sessions, `immediate` publishes every delta
 * @property {'task' | 'none'} [pace] one macrotask before each delta, as from a socket; or a provider that never waits
 * @property {readonly (number | string)[]} warm sizes that run before the measurement: few, so that the first figures
 *   are those of code that is half compiled, as in a page that has just been opened
 * @property {number} repetitions in each process
 * @property {boolean} [liveTurn] whether the reader looks at the live turn too
 * @property {boolean} [usage] whether the model reports its usage after each delta
 * @property {string} [kind] the kind of the store
 * @property {number} [entities] the number of its entities
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

const changes = (kind, entities, growth) => ({
  workload: 'W19',
  group: 'stores',
  file: 'change-store',
  sides: { floor: 'plain-tool', banister: 'wrapped-tool' },
  kind,
  entities,
  size: `${kind}, ${entities.toLocaleString('en')}`,
  ...immediate,
  warm: ['warm'],
  repetitions: 3,
  quick: entities === 1_000,
  figures: [
    { key: 'cpuPerCall', unit: 'µs CPU per call', bar: growth },
    {
      key: 'added',
      unit: 'µs CPU added',
      bar: entities > 1_000 && inPlace.includes(kind) ? {} : { most: 300 },
    },
  ],
});
/** Stores whose tools copy the list: the rest of a call costs the same at each size. Immer reads each element. */
const copying = ['zustand', 'redux', 'signals', 'svelte'];
/** Stores that change their objects in place: every object is read twice. */
const inPlace = ['pinia', 'runes'];

/** @type {readonly Cell[]} */
export const cells = [
  ...copying.flatMap((kind) => [
    changes(kind, 1_000, {}),
    changes(kind, 10_000, { growth: { from: `${kind}, 1,000`, most: 1.5 } }),
  ]),
  ...['immer', ...inPlace].flatMap((kind) => [changes(kind, 1_000, {}), changes(kind, 10_000, {})]),
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
    workload: 'W1c',
    ...text,
    ...frames,
    size: 10_000,
    usage: true,
    figures: [
      ...perDelta({ ratio: 2 }),
      { key: 'publicationsPerFrame', unit: 'publications in 16 ms', bar: { most: 2 } },
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
    { size: 8, figures: perRound({ most: 1_000 }), quick: true },
    { size: 100, figures: perRound({}), quick: true },
    { size: 500, figures: perRound({ ratio: 8, growth: flat(100) }) },
  ].map((cell) => ({
    workload: 'W3',
    file: 'loop-rounds',
    ...immediate,
    warm: [10, 30],
    repetitions: 5,
    ...cell,
  })),
  ...[
    { size: 'one at a time', bar: {} },
    { size: 'readOnly', bar: {} },
    { size: 'parallel', bar: { ratio: 6 } },
  ].map(({ size, bar }) => ({
    workload: 'W4',
    file: 'run-tools',
    ...immediate,
    size,
    warm: [size],
    repetitions: 5,
    quick: true,
    figures: [{ key: 'turn', unit: 'ms', bar }],
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
  {
    workload: 'W5',
    file: 'continue-history',
    ...frames,
    size: 10_000,
    warm: [100, 100],
    repetitions: 5,
    figures: [{ key: 'untilText', unit: 'ms from send to text', bar: { most: 1.5 } }],
  },
  {
    workload: 'W18',
    file: 'pass-middleware',
    ...immediate,
    size: 10,
    warm: [10, 10],
    repetitions: 5,
    figures: [
      { key: 'cpuPerRound', unit: 'µs CPU per round', bar: { most: 50 } },
      { key: 'changingMessage', unit: 'µs CPU per round, each changes a message', bar: {} },
      {
        key: 'changingMessageOwn',
        unit: 'µs CPU per round, each changes a message, without their own work',
        bar: { most: 50 },
      },
      { key: 'absent', unit: 'µs CPU of a round without any', bar: {} },
    ],
  },
  {
    workload: 'W21',
    file: 'add-turn',
    ...immediate,
    size: 5_000,
    warm: [100],
    repetitions: 3,
    figures: [
      { key: 'perEarlierTurn', unit: 'µs CPU per earlier turn', bar: { more: 0.2 } },
      { key: 'turn', unit: 'µs CPU of the turn', bar: {} },
    ],
  },
  ...['streaming', 'streaming, deaf', 'stalled', 'stalled, deaf'].map((size) => ({
    workload: 'W6',
    file: 'cancel-turn',
    ...frames,
    size,
    warm: [size],
    repetitions: 3,
    figures: cancelled,
  })),
  {
    workload: 'W8',
    group: 'load',
    file: 'start-process',
    sides: { floor: 'signals-module', banister: 'session-module' },
    size: 'Node',
    scheduler: 'none',
    warm: ['Node'],
    repetitions: 5,
    quick: true,
    figures: [{ key: 'loading', unit: 'ms CPU until a turn can run', bar: { most: 45 } }],
  },
  ...[
    { size: 'first session', repetitions: 1, bar: {} },
    { size: 'further session', repetitions: 3, bar: { most: 0.5 } },
  ].map(({ bar, ...cell }) => ({
    workload: 'W9',
    group: 'load',
    file: 'call-first-tool',
    scheduler: 'frames',
    warm: [],
    quick: true,
    ...cell,
    figures: [{ key: 'turn', unit: 'ms CPU of a turn with its first tool call', bar }],
  })),
  ...[
    { size: 200, bar: { most: 5 }, quick: true },
    { size: 800, bar: { most: 5, growth: flat(200) } },
  ].map(({ bar, ...cell }) => ({
    workload: 'W10',
    group: 'load',
    file: 'serve-many',
    scheduler: 'frames',
    warm: [2, 2],
    repetitions: 2,
    ...cell,
    figures: perDelta(bar),
  })),
  ...[
    { size: 10_000, bar: {}, quick: true },
    { size: 100_000, bar: { most: 400 } },
  ].map(({ bar, ...cell }) => ({
    workload: 'W11',
    group: 'load',
    file: 'open-conversation',
    sides: { floor: 'parsed-json', banister: 'banister' },
    scheduler: 'none',
    warm: [],
    repetitions: 1,
    ...cell,
    figures: [{ key: 'opening', unit: 'ms CPU to open', bar }],
  })),
  ...[
    { size: 50, bar: { ratio: 1.5 }, quick: true },
    { size: 1_000, bar: { ratio: 1.5, growth: flat(50) } },
    { size: 5_000, bar: { ratio: 1.5, growth: flat(50) } },
  ].map(({ bar, ...cell }) => ({
    workload: 'W12',
    group: 'load',
    file: 'fold-log',
    sides: { floor: 'live-store', banister: 'folded-log' },
    scheduler: 'none',
    warm: [50],
    repetitions: 7,
    ...cell,
    figures: [{ key: 'cpuPerOperation', unit: 'µs CPU per operation', bar }],
  })),
  ...[{ size: 10_000, quick: true }, { size: 40_000 }].map((cell) => ({
    workload: 'W20',
    group: 'load',
    file: 'follow-log',
    sides: { floor: 'state-copies', banister: 'log-followers' },
    scheduler: 'frames',
    warm: [10_000],
    repetitions: 1,
    ...cell,
    figures: [{ key: 'kept', unit: 'MB that 50 followers keep', bar: { ratio: 1.2 } }],
  })),
  ...[
    { size: 1, bar: { ratio: 1.3 }, longest: {}, quick: true },
    { size: 20, bar: { ratio: 1 }, longest: {} },
    { size: 100, bar: { ratio: 1, most: 6, growth: flat(20) }, longest: { most: 50 } },
  ].map(({ bar, longest, ...cell }) => ({
    workload: 'W22',
    group: 'load',
    file: 'stream-agents',
    sides: { floor: 'turn-alone', banister: 'turns-of-agents' },
    ...frames,
    // As many turns on both sides: a side that is warmer looks cheaper.
    warm: Array.from({ length: 20 }, () => 1),
    repetitions: 5,
    ...cell,
    figures: [
      ...perDelta(bar),
      { key: 'longest', unit: 'ms between two deltas, at most', bar: longest },
      { key: 'logged', unit: 'characters in the log, for each answer', bar: {} },
    ],
  })),
  ...[
    { size: 'abort', most: 50 },
    { size: 'cancel', most: 100 },
  ].map(({ size, most }) => ({
    workload: 'W23',
    group: 'load',
    file: 'cancel-agents',
    // No floor: both sides are the same.
    sides: { floor: 'turns-of-agents', banister: 'turns-of-agents' },
    scheduler: 'frames',
    size,
    warm: [],
    repetitions: 1,
    figures: [
      { key: 'longest', unit: 'ms from cancel to idle, longest of 20', bar: { most } },
      { key: 'late', unit: 'late leaves', bar: { most: 0 } },
    ],
  })),
  {
    workload: 'W24',
    group: 'load',
    file: 'open-agents',
    sides: { floor: 'parsed-json', banister: 'banister' },
    scheduler: 'none',
    size: 100,
    warm: [],
    repetitions: 1,
    figures: [
      { key: 'opening', unit: 'ms CPU to open', bar: { most: 400 } },
      { key: 'megabytes', unit: 'MB that are saved', bar: { most: 16 } },
    ],
  },
  {
    workload: 'W26',
    group: 'load',
    file: 'use-memory',
    sides: { floor: 'list-of-facts', banister: 'memory-of-facts' },
    scheduler: 'none',
    size: 2_000,
    warm: [],
    repetitions: 1,
    figures: [
      { key: 'opening', unit: 'ms CPU to open', bar: { most: 50 } },
      { key: 'line', unit: 'ms CPU of the context line', bar: { most: 1 } },
      { key: 'search', unit: 'ms CPU of a search', bar: { most: 10 } },
    ],
  },
  ...['chat', 'responses', 'messages'].map((api) => ({
    workload: `HTTP ${api}`,
    group: 'http',
    file: 'stream-over-http',
    sides: { floor: 'sdk-iterator', banister: 'banister-over-http' },
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
    sides: { floor: 'view-on-state', banister: 'view-on-session' },
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
  ...['react', 'vue', 'svelte'].map((framework) => ({
    workload: 'W25',
    group: 'views',
    file: 'draw-agents',
    sides: { floor: 'view-on-session', banister: 'view-on-agents' },
    framework,
    size: framework,
    deltas: 5_000,
    agents: 8,
    scheduler: 'frames',
    warm: [framework],
    repetitions: 5,
    figures: perDelta({ ratio: 1.3 }),
  })),
  ...['react', 'vue', 'svelte'].map((framework) => ({
    workload: 'W13',
    group: 'views',
    file: 'switch-branch',
    sides: { floor: 'switch-on-state', banister: 'switch-on-session' },
    framework,
    size: framework,
    switches: 20,
    scheduler: 'frames',
    warm: [],
    repetitions: 1,
    quick: true,
    figures: [
      { key: 'firstFrame', unit: 'ms from the first switchTo to its first frame', bar: {} },
      { key: 'untilFrame', unit: 'ms from switchTo to the first frame', bar: { most: 50 } },
      { key: 'listDrawn', unit: 'times the list was drawn for one switch', bar: { most: 1 } },
    ],
  })),
  ...storageCells(),
];

/** The cells of a session in a browser, compared with a session without a log. */
function storageCells() {
  const cell = (workload, file, size, figures, floor = 'page-without-log') => ({
    workload,
    group: 'storage',
    file,
    sides: { floor, banister: 'page-with-log' },
    size,
    scheduler: 'frames',
    warm: [],
    repetitions: 1,
    quick: true,
    figures,
  });
  return [
    cell(
      'W14',
      'stream-to-log',
      5_000,
      [
        { key: 'tasks', unit: 'ms CPU of the page in 5 s', bar: {} },
        { key: 'perFlush', unit: 'ms CPU per flush', bar: { most: 1 } },
        { key: 'addedTask', unit: 'ms CPU that the longest task is longer', bar: { most: 16 } },
      ],
      'page-with-rows',
    ),
    cell('W15', 'open-stored-chat', 2_000, [{ key: 'opening', unit: 'ms to open', bar: { most: 150 } }]),
    cell('W15', 'open-stored-chat', 10_000, [{ key: 'opening', unit: 'ms to open', bar: { most: 500 } }]),
    cell('W16', 'grow-stored-chat', 400, [
      { key: 'afterSnapshot', unit: 'times the messages, after a snapshot', bar: { most: 1.3 } },
      { key: 'most', unit: 'times the messages, at most', bar: { most: 2.5 } },
    ]),
    cell('W17', 'idle-with-log', 10, [{ key: 'writes', unit: 'writes in 10 s', bar: { most: 0 } }]),
  ];
}
