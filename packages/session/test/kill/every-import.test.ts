// A log of another device, cut after any of its operations and imported.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { importedState, type Operation, type SessionOptions } from '@banister/session';
import { savedState } from '@banister/session/log';
import { settle } from '@banister/testing';
import { agentsLoaded } from '../agents-loaded.js';
import { compactionLoaded } from '../compaction-loaded.js';
import { discoveryLoaded } from '../discovery-loaded.js';
import { filesLoaded } from '../files.js';
import { generateLoaded } from '../generate-loaded.js';
import { hooksLoaded } from '../hooks-loaded.js';
import { opened } from '../opened.js';
import { drawnOf } from '../../../../test/kit/sample-size.js';
import { copyOf, cutsOf, foldOf, type Cut, type Played } from './cuts.js';
import { ended, stageOf, type Scenario } from './scenario.js';
import { withLeaves } from './leaves.js';
import { scenarios } from './scenarios.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([
    import('../../src/session/log-chunk.js'),
    import('../../src/session/end-interruption.js'),
    hooksLoaded(),
    filesLoaded(),
    generateLoaded(),
    compactionLoaded(),
    discoveryLoaded(),
    agentsLoaded(),
  ]),
);

type Reaction = NonNullable<SessionOptions['onInterrupted']>;
const reactions: readonly Reaction[] = ['wait', 'resume', 'abandon'];

/** Opens an imported log beside the cards that its author claims, lets the session do all that it offers, and returns what acts unasked. */
async function unaskedActs(
  scenario: Scenario,
  { operations: log }: Played,
  { length, world: claimed }: Cut,
  onInterrupted: Reaction,
): Promise<readonly string[]> {
  const file = log.slice(0, length);
  const state = importedState(foldOf(file));
  const world = copyOf(claimed);
  const { session, operations, clock, provider, reported } = stageOf(
    { ...scenario, options: { ...scenario.options, onInterrupted } },
    world,
    { restored: { snapshot: copyOf(savedState(state)), records: [] }, isResumed: true },
  );
  await opened(session);
  const problems: string[] = [];
  if (session.grants.value.length > 0) problems.push('a grant stands');
  if (session.canUndo.value || session.canRedo.value) problems.push('an effect can be taken back');
  const bounded = async (promise: Promise<unknown>) => {
    // A user who gives more each time would go on for ever with an answer that stalls.
    const stop = clock.schedule(() => void session.cancel({ immediate: true }), 300_000);
    await ended(promise, clock);
    stop();
  };
  if (onInterrupted === 'wait' && session.interrupted.value !== null) await bounded(session.resume());
  await settle(60);
  await clock.advance(10_000);
  // Whatever the scenario answers to it: an interrupted turn is taken back first, and messages that wait begin their turns.
  await bounded(session.send(Object.keys(scenario.turns)[0]!));
  if (session.queuePaused.value) await bounded(session.resumeQueue());
  await clock.advance(10_000);
  await session.dispose();

  const ofFile = callIds(withLeaves(file));
  const allowed = new Set<string>();
  for (const operation of withLeaves(operations)) {
    if (operation.type === 'confirmationResolved' && /approved|edited/.test(operation.decision))
      allowed.add(operation.callId);
    if (operation.type === 'toolStarted' && ofFile.has(operation.callId) && !allowed.has(operation.callId))
      problems.push(`${operation.tool} starts, which was not asked about here`);
    if (operation.type === 'effectReverted' || operation.type === 'effectReapplied')
      if (ofFile.has(operation.callId) && !allowed.has(operation.callId))
        problems.push(`${operation.type} ${operation.callId}`);
  }
  for (const { title, callId } of claimed.cards)
    if (ofFile.has(callId) && !allowed.has(callId) && !world.cards.some((card) => card.callId === callId))
      problems.push(`the card ${title} was taken away`);
  for (const callId of ofFile)
    if (!allowed.has(callId) && (world.acts[callId] ?? 0) > (claimed.acts[callId] ?? 0))
      problems.push(`${callId} acted`);
  for (const { messages } of provider.requests)
    for (const part of messages.flatMap(({ parts }) => parts))
      if (part.type === 'tool-call' && part.hosted && part.providerCallId && !allowed.has(part.id))
        if (ofFile.has(part.id)) problems.push(`${part.tool} of the provider has the approval of the file`);
  problems.push(...reported.map((error) => `reported: ${String(error)}`));
  return problems;
}

function callIds(operations: readonly Operation[]): ReadonlySet<string> {
  return new Set(operations.flatMap((one) => ('callId' in one ? [one.callId] : [])));
}

/** All reactions at every third cut; in the quick tier one, by the seed of the day. */
function reactionsTo(index: number): readonly Reaction[] {
  const first = inject('tier') === 'full' ? 0 : inject('propertySeed');
  return inject('tier') === 'full' && index % 3 === 0 ? reactions : [reactions[(index + first) % 3]!];
}

describe('a log of another device that was cut after any of its operations, and imported', () => {
  it.each(drawnOf(scenarios, 7).map((scenario) => [scenario.name, scenario] as const))(
    'audit-X1 acts only after a question of this session, and takes nothing back: %s',
    async (_name, scenario) => {
      const played = await cutsOf(scenario);
      const problems: string[] = [];
      for (const [index, cut] of drawnOf(played.cuts, 24).entries())
        for (const reaction of reactionsTo(index))
          for (const problem of await unaskedActs(scenario, played, cut, reaction))
            problems.push(
              `${reaction} after ${cut.length} (${played.operations[cut.length - 1]?.type}): ${problem}`,
            );
      expect(problems).toEqual([]);
    },
  );
});
