// The objects of a turn hold what its state has, wherever the turn waits.
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type * as answer from '../../src/turn/answer.js';
import type * as turnContext from '../../src/turn/turn-context.js';
import type * as effectStep from '../../src/undo/effect-step.js';
// First, because the mocks below use it when the modules after it load.
import { heldObjects, heldProblems } from './held-objects.js';
import { agentsLoaded } from '../agents-loaded.js';
import { compactionLoaded } from '../compaction-loaded.js';
import { discoveryLoaded } from '../discovery-loaded.js';
import { filesLoaded } from '../files.js';
import { generateLoaded } from '../generate-loaded.js';
import { hooksLoaded } from '../hooks-loaded.js';
import { drawnOf } from '../../../../test/kit/sample-size.js';
import { cutsOf } from './cuts.js';
import { endKilled } from './killed-session.js';
import { play, stageOf, type Scenario } from './scenario.js';
import { scenarios } from './scenarios.js';
import { emptyWorld } from './kill-app.js';

// The code of turns is loaded again, with the classes below.
vi.hoisted(() => vi.resetModules());

vi.mock('../../src/turn/turn-context.js', async (original) => {
  const module = await original<typeof turnContext>();
  return { ...module, createTurn: heldObjects.whenCreated(module.createTurn) };
});

vi.mock('../../src/undo/effect-step.js', async (original) => {
  const module = await original<typeof effectStep>();
  return { ...module, EffectStep: heldObjects.keepingSteps(module.EffectStep) };
});

vi.mock('../../src/turn/answer.js', async (original) => {
  const module = await original<typeof answer>();
  return { ...module, Answer: heldObjects.keepingAnswers(module.Answer) };
});

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() =>
  Promise.all([
    import('../../src/session/end-interruption.js'),
    import('../../src/session/command-chunk.js'),
    hooksLoaded(),
    filesLoaded(),
    generateLoaded(),
    compactionLoaded(),
    discoveryLoaded(),
    agentsLoaded(),
  ]),
);

/** A scenario whose sessions are checked behind each operation, when the pipeline waits. */
function watched(scenario: Scenario, problems: Set<string>): Scenario {
  return {
    ...scenario,
    watch: (session) => {
      session.operations$.subscribe(({ type }) => {
        // The operations that follow in the same step are delivered before.
        queueMicrotask(() => {
          for (const problem of heldProblems(session.state)) problems.add(`after ${type}: ${problem}`);
        });
      });
    },
  };
}

describe('the objects of a turn hold what its state has wherever it waits', () => {
  it.each(drawnOf(scenarios, 7).map((scenario) => [scenario.name, scenario] as const))(
    'in a turn that was sent: %s',
    async (_name, scenario) => {
      const problems = new Set<string>();
      const before = heldObjects.comparisons;
      const stage = stageOf(watched(scenario, problems), emptyWorld());
      await play(scenario, stage);
      expect([...problems]).toEqual([]);
      expect(heldObjects.comparisons).toBeGreaterThan(before + 5);
    },
  );

  it.each(drawnOf(scenarios, 7).map((scenario) => [scenario.name, scenario] as const))(
    'in a turn that was taken up: %s',
    async (_name, scenario) => {
      const problems = new Set<string>();
      const before = heldObjects.comparisons;
      const played = await cutsOf(scenario);
      for (const cut of drawnOf(played.cuts, 40))
        await endKilled(watched(scenario, problems), played, cut, 'resume');
      expect([...problems]).toEqual([]);
      // The few cuts of the quick tier may all be at the end of the turn, where nothing is held.
      if (inject('tier') === 'full') expect(heldObjects.comparisons).toBeGreaterThan(before);
    },
  );
});
