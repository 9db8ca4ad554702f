// Pages that are killed at each write of a plan with a step that fails, and a step that is skipped for it.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { callTools, fail, memoryLog, say, scriptedProvider, type AnswerSource } from '@banister/testing';
import {
  allCallsOf,
  createAgentSession,
  defineAgent,
  preloadTurns,
  type AgentSession,
  type SessionLog,
  type SessionOptions,
} from '@banister/session';
import { planning, planOf } from '@banister/crew/plan';
import { mortalLog } from './mortal-log.js';
import { add, Cards } from './task-page.js';

const hasResult: (parts: readonly { readonly type: string }[]) => boolean = (parts) =>
  parts.some(({ type }) => type === 'tool-result');

/** The model of an agent: it adds a card with the name of its step. The model of the step "b" fails. It reads from the request how far it is. */
const works: AnswerSource = ({ messages }) => {
  const step = /Do (\w)/.exec(JSON.stringify(messages[0]!.parts))![1]!;
  if (step === 'b') return fail('auth');
  return hasResult(messages.at(-1)!.parts) ? say(`${step} is done.`) : add(step);
};
const worker = defineAgent({
  id: 'worker',
  role: 'You work.',
  tools: ['cards'],
  provider: scriptedProvider([], { otherwise: works }),
});
const step = (id: string, ...after: readonly string[]) => ({
  id,
  title: id,
  task: `Do ${id}.`,
  agent: 'worker',
  after: [...after],
});
const steps = [step('a'), step('b', 'a'), step('c', 'b'), step('d', 'a')];
const plans: AnswerSource = ({ messages }) =>
  hasResult(messages.at(-1)!.parts)
    ? say('Done.')
    : callTools({ tool: 'plan.carry_out', args: { title: 'Release', steps } });

beforeAll(() => preloadTurns({ agents: [worker] }));

function open(log: SessionLog, cards: Cards, onInterrupted: SessionOptions['onInterrupted']): AgentSession {
  const { domain, guard } = planning({ agents: ['worker'] });
  return createAgentSession({
    id: 'chat',
    log,
    provider: scriptedProvider([], { otherwise: plans }),
    agents: [worker],
    domains: [cards.domain, domain],
    guards: [guard],
    confirm: () => ({ approve: true }),
    onInterrupted,
  });
}

const isOver = ({ state, link }: AgentSession) =>
  link.value.open && !state.isRunning && state.interrupted === null && state.turns.length === 1;

const shown = ({ state }: AgentSession) =>
  planOf(allCallsOf(state.turns[0]!)[0]!)!.steps.map(({ id, status }) => `${id} ${status}`);

describe('a plan whose page is killed before any of its writes', () => {
  it.each(['resume', 'abandon'] as const)(
    'agents P6, P3: is carried out once, or taken back: %s',
    async (by) => {
      let kills = 0;
      for (let lastWrite = 0; ; lastWrite++) {
        const [inner, cards] = [memoryLog(), new Cards()];
        const mortal = mortalLog(inner, lastWrite);
        const first = open(mortal.log, cards, 'wait');
        void first.send('Plan it').catch(() => {});
        await vi.waitFor(() => expect(mortal.dead() || isOver(first)).toBe(true), {
          interval: 2,
          timeout: 20_000,
        });
        if (!mortal.dead()) {
          mortal.spare();
          await first.dispose();
          break;
        }
        kills++;
        const second = open(inner, cards, by);
        await vi.waitFor(() => expect(second.link.value.open).toBe(true));
        // The message of the user was not written: the user writes it again.
        if (second.state.turns.length === 0 && second.state.liveTurn === null) await second.send('Plan it');
        await vi.waitFor(() => expect(isOver(second)).toBe(true), { interval: 2, timeout: 20_000 });
        const at = `killed before write ${lastWrite}`;
        const { status } = second.state.turns[0]!;
        if (status === 'completed') {
          expect({ at, steps: shown(second) }).toEqual({
            at,
            steps: ['a done', 'b failed', 'c skipped', 'd done'],
          });
          expect({ at, added: cards.added.toSorted() }).toEqual({ at, added: ['a', 'd'] });
        } else expect({ at, status, titles: cards.titles }).toEqual({ at, status: 'failed', titles: [] });
        if (by === 'resume') expect({ at, status }).toEqual({ at, status: 'completed' });
        await second.dispose();
      }
      expect(kills).toBeGreaterThan(15);
    },
  );
});
