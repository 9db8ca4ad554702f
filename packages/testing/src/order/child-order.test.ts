import { describe, expect, test } from 'vitest';
import type { Operation } from '@banister/session';
import { checkOrder } from './order-checker.js';

type Fact = { readonly type: string; readonly [field: string]: unknown };

const report = { done: [], failed: [], irreversible: [], lost: [], unknown: [] };
const input = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
const error = { code: 'interrupted', message: 'Gone.', retry: 'now', details: {} };

const opening = (more: object = {}): readonly Fact[] => [
  { type: 'turnStarted', input, limits: {}, ...more },
  { type: 'messagesAppended', messages: [input] },
];
const calling = (callId: string): readonly Fact[] => [
  { type: 'roundStarted', round: 1 },
  { type: 'modelCallStarted', attempt: 1 },
  { type: 'toolCallPartial', callId, tool: 'a.b', index: 0, delta: '{}' },
  { type: 'modelCallFinished', attempt: 1, error: null },
  { type: 'toolsRequested', calls: [{ callId, tool: 'a.b', argumentsText: '{}', arguments: {} }] },
  { type: 'toolStarted', callId, tool: 'a.b', arguments: {}, edited: false },
];
const called = (callId: string): readonly Fact[] => [
  { type: 'toolCompleted', callId, outcome: 'success', result: {} },
  { type: 'messagesAppended', messages: [{ parts: [{ type: 'tool-result', callId }] }] },
  { type: 'roundCompleted', round: 1, toolCalls: 1 },
];
const text: Fact = { type: 'text', delta: 'Hello' };
const answering = (round: number): readonly Fact[] => [
  { type: 'roundStarted', round },
  { type: 'modelCallStarted', attempt: 1 },
  text,
  { type: 'modelCallFinished', attempt: 1, error: null },
];
const completing = (round: number): readonly Fact[] => [
  { type: 'commitStarted', ending: { kind: 'completed' } },
  { type: 'messagesAppended', messages: [] },
  { type: 'committed', effects: [] },
  { type: 'roundCompleted', round, toolCalls: 0 },
  { type: 'completed', rounds: round },
];
const undone: readonly Fact[] = [{ type: 'rollbackStarted' }, { type: 'rolledBack', report }];
const cancel: Fact = { type: 'cancelRequested', level: 'cancel', sideEffects: 'rollback' };
const cancelled = (rounds: number, of: object | null = null): Fact => ({
  type: 'cancelled',
  rounds,
  report: of,
});
const leaf = (path: string, inner: Fact): Fact => ({ type: 'subagent', path: path.split('/'), inner });
const leaves = (path: string, ...facts: readonly Fact[]): readonly Fact[] =>
  facts.map((inner) => leaf(path, inner));

const run = (key = '1', callId = 'c'): readonly Fact[] => opening({ agent: 'notes', callId, key });
/** A whole child turn. */
const child = (path: string, key = '1'): readonly Fact[] =>
  leaves(path, ...run(key), ...answering(1), ...completing(1));
const output: Fact = { type: 'outputArrived', delta: '{}' };
/** A round that asks for the structured output. */
const outputting = (round: number): readonly Fact[] => [
  { type: 'roundStarted', round },
  { type: 'modelCallStarted', attempt: 1 },
  output,
  output,
  { type: 'modelCallFinished', attempt: 1, error: null },
];
const unfit: Fact = { type: 'text', delta: '{}{}' };
const stopping = (round: number): readonly Fact[] => [
  { type: 'commitStarted', ending: { kind: 'stopped' } },
  { type: 'messagesAppended', messages: [] },
  { type: 'committed', effects: [] },
  { type: 'roundCompleted', round, toolCalls: 0 },
  { type: 'stopped', rounds: round },
];
/** The start of a child turn with a structured output. */
const asked = (more: object = {}): readonly Fact[] =>
  opening({ agent: 'notes', callId: 'c', key: '1', structured: { schema: {}, ...more } });
const worked = [
  ...asked({ afterWork: true }),
  ...answering(1),
  { type: 'messagesAppended', messages: [] },
  { type: 'roundCompleted', round: 1, toolCalls: 0 },
];
const accepted: Fact = { type: 'outputAccepted', text: '{}' };
const begun = [...opening(), ...calling('c')];
const ended = [...called('c'), ...answering(2), ...completing(2)];

function problemsOf(...facts: readonly Fact[]): readonly string[] {
  return checkOrder(
    facts.map((fact, index) => {
      const owner = fact.type === 'ownerChanged' ? {} : { turnId: 't' };
      return { ...fact, sequence: index + 1, at: 0, ...owner } as unknown as Operation;
    }),
  );
}

describe('agents: the order of the facts of child turns', () => {
  const open = [...begun, ...leaves('x', ...run(), ...answering(1))];
  const runsAgain: readonly Fact[] = [
    { type: 'ownerChanged' },
    { type: 'turnResumed', by: 'resume' },
    { type: 'toolInterrupted', callId: 'c', decision: 'rerun' },
  ];
  const refused: Fact = { type: 'toolsRejected', calls: [{ callId: 'c', reason: 'denied', result: {} }] };
  const takingBack = leaves('x', { type: 'turnResumed', by: 'abandon' }, ...undone, {
    type: 'failed',
    rounds: 1,
    error,
    report,
  });
  const [first, second] = [child('x', '1'), child('y', '2')];

  test.each<readonly [string, readonly Fact[]]>([
    ['a child turn inside its call', [...begun, ...first, ...ended]],
    [
      'two child turns side by side',
      [...begun, ...first.flatMap((fact, index) => [fact, second[index]!]), ...ended],
    ],
    [
      'a child turn of a child turn',
      [
        ...begun,
        ...leaves('x', ...run(), ...calling('d')),
        ...leaves('x/z', ...run('1', 'd'), ...answering(1), ...completing(1)),
        ...leaves('x', ...called('d'), ...answering(2), ...completing(2)),
        ...ended,
      ],
    ],
    [
      'a child turn that is cancelled alone',
      [
        ...begun,
        ...leaves('x', ...run(), ...answering(1), cancel, ...undone, cancelled(1, report)),
        ...ended,
      ],
    ],
    [
      'child turns that end with the turn above them, the deepest first',
      [
        ...begun,
        ...leaves('x', ...run(), ...calling('d')),
        ...leaves('y', ...run('2'), ...answering(1)),
        ...leaves('x/z', ...run('1', 'd'), ...answering(1)),
        cancel,
        leaf('x/z', cancelled(1)),
        leaf('x', cancelled(1)),
        leaf('y', cancelled(1)),
        ...undone,
        cancelled(1, report),
      ],
    ],
    [
      'a child turn that goes on in another session, after its call has started again',
      [
        ...begun,
        ...leaves('x', ...run(), ...answering(1)),
        { type: 'ownerChanged' },
        { type: 'turnResumed', by: 'resume' },
        { type: 'toolInterrupted', callId: 'c', decision: 'rerun' },
        { type: 'toolStarted', callId: 'c', tool: 'a.b', arguments: {}, edited: false },
        leaf('x', { type: 'turnResumed', by: 'resume' }),
        ...leaves('x', ...completing(1)),
        ...ended,
      ],
    ],
    [
      'a child turn of an earlier session that ends with the turn above it',
      [
        ...begun,
        ...leaves('x', ...run(), ...answering(1)),
        { type: 'ownerChanged' },
        { type: 'turnResumed', by: 'abandon' },
        leaf('x', { type: 'failed', rounds: 1, error, report: null }),
        ...undone,
        { type: 'failed', rounds: 1, error, report },
      ],
    ],
    [
      'a child turn that ends with the turn above it before its call runs again',
      [
        ...open,
        ...runsAgain,
        { type: 'ownerChanged' },
        { type: 'turnResumed', by: 'abandon' },
        leaf('x', { type: 'failed', rounds: 1, error, report: null }),
        ...undone,
        { type: 'failed', rounds: 1, error, report },
      ],
    ],
    [
      'a child turn that kept its effects, and whose end comes with the turn above it',
      [
        ...open,
        { ...cancel, sideEffects: 'keep' },
        ...leaves(
          'x',
          { type: 'commitStarted', ending: { kind: 'cancelled' } },
          { type: 'committed', effects: [] },
        ),
        { type: 'ownerChanged' },
        { type: 'turnResumed', by: 'abandon' },
        leaf('x', cancelled(1)),
        { type: 'commitStarted', ending: { kind: 'cancelled' } },
        { type: 'committed', effects: [] },
        cancelled(1),
      ],
    ],
    [
      'a child turn that takes its effects back after its call was refused',
      [
        ...open,
        ...runsAgain,
        refused,
        ...takingBack,
        ...called('c').slice(1),
        ...answering(2),
        ...completing(2),
      ],
    ],
    [
      'a child turn that takes its effects back after its call was refused, and may have acted',
      [
        ...open,
        ...runsAgain,
        { type: 'toolInterrupted', callId: 'c', decision: 'unknown', result: {} },
        ...takingBack,
        ...called('c').slice(1),
        ...answering(2),
        ...completing(2),
      ],
    ],
    [
      'an effect of a child turn that the turn of the user takes back',
      [
        ...begun,
        ...leaves('x', ...run(), ...calling('d')),
        leaf('x', { type: 'effectRecorded', callId: 'd', step: 1 }),
        cancel,
        leaf('x', cancelled(1)),
        { type: 'rollbackStarted' },
        { type: 'effectReverted', callId: 'd', step: 1, outcome: 'success' },
        { type: 'rolledBack', report },
        cancelled(1, report),
      ],
    ],
    [
      'the same key after its child turn has ended',
      [
        ...begun,
        ...leaves('x', ...run(), ...undone, { type: 'failed', rounds: 0, error, report }),
        ...child('y'),
        ...ended,
      ],
    ],
    [
      'a child turn that has ended, and whose effects are taken back for a new run',
      [
        ...begun,
        ...first,
        leaf('x', { type: 'rolledBack', report, moved: {} }),
        ...child('y', '1'),
        ...ended,
      ],
    ],
    [
      'a key of the app that is the number of another run',
      [
        ...begun,
        ...leaves('x', ...run('2')),
        ...leaves('y', ...opening({ agent: 'notes', callId: 'c', key: '2', given: true })),
      ],
    ],
    [
      'a child turn with an output',
      [...begun, ...leaves('x', ...asked(), ...outputting(1), accepted, ...completing(1)), ...ended],
    ],
    [
      'a child turn that works before its output',
      [...begun, ...leaves('x', ...worked, ...outputting(2), accepted, ...completing(2)), ...ended],
    ],
    [
      'a child turn whose answer is no fitting output',
      [...begun, ...leaves('x', ...asked(), ...outputting(1), unfit, ...stopping(1)), ...ended],
    ],
  ])('agents C3 C7 C10 the order checker permits %s', (_name, facts) => {
    expect(problemsOf(...facts)).toEqual([]);
  });

  test.each<readonly [string, readonly Fact[], string]>([
    ['a fact before the start', [...begun, leaf('x', text)], 'child turn x has not begun'],
    ['a fact after the end', [...begun, ...first, leaf('x', text)], 'child turn x has ended'],
    ['an id that was used before', [...begun, ...first, ...first.slice(0, 1)], 'a child turn x before it'],
    ['an empty path', [...begun, { type: 'subagent', path: [], inner: text }], 'its path is empty'],
    ['a fact in another', [...open, leaf('x', leaf('y', text))], 'in another fact of a child turn'],
    ['an unknown path', [...open, leaf('x/y', text)], 'child turn y has not begun'],
    ['a child turn of a call that does not run', [...opening(), ...first.slice(0, 1)], 'call c does not run'],
    ['a call that ends before its child turn', [...open, ...called('c').slice(0, 1)], 'x has not ended'],
    [
      'a turn that ends before its child turn',
      [...open, cancel, ...undone, cancelled(1, report)],
      'child turn x has not ended',
    ],
    [
      'a fact while the turn above is rolled back',
      [...open, cancel, { type: 'rollbackStarted' }, leaf('x', text)],
      'it comes after rollbackStarted',
    ],
    [
      'a turn that goes on after its child turns ended with it',
      [...open, cancel, leaf('x', cancelled(1)), { type: 'toolProgress', callId: 'c', patch: 1 }],
      'a child turn has ended because the turn ends',
    ],
    [
      'a cancelled child turn without a cancel',
      [...open, leaf('x', cancelled(1))],
      'no cancel was requested',
    ],
    [
      'work of a child turn whose call was refused',
      [...open, ...runsAgain, refused, leaf('x', { type: 'turnResumed', by: 'resume' }), leaf('x', text)],
      'call c does not run',
    ],
    [
      'work of a child turn whose call has not started again',
      [...open, ...runsAgain, leaf('x', { type: 'turnResumed', by: 'resume' }), leaf('x', text)],
      'call c does not run',
    ],
    [
      'an interrupted call that does not run again and has an open child turn',
      [
        ...open,
        ...runsAgain.slice(0, 2),
        { type: 'toolInterrupted', callId: 'c', decision: 'unknown', result: {} },
      ],
      'child turn x has not ended',
    ],
    [
      'a child turn that is open at the end of the turn, after its call was refused',
      [...open, ...runsAgain, refused, ...called('c').slice(1), ...answering(2), ...completing(2)],
      'child turn x has not ended',
    ],
    ['two open child turns with one key', [...open, ...child('y').slice(0, 1)], 'child turn x has its key'],
    ['a second round of a fact', [...open, ...leaves('x', ...answering(3).slice(0, 1))], 'round 1 is not'],
    [
      'a child turn that resumes without an interruption',
      [...open, leaf('x', { type: 'turnResumed' })],
      'not interrupted',
    ],
    [
      'a child turn that is put down',
      [...open, leaf('x', { type: 'turnPutDown' })],
      'does not wait for its model',
    ],
    [
      'a fact of an interrupted child turn that has not resumed',
      [...open, { type: 'ownerChanged' }, { type: 'turnResumed' }, leaf('x', text)],
      'turnResumed must come before it',
    ],
    [
      'a child turn that reports effects and took none back',
      [...open, cancel, leaf('x', cancelled(1, report))],
      'rolledBack must come right before it',
    ],
    [
      'an effect that moves in a child turn',
      [...open, leaf('x', { type: 'effectReverted', callId: 'd', step: 1, outcome: 'success' })],
      'an effect moves in the turn of the user',
    ],
    [
      'effects of an ended child turn that are taken back after its call',
      [...begun, ...first, ...called('c').slice(0, 1), leaf('x', { type: 'rolledBack', report, moved: {} })],
      'call c does not run',
    ],
    [
      'an output before the work',
      [...begun, ...leaves('x', ...asked({ afterWork: true }), ...outputting(1))],
      'the agent works first',
    ],
    [
      'a text after an answer that is not its output',
      [...begun, ...leaves('x', ...asked(), ...outputting(1), text)],
      'it is not the output that arrived',
    ],
    [
      'a text after an output that was accepted',
      [...begun, ...leaves('x', ...asked(), ...outputting(1), accepted, unfit)],
      'the output of the round was checked before',
    ],
    [
      'a text after an answer of a child turn without an output',
      [...begun, ...leaves('x', ...run(), ...answering(1), text)],
      'outside of a model call',
    ],
    [
      'an output that was not accepted',
      [...begun, ...leaves('x', ...asked(), ...outputting(1), ...completing(1))],
      'its output was not accepted',
    ],
  ])('agents C3 C7 C10 the order checker finds %s', (_name, facts, problem) => {
    expect(problemsOf(...facts).join()).toContain(problem);
  });
});
