import { traitsOf, type CommandName } from './command-table.js';

/**
 * What a session does now. The lane decides whether the next command begins.
 * - `opening`: its code or its log is being loaded
 * - `idle`
 * - `turn`: a turn runs
 * - `undo`: an undo or a redo runs
 * - `move`: a command that moves the head, or a message with files, waits for its code, its files or the end of interrupted work
 * - `interrupted`: there is interrupted work
 * - `model-failed`: as `interrupted`, but a command that starts a turn is refused, instead of taking the work back first
 * - `resuming`, `ending`: a command that goes on with interrupted work, or takes it back, waits for its code
 * - `elsewhere`: another session carries out the commands, or they are refused
 * - `reading`: as `elsewhere`, while a command waits in this session as in `move`
 * - `unsaved`: the log takes no writes, and the option `whenUnsaved` is `stop`: the turn was put down
 * - `fenced`: another writer owns the log, and this session cannot reach it
 * - `ended`: `dispose` was called
 */
export type Lane =
  | 'opening'
  | 'idle'
  | 'turn'
  | 'undo'
  | 'move'
  | 'interrupted'
  | 'model-failed'
  | 'resuming'
  | 'ending'
  | 'elsewhere'
  | 'reading'
  | 'unsaved'
  | 'fenced'
  | 'ended';

/** The code of the error with which a command is refused. */
type Refusal = 'already-running' | 'interrupted' | 'nothing-to-resume' | 'conflict' | 'storage' | 'disposed';

/** `begin`: the command begins at once. `wait`: it waits, or ends other work first. `pass`: it is passed on to another session. */
export type Way = 'begin' | 'wait' | 'pass';

type Row = Partial<Record<Lane, Way | Refusal>> & {
  /** The entry for every other lane. */
  readonly else: Way | Refusal;
};

/** The entries of every command, unless its row has another one for the lane. */
const all: Partial<Record<Lane, Way | Refusal>> = {
  opening: 'wait',
  elsewhere: 'pass',
  reading: 'pass',
  unsaved: 'storage',
  fenced: 'storage',
  ended: 'disposed',
};

const busy = 'already-running';
const beside: Row = { else: 'begin' };
const always: Row = { else: 'begin', unsaved: 'begin', fenced: 'begin', ended: 'begin' };
const settings: Row = { else: 'begin', unsaved: 'begin' };
const alone: Row = {
  else: busy,
  idle: 'begin',
  interrupted: 'wait',
  'model-failed': 'interrupted',
  reading: busy,
};
const queues: Row = { else: 'wait', idle: 'begin' };
const afterWork = { interrupted: 'wait', 'model-failed': 'wait', resuming: 'wait', ending: 'wait' } as const;
const answers: Row = { ...always, ...afterWork, unsaved: 'storage' };
const goesOn: Row = { else: busy, idle: 'nothing-to-resume', interrupted: 'begin', 'model-failed': 'begin' };

/**
 * The commands with a row of their own. Without a row, a command that starts a turn or moves the head runs alone, and every other command
 * runs beside the current work.
 */
const rows: Partial<Record<CommandName, Row>> = {
  turn$: alone,
  cancel: { else: 'begin', ...afterWork, move: 'wait', reading: 'wait', unsaved: 'wait' },
  respond: answers,
  previewOf: { ...answers, unsaved: 'wait' },
  attend: always,
  configure: settings,
  touch: settings,
  undo: { else: busy, idle: 'begin', interrupted: 'wait', 'model-failed': 'wait', resuming: 'wait' },
  redo: {
    else: busy,
    idle: 'begin',
    interrupted: 'conflict',
    'model-failed': 'conflict',
    resuming: 'conflict',
    ending: 'conflict',
  },
  resume: goesOn,
  abandon: { ...goesOn, resuming: 'wait' },
  enqueue: queues,
  steer: queues,
};

/** Returns what happens to a command that is called in this lane. */
export function next(lane: Lane, name: CommandName): Way | Refusal {
  const { starts, inChunk } = traitsOf(name);
  const row = rows[name] ?? (starts || inChunk ? alone : beside);
  return row[lane] ?? all[lane] ?? row.else;
}
