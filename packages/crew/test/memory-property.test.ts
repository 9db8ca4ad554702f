// Random lives of a memory: whatever agents and tabs do, no edit of the user is lost.
import { memory, type Memory } from '@banister/crew/memory';
import {
  createAgentSession,
  isAgentSessionError,
  preloadTurns,
  type AgentSession,
  type JsonObject,
} from '@banister/session';
import { memoryMemory } from '@banister/storage/memory';
import { callTools, say, scriptedProvider, type ScriptedAnswer } from '@banister/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';

beforeAll(() => preloadTurns());

/** `at` chooses a fact. `tab` chooses the tab of the user. */
type Step =
  | { readonly act: 'add'; readonly tab: number }
  | { readonly act: 'edit' | 'pin' | 'unpin' | 'remove'; readonly tab: number; readonly at: number }
  | { readonly act: 'remember'; readonly session: number }
  | { readonly act: 'replace' | 'forget'; readonly session: number; readonly at: number }
  | { readonly act: 'undo' | 'redo'; readonly session: number; readonly turn: number };

const choice = fc.nat({ max: 7 });
const tab = fc.nat({ max: 1 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('add' as const), tab }),
    fc.record({ act: fc.constantFrom('edit', 'pin', 'unpin', 'remove'), tab, at: choice }),
    fc.record({ act: fc.constant('remember' as const), session: tab }),
    fc.record({ act: fc.constantFrom('replace', 'forget'), session: tab, at: choice }),
    fc.record({ act: fc.constantFrom('undo', 'redo'), session: tab, turn: choice }),
    fc.record({ act: fc.constantFrom('undo', 'redo'), session: tab, turn: choice }),
  ),
  { maxLength: 25 },
) as fc.Arbitrary<readonly Step[]>;

/** Two tabs, one of which hears of changes late: only when it writes. Each has a memory and a session, over one store. */
async function makeWorld() {
  const store = memoryMemory();
  const { subscribe: _, ...deaf } = store;
  const make = async (own: typeof deaf) => {
    const facts = memory(own, { ask: 'never' });
    const answers: ScriptedAnswer[] = [];
    const provider = scriptedProvider([], { otherwise: () => answers.shift() ?? say('Done.') });
    const session = createAgentSession({ provider, domains: [facts.domain], guards: [facts.guard] });
    return { facts, session, answers };
  };
  return { store, tabs: [await make(store), await make(deaf)] as const };
}

/** Resolves with true if the step was made, and with false if it was refused as something that is not there, or has changed. */
async function isMade(step: Promise<unknown>): Promise<boolean> {
  try {
    await step;
    return true;
  } catch (error) {
    if (!isAgentSessionError(error) || !['conflict', 'nothing-to-undo'].includes(error.code)) throw error;
    return false;
  }
}

const chosen = ({ items }: Memory, at: number) => items.value[at % Math.max(1, items.value.length)];

function move(session: AgentSession, act: 'undo' | 'redo', turn: number): Promise<unknown> {
  const turns = session.state.turns;
  const turnId = turns[turn % Math.max(1, turns.length)]?.id;
  return session[act](turnId === undefined ? {} : { turnId });
}

test('agents M2: undo and redo of agents keep every edit of the user, in two tabs', async () => {
  let moved = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const { store, tabs } = await makeWorld();
      /** What the user has last said about a fact; null if the user has removed it. Agents' calls release it. */
      const said = new Map<string, { readonly text: string; readonly pinned: boolean } | null>();
      let words = 0;
      for (const step of life) {
        if ('tab' in step) {
          const { facts } = tabs[step.tab]!;
          if (step.act === 'add') {
            const item = await facts.add(`Mine ${++words}`);
            said.set(item.id, { text: item.text, pinned: false });
            continue;
          }
          const item = chosen(facts, step.at);
          if (item === undefined) continue;
          const text = step.act === 'edit' ? `Edit ${++words}` : item.text;
          const pinned = step.act === 'pin' || (step.act === 'edit' && item.pinned === true);
          const write =
            step.act === 'edit'
              ? facts.edit(item.id, text)
              : step.act === 'remove'
                ? facts.remove(item.id)
                : facts.pin(item.id, pinned);
          const isEdit = step.act === 'edit' || step.act === 'remove' || pinned !== (item.pinned === true);
          if ((await isMade(write)) && isEdit)
            said.set(item.id, step.act === 'remove' ? null : { text, pinned });
        } else if (step.act === 'undo' || step.act === 'redo') {
          if (await isMade(move(tabs[step.session]!.session, step.act, step.turn))) moved++;
        } else {
          const { facts, session, answers } = tabs[step.session]!;
          const item = 'at' in step ? chosen(facts, step.at) : undefined;
          if (step.act !== 'remember' && item === undefined) continue;
          const args: JsonObject =
            step.act === 'forget'
              ? { id: `${item!.id}@${item!.revision}` }
              : {
                  text: `Agent ${++words}`,
                  ...(item && { replaces: `${item.id}@${item.revision}` }),
                };
          answers.push(
            callTools({ tool: step.act === 'forget' ? 'memory.forget' : 'memory.remember', args }),
          );
          const before = new Map((await store.load()).map((one) => [one.id, one.revision]));
          await session.send('Go');
          // An agent that has read the present text may replace it. It cannot write over a text that it has not read.
          if (item !== undefined && before.get(item.id) === item.revision) said.delete(item.id);
        }
        const now = new Map((await store.load()).map((one) => [one.id, one]));
        for (const [id, mine] of said) {
          const item = now.get(id);
          const kept = item === undefined ? null : { text: item.text, pinned: item.pinned === true };
          expect([step, kept]).toEqual([step, mine]);
        }
      }
      for (const { facts, session } of tabs) {
        await session.dispose();
        facts.dispose();
      }
    }),
    propertyRun('lives of a memory', 1_000),
  );
  expect(moved).toBeGreaterThan(0);
});
