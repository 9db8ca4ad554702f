import { traitsOf, type CommandName } from './command-table.js';

/**
 * What a session does now, as far as it decides about the next command.
 *
 * - `opening`: its code or its log is on its way
 * - `idle`
 * - `turn`, `undo`: a turn runs; an undo or a redo does
 * - `move`: a command that moves the head, or a message with files, waits for its code, its files or the end of interrupted work
 * - `interrupted`: there is interrupted work
 * - `resuming`, `ending`: a command that goes on with interrupted work, or takes it back, waits for its code
 * - `elsewhere`: another session carries the commands out, or refuses them
 * - `reading`: as `elsewhere`, while a command waits here as in `move`
 * - `fenced`: another writer owns the log, and there is no way to it
 * - `ended`: `dispose` was called
 */
export type Lane =
  | 'opening'
  | 'idle'
  | 'turn'
  | 'undo'
  | 'move'
  | 'interrupted'
  | 'resuming'
  | 'ending'
  | 'elsewhere'
  | 'reading'
  | 'fenced'
  | 'ended';

/** The code of the error with which a command is refused. */
export type Refusal = 'already-running' | 'nothing-to-resume' | 'conflict' | 'storage' | 'disposed';

/** A command begins at once; it waits, or ends other work first; or it is passed on to another session. */
export type Way = 'begin' | 'wait' | 'pass';

type Row = Partial<Record<Lane, Way | Refusal>> & {
  /** In every other lane of a session that carries its commands out. */
  readonly else: Way | Refusal;
};

/** The same for every command, unless its row says otherwise. */
const all: Partial<Record<Lane, Way | Refusal>> = {
  opening: 'wait',
  elsewhere: 'pass',
  reading: 'pass',
  fenced: 'storage',
  ended: 'disposed',
};

const busy = 'already-running';
const beside: Row = { else: 'begin' };
const always: Row = { else: 'begin', fenced: 'begin', ended: 'begin' };

const rows: Record<NonNullable<ReturnType<typeof traitsOf>['begins']>, Row> = {
  alone: { else: busy, idle: 'begin', interrupted: 'wait', reading: busy },
  undoes: { else: busy, idle: 'begin', interrupted: 'wait', resuming: 'wait' },
  redoes: {
    else: busy,
    idle: 'begin',
    interrupted: 'conflict',
    resuming: 'conflict',
    ending: 'conflict',
  },
  'goes on': { else: busy, idle: 'nothing-to-resume', interrupted: 'begin' },
  'takes back': { else: busy, idle: 'nothing-to-resume', interrupted: 'begin', resuming: 'wait' },
  cancels: {
    else: 'begin',
    move: 'wait',
    interrupted: 'wait',
    resuming: 'wait',
    ending: 'wait',
    reading: 'wait',
  },
  queues: { else: 'wait', idle: 'begin' },
  answers: { ...always, interrupted: 'wait', resuming: 'wait', ending: 'wait' },
  always,
};

/** Returns what happens to a command that is given in this lane. */
export function next(lane: Lane, name: CommandName): Way | Refusal {
  const { begins } = traitsOf(name);
  const row = begins === undefined ? beside : rows[begins];
  return row[lane] ?? all[lane] ?? row.else;
}
