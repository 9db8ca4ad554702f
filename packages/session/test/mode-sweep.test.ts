// The mode changes at each operation of a turn, and each call runs, asks or is denied as the new mode says.
import { expect, inject, it } from 'vitest';
import { callTools, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import { defineGuard, denyTools, type Message, type Mode, type Operation } from '@banister/session';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { fixture, type Fixture } from './fixture.js';

/** The tools that `plan` denies and `ask` asks about. */
const changing = ['board.write', 'board.slow', 'board.wipe'];
/** The tool that the app denies in every mode. */
const forbidden = 'board.drop';

/** A guard that answers later, as one does that asks a server: the mode may change before. */
function slowly(name: string, verdict: 'ask' | 'deny', tools = changing) {
  return defineGuard(name, async ({ tool }) => {
    for (let i = 0; i < 3; i++) await undefined;
    if (!tools.includes(tool)) return 'allow';
    return verdict === 'ask' ? { confirm: 'May it?' } : { deny: 'The mode says no.' };
  });
}

const modes: readonly Mode[] = [
  { id: 'some', title: 'Ask about some', guards: [slowly('some', 'ask', ['board.write', 'board.wipe'])] },
  { id: 'ask', title: 'Ask about all', guards: [slowly('ask', 'ask')] },
  { id: 'plan', title: 'Plan only', guards: [slowly('plan', 'deny')] },
  { id: 'auto', title: 'Act alone', guards: [] },
];

const first = [
  { tool: 'board.slow' },
  { tool: 'board.write', args: { id: 'a' } },
  { tool: forbidden },
  { tool: 'board.wipe', args: { id: 'b' } },
  { tool: 'board.read' },
];
const second = [{ tool: 'board.write', args: { id: 'c' } }, { tool: 'board.slow' }];

/** One run of the turn, and the promises that it broke. */
interface Run {
  readonly operations: readonly Operation[];
  readonly problems: readonly string[];
}

/** The way in which the calls are asked about. */
type Way = 'signal' | 'preview' | 'handler';

/** A change of the mode: it comes inside the subscriber of an operation, or in a microtask behind it. */
interface Switch {
  readonly at: number;
  readonly to: string;
  readonly isLater: boolean;
}

async function run(switches: readonly Switch[], way: Way = 'signal'): Promise<Run> {
  const problems: string[] = [];
  let asked = gate();
  const slow = gatedTool('slow');
  const declared = way === 'preview' ? { preview: () => Promise.resolve('It is changed.') } : {};
  const spies = ['write', 'wipe', 'read', 'drop'].map((name) => spyTool(name, declared));
  await using f = fixture([callTools(...first), callTools(...second), say('Done.')], {
    domains: [{ id: 'board', tools: [slow, ...spies] }],
    guards: [denyTools(forbidden)],
    modes,
    ...(way === 'handler' ? { confirm: () => asked.pass().then(() => ({ approve: true }) as const) } : {}),
  });
  await settle();
  const changed: Promise<void>[] = [];
  const change = async ({ to }: Switch) => {
    await f.session.setMode(to);
    if (f.session.mode.value === to) problems.push(...openIn(f, 'setMode resolved'));
  };
  let count = 0;
  f.session.operations$.subscribe((operation) => {
    if (operation.type === 'modeChanged' || operation.type === 'disposed') return;
    for (const one of switches.filter(({ at }) => at === count)) {
      if (one.isLater) queueMicrotask(() => changed.push(change(one)));
      else changed.push(change(one));
    }
    count++;
  });
  const sent = f.session.send('Go');
  for (let waits = 0; ; waits++) {
    await settle(100);
    problems.push(...openIn(f, 'the turn waits'));
    const running = slow.runs.find((one) => !one.settled);
    const question = f.session.pendingConfirmations.value[0];
    if (question?.answeredBy === 'handler') {
      asked.open();
      asked = gate();
    } else if (question !== undefined) await question.approve();
    else if (running !== undefined) running.settle();
    else if (!f.session.isRunning.value) break;
    else if (waits > 20) throw new Error('The turn hangs.');
  }
  await sent;
  await Promise.all(changed);
  f.observed.check();
  const { operations } = f.observed;
  for (const tool of [slow, ...spies]) {
    const started = operations.filter(
      (one) => one.type === 'toolStarted' && one.tool === `board.${tool.name}`,
    );
    if (started.length !== tool.runs.length)
      problems.push(`${tool.name} ran ${tool.runs.length} times, and started ${started.length} times`);
  }
  return {
    operations,
    problems: [...problems, ...brokenIn(operations, f.session.conversation.value.messages)],
  };
}

/** The questions that stay open though the mode denies their calls. */
function openIn({ session }: Fixture, when: string): readonly string[] {
  if (session.mode.value !== 'plan') return [];
  return session.pendingConfirmations.value.map(({ call }) => `${when}: ${call.tool} is asked about in plan`);
}

/** A call, as the operations and the words of the promises tell it. */
interface Told {
  readonly tool: string;
  /** The modes that were in force since it was requested, until it started or was rejected. */
  readonly modes: string[];
  /** The reasons for which it was asked about since the mode changed last. */
  asked: string[];
  isAsked: boolean;
  end: 'started' | 'rejected' | null;
  results: number;
}

/** Reads the operations of a turn as a user would who knows the modes, and nothing of the session. Returns the promises that they break. */
function brokenIn(operations: readonly Operation[], messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  const calls = new Map<string, Told>();
  let mode = '';
  // The requests of a batch are opened together: those behind a change of the mode that comes at an earlier one are closed again.
  let isTogether = false;
  for (const operation of operations) {
    const told = 'callId' in operation ? calls.get(operation.callId) : undefined;
    const problem = (text: string) => problems.push(`#${operation.sequence} ${told?.tool}: ${text}`);
    switch (operation.type) {
      case 'modeChanged':
        mode = String(operation.mode);
        for (const one of calls.values()) {
          one.asked = [];
          if (one.end === null) one.modes.push(mode);
        }
        break;
      case 'toolsRequested':
        for (const { callId, tool } of operation.calls)
          calls.set(callId, { tool, modes: [mode], asked: [], isAsked: false, end: null, results: 0 });
        break;
      case 'confirmationRequested': {
        const { call, reason } = operation.request;
        const asked = calls.get(call.id)!;
        if (denies(mode, call.tool) && !isTogether)
          problems.push(`${call.tool} is asked about in a mode that denies it`);
        if (asked.asked.includes(reason)) problems.push(`${call.tool} is asked about twice`);
        asked.asked.push(reason);
        asked.isAsked = true;
        break;
      }
      case 'confirmationResolved':
        if (operation.decision === 'approved' && denies(mode, told!.tool))
          problem('is approved in a mode that denies it');
        break;
      case 'toolStarted':
        if (denies(mode, operation.tool)) problem('starts in a mode that denies it');
        told!.end = 'started';
        break;
      case 'toolCompleted':
        told!.results++;
        break;
      case 'toolFailed':
        problem('failed');
        break;
      case 'toolsRejected':
        for (const { callId } of operation.calls) {
          const rejected = calls.get(callId)!;
          rejected.end = 'rejected';
          rejected.results++;
        }
        break;
      default:
        break;
    }
    isTogether =
      operation.type === 'confirmationRequested' || (isTogether && operation.type === 'modeChanged');
  }
  const parts = messages.flatMap((message) => message.parts);
  for (const [id, { tool, modes: since, isAsked, end, results }] of calls) {
    const problem = (text: string) => problems.push(`${tool} (${since.join(', ')}): ${text}`);
    if (results !== 1) problem(`has ${results} results`);
    const shown = parts.filter((part) => part.type === 'tool-result' && part.callId === id);
    if (shown.length !== 1) problem(`has ${shown.length} results in the conversation`);
    if (since.every((one) => denies(one, tool)) && end !== 'rejected') problem('is not denied');
    if (since.every((one) => !denies(one, tool)) && end !== 'started') problem('does not run');
    if (since.every((one) => !denies(one, tool) && asks(one, tool)) && !isAsked)
      problem('is not asked about');
    if (since.every((one) => !asks(one, tool)) && isAsked) problem('is asked about');
  }
  if (calls.size !== first.length + second.length) problems.push(`${calls.size} calls`);
  if (!operations.some(({ type }) => type === 'completed')) problems.push('the turn is not completed');
  return problems;
}

function denies(mode: string, tool: string): boolean {
  return tool === forbidden || (mode === 'plan' && changing.includes(tool));
}

function asks(mode: string, tool: string): boolean {
  if (tool === forbidden) return false;
  return (mode === 'ask' && changing.includes(tool)) || (mode === 'some' && /write|wipe/.test(tool));
}

/** Runs the turn once for each of its operations, with the changes for it; a share of them in the quick tier. Returns the runs that broke a promise. */
async function sweep(way: Way, changes: (at: number) => readonly Switch[]) {
  const whole = await run([], way);
  const own = whole.operations.filter(({ type }) => type !== 'modeChanged' && type !== 'disposed');
  expect(whole.problems).toEqual([]);
  expect(own.at(-1)?.type).toBe('completed');
  const step = Math.round(own.length / sampleSize(own.length));
  const broken: { readonly switches: readonly Switch[]; readonly problems: readonly string[] }[] = [];
  // The quick tier begins at another operation each day.
  for (let at = inject('propertySeed') % step; at < own.length; at += step) {
    const switches = changes(at);
    const { problems } = await run(switches, way);
    if (problems.length > 0) broken.push({ switches, problems });
  }
  return broken;
}

const places = [
  ['inside the subscriber of', false],
  ['in a microtask behind', true],
] as const;

it.each(
  ['plan', 'auto', 'ask'].flatMap((to) => places.map(([place, isLater]) => [to, place, isLater] as const)),
)(
  'a change to the mode %s %s any operation of a turn: the mode decides whether each call runs, is asked about or is denied',
  async (to, _place, isLater) => {
    expect(await sweep('signal', (at) => [{ at, to, isLater }])).toEqual([]);
  },
);

it.each(places)(
  'a change to a mode that denies, and back, %s any operation of a turn',
  async (_place, isLater) => {
    const there = (at: number) => ({ at, to: 'plan', isLater });
    expect(await sweep('signal', (at) => [there(at), { at: at + 3, to: 'some', isLater }])).toEqual([]);
  },
);

it('no call is allowed by a mode that was in force only during the decision', async () => {
  const plan = { at: 0, to: 'plan', isLater: false };
  const changes = (at: number) => [
    plan,
    { at: at + 1, to: 'auto', isLater: false },
    { at: at + 3, to: 'plan', isLater: false },
  ];
  expect(await sweep('signal', changes)).toEqual([]);
});

it.each(['preview', 'handler'] as const)(
  'a change to a mode that denies at any operation of a turn whose questions have a %s closes them',
  async (way) => {
    expect(await sweep(way, (at) => [{ at, to: 'plan', isLater: false }])).toEqual([]);
  },
);
