// A session that is killed at every operation of its turns, and opened again.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '@banister/session';
import { isTerminal } from '@banister/session/operations';
import { checkOrder } from '@banister/testing';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { agentsLoaded } from '../agents-loaded.js';
import { compactionLoaded } from '../compaction-loaded.js';
import { discoveryLoaded } from '../discovery-loaded.js';
import { filesLoaded } from '../files.js';
import { generateLoaded } from '../generate-loaded.js';
import { hooksLoaded } from '../hooks-loaded.js';
import { hasBranches } from './branch-account.js';
import { agentScenarios } from './agent-scenarios.js';
import { branchScenarios } from './branch-scenarios.js';
import { attachmentScenarios } from './attachment-scenarios.js';
import { compactionScenarios, thresholdScenarios } from './compaction-scenarios.js';
import {
  asksAlways,
  consentScenarios,
  previewScenarios,
  unaskedCalls,
  unseenCalls,
} from './consent-scenarios.js';
import { drawnOf } from '../../../../test/kit/sample-size.js';
import { cutsOf, laggingCutsOf, type Cut, type Played } from './cuts.js';
import { discoveryScenarios } from './discovery-scenarios.js';
import { extensionScenarios } from './extension-scenarios.js';
import { fallbackScenarios, waitingScenarios } from './fallback-scenarios.js';
import { middlewareScenarios } from './middleware-scenarios.js';
import { structuredScenarios } from './structured-scenarios.js';
import { endKilled, foldProblems } from './killed-session.js';
import { reviewScenarios } from './review-scenarios.js';
import { randomAgentScenarios } from './random-agent-scenarios.js';
import { randomScenarios, reviewedScenarios } from './random-scenarios.js';
import { scenarios } from './scenarios.js';
import type { Scenario } from './scenario.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([
    import('../../src/session/log-chunk.js'),
    agentsLoaded(),
    hooksLoaded(),
    filesLoaded(),
    generateLoaded(),
    compactionLoaded(),
    discoveryLoaded(),
  ]),
);

/** Whether a life reaches what it is about: one that fails before would be cut in vain. */
const subjects: readonly (readonly [readonly Scenario[], (operation: Operation) => boolean])[] = [
  [compactionScenarios, ({ type }) => type === 'contextCompacted'],
  [thresholdScenarios, (operation) => operation.type === 'contextCompacted' && 'turnId' in operation],
  [agentScenarios, ({ type }) => type === 'subagent'],
  [discoveryScenarios, ({ type }) => type === 'domainsActivated'],
  [extensionScenarios, ({ type }) => type === 'extensionRequested'],
  [middlewareScenarios, ({ type }) => type === 'middlewareActed' || type === 'answerWithheld'],
  [fallbackScenarios, ({ type }) => type === 'providerSwitched'],
  [waitingScenarios, ({ type }) => type === 'turnPutDown'],
  [attachmentScenarios, ({ type }) => type === 'attached'],
  [structuredScenarios, ({ type }) => type === 'outputArrived'],
  [previewScenarios, hasPreview],
];

describe('a session that was killed after any of its operations', () => {
  it.each(drawnOf(scenarios, 7).map((scenario) => [scenario.name, scenario] as const))(
    'is resumed, and is abandoned, with its effects in one report each: %s',
    async (_name, scenario) => {
      const played = await cutsOf(scenario);
      expect(checkOrder(played.operations)).toEqual([]);
      if (branchScenarios.includes(scenario)) expect(hasBranches(played.operations)).toBe(true);
      for (const [about, reaches] of subjects)
        if (about.includes(scenario)) expect(played.operations.some(reaches), String(reaches)).toBe(true);
      if (scenario.ends) expect(endsIn(played.operations)).toEqual(scenario.ends);
      if (reviewScenarios.includes(scenario))
        expect(played.operations.some(({ type }) => type === 'reviewOpened')).toBe(
          scenario.review !== undefined,
        );
      if (consentScenarios.includes(scenario))
        expect(played.operations.map(({ type }) => type)).toContain(
          asksAlways(scenario) ? 'confirmationRequested' : 'modeChanged',
        );
      const problems: string[] = asksAlways(scenario) ? [...unaskedCalls(played.operations)] : [];
      problems.push(...unseenCalls(played.operations));
      for (const cut of drawnOf(played.cuts, 40))
        problems.push(...(await problemsOfCut(scenario, played, cut)));
      expect(problems.slice(0, 12)).toEqual([]);
    },
  );

  // The user of the life that is left out steers at a moment that a late journal moves to another place.
  it.each(
    drawnOf(scenarios, 7)
      .filter(({ name }) => name !== 'review: messages that steer, and wait')
      .map((scenario) => [scenario.name, scenario] as const),
  )(
    'is resumed, and is abandoned, from the part that a late journal has, its effects in one report each: %s',
    async (_name, scenario) => {
      const played = await laggingCutsOf(scenario);
      expect(played.cuts.length).toBeGreaterThan(0);
      const problems: string[] = [];
      for (const cut of drawnOf(played.cuts, 40)) {
        for (const by of ['resume', 'abandon'] as const)
          problems.push(
            ...(await endKilled(scenario, played, cut, by)).problems.map(
              (one) => `${by} after ${cut.length} of ${played.operations.length}: ${one}`,
            ),
          );
      }
      expect(problems.slice(0, 12)).toEqual([]);
    },
  );

  it.each([
    ['random lives', randomScenarios, 3_000],
    ['random lives with reviews', reviewedScenarios, 1_000],
    ['random lives with agents', randomAgentScenarios, 300],
  ] as const)(
    'is resumed and abandoned under %s, cuts, and cuts of the session that goes on',
    { timeout: 3_600_000 },
    async (name, lives, runs) => {
      const place = fc.noBias(fc.nat(9_999));
      const by = fc.constantFrom('resume' as const, 'abandon' as const);
      await fc.assert(
        fc.asyncProperty(lives, place, place, by, by, async (scenario, first, second, one, two) => {
          const played = await cutsOf(scenario);
          const cut = cutAt(played, first);
          const killed = await endKilled(scenario, played, cut, one);
          const again = cutAt(killed, second);
          const { problems } = await endKilled(scenario, killed, again, two);
          const all = [
            ...foldProblems(played, cut),
            ...killed.problems.map((problem) => `${one}, ${cut.length}: ${problem}`),
            ...foldProblems(killed, again),
            ...problems.map((problem) => `${one}, ${cut.length}, ${two}, ${again.length}: ${problem}`),
          ];
          if (all.length > 0) throw new Error([...all, ...typesOf(killed)].join('\n'));
        }),
        propertyRun(name === 'random lives' ? 'kill' : `kill, ${name}`, runs),
      );
    },
  );
});

function hasPreview(operation: Operation): boolean {
  return operation.type === 'confirmationRequested' && operation.request.preview !== undefined;
}

/** Returns the ends of the turns, in order. */
function endsIn(operations: readonly Operation[]): readonly Operation['type'][] {
  return operations.filter(isTerminal).map(({ type }) => type);
}

function cutAt({ cuts }: Played, place: number): Cut {
  return cuts[Math.floor((place / 10_000) * cuts.length)]!;
}

function typesOf({ operations }: Played): readonly string[] {
  return operations.map(({ sequence, type }) => `${sequence} ${type}`);
}

async function problemsOfCut(scenario: Scenario, played: Played, cut: Cut): Promise<readonly string[]> {
  const problems = [...foldProblems(played, cut)];
  for (const by of ['resume', 'abandon'] as const) {
    const killed = await endKilled(scenario, played, cut, by);
    const unasked = asksAlways(scenario) ? unaskedCalls(killed.operations) : [];
    problems.push(
      ...[...killed.problems, ...unasked, ...unseenCalls(killed.operations)].map((one) => `${by}: ${one}`),
    );
  }
  const last = played.operations[cut.length - 1]!;
  return problems.map((one) => `after ${cut.length} ${last.type}, ${cut.world.cards.length} cards: ${one}`);
}
