import { expect, it } from 'vitest';
import { commandTable, type CommandName } from './command-table.js';
import { next, type Lane } from './lane.js';

const lanes: readonly Lane[] = [
  ...([
    'opening',
    'idle',
    'turn',
    'undo',
    'move',
    'interrupted',
    'model-failed',
    'resuming',
    'ending',
  ] as const),
  ...(['elsewhere', 'reading', 'unsaved', 'fenced', 'ended'] as const),
];

const signs = {
  begin: '.',
  wait: 'w',
  pass: '→',
  'already-running': 'R',
  interrupted: 'I',
  'nothing-to-resume': 'N',
  conflict: 'C',
  storage: 'S',
  disposed: 'D',
} as const;

it('each command in each lane begins, waits, is passed on, or is refused with a known error', () => {
  const names = Object.keys(commandTable) as CommandName[];
  const rows = names.map((name) => [name, ...lanes.map((lane) => signs[next(lane, name)])].join(' '));
  // The lanes, in order: opening, idle, turn, undo, move, interrupted, model-failed, resuming, ending, elsewhere, reading, unsaved, fenced,
  // ended. The signs: . begins, w waits, → passed on, R already-running, I interrupted, N nothing-to-resume, C conflict, S storage, D disposed.
  expect(rows).toEqual([
    'send w . R R R w I R R → R S S D',
    'turn$ w . R R R w I R R → R S S D',
    'generate w . R R R w I R R → R S S D',
    'retry w . R R R w I R R → R S S D',
    'regenerate w . R R R w I R R → R S S D',
    'edit w . R R R w I R R → R S S D',
    'switchTo w . R R R w I R R → R S S D',
    'clear w . R R R w I R R → R S S D',
    'compact w . R R R w I R R → R S S D',
    'uncompact w . R R R w I R R → R S S D',
    'cancel w . . . w w w w w → w w S D',
    'respond w . . . . w w w w → → S . .',
    'attend w . . . . . . . . → → . . .',
    'previewOf w . . . . w w w w → → w . .',
    'configure w . . . . . . . . → → . S D',
    'undo w . R R R w w w R → → S S D',
    'redo w . R R R C C C C → → S S D',
    'touch w . . . . . . . . → → . S D',
    'resume w N R R R . . R R → → S S D',
    'abandon w N R R R . . w R → → S S D',
    'enqueue w . w w w w w w w → → S S D',
    'requeue w . . . . . . . . → → S S D',
    'dequeue w . . . . . . . . → → S S D',
    'resumeQueue w . . . . . . . . → → S S D',
    'steer w . w w w w w w w → → S S D',
    'accept w . . . . . . . . → → S S D',
    'reject w . . . . . . . . → → S S D',
    'setMode w . . . . . . . . → → S S D',
    'revoke w . . . . . . . . → → S S D',
  ]);
});
