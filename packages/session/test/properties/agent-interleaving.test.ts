// Two agents whose effects touch the same places, in each order of up to four effects: what is taken back, what stays, and what is reported.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, failAfter, gate, say, settle, stall, type AnswerSource } from '@banister/testing';
import { defineTool, type Domain, type UndoItem } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { drawnOf } from '../../../../test/kit/sample-size.js';
import { agent, delegate, team } from '../agents-board.js';
import { agentsLoaded } from '../agents-loaded.js';
import { fixture, names, rejection } from '../fixture.js';

beforeAll(agentsLoaded);

/** An effect: the agent that writes, and the place that it writes. Its number is its position in the order, from 1 on. */
interface Write {
  readonly by: 'a' | 'b';
  readonly place: string;
}

interface Numbered extends Write {
  readonly number: number;
}

/** `p` contains `p/x` and `p/y`, which do not touch each other. */
const places = ['p', 'p/x', 'p/y'];
const writes: readonly Write[] = (['a', 'b'] as const).flatMap((by) =>
  places.map((place) => ({ by, place })),
);

/** Returns each order of this number of effects. */
function ordersOf(length: number): readonly (readonly Write[])[] {
  if (length === 0) return [[]];
  return ordersOf(length - 1).flatMap((order) => writes.map((write) => [...order, write]));
}

const orders = [1, 2, 3, 4]
  .flatMap(ordersOf)
  .map((order) => order.map((write, index): Numbered => ({ ...write, number: index + 1 })));

const inside = (place: string): readonly string[] =>
  places.filter((one) => one === place || one.startsWith(`${place}/`));
const touch = (one: Write, other: Write): boolean =>
  inside(one.place).includes(other.place) || inside(other.place).includes(one.place);

/** The number of the last effect on each place. */
type App = Record<string, number>;

/** Returns the app after these effects alone. */
function after(effects: readonly Numbered[]): App {
  const app: App = {};
  for (const { place, number } of effects) for (const one of inside(place)) app[one] = number;
  return app;
}

const describeWrite = ({ by, place, number }: Numbered): string => `${number} ${by} ${place}`;
const numbersOf = (items: readonly UndoItem[]): readonly number[] =>
  names(items).map((name) => Number(name.split(' ')[0]));

/** Plays an order: each agent writes its effects, and an effect is written when the effect before it was recorded. */
async function played(
  order: readonly Numbered[],
  lastOfA: readonly AnswerSource[],
  lastOfRoot: readonly AnswerSource[],
) {
  const app: App = {};
  const gates = order.map(() => gate());
  gates[0]!.open();
  const write = defineTool({
    name: 'write',
    description: 'Writes a place.',
    parameters: { type: 'object', properties: { number: { type: 'number' } }, required: ['number'] },
    execute({ number }, { undo }) {
      const one = order[number - 1]!;
      const before = inside(one.place).map((place) => [place, app[place]] as const);
      const write = () => void Object.assign(app, after([one]));
      write();
      undo({
        description: describeWrite(one),
        paths: [one.place],
        revert() {
          for (const [place, value] of before)
            if (value === undefined) delete app[place];
            else app[place] = value;
        },
        reapply: write,
      });
      gates[number]?.open();
    },
  });
  const domain: Domain = { id: 'board', tools: [write] };
  const answersOf = (by: Write['by']) =>
    order
      .filter((one) => one.by === by)
      .map(({ number }) => callTools(gates[number - 1]!, { tool: 'board.write', args: { number } }));
  const f = fixture([delegate('a', 'b'), ...lastOfRoot], {
    domains: [domain, team()],
    agents: [agent('a', [...answersOf('a'), ...lastOfA]), agent('b', [...answersOf('b'), say('B.')])],
    looseScript: true,
  });
  const turn = f.session.send('Go');
  turn.catch(() => {});
  for (let most = 20; gates.some(({ isOpen }) => !isOpen) && most > 0; most--) await settle();
  await settle();
  expect(app).toEqual(after(order));
  return { f, app, turn };
}

const done = say('Done.');

describe('agents: two agents that touch the same places', { timeout: 600_000 }, () => {
  it('agents C13: a turn that fails takes each effect back', async () => {
    for (const order of drawnOf(orders, 31)) {
      const end = gate();
      const { f, app, turn } = await played(order, [say('A.')], [failAfter([end], 'auth')]);
      await using _ended = f;
      end.open();
      expect((await rejection(turn)).code).toBe('auth');
      expect(app, order.map(describeWrite).join()).toEqual({});
    }
  });

  it('agents C13, C16: a cancel of the turn takes each effect back, while one agent has ended and one works', async () => {
    for (const order of drawnOf(orders, 31)) {
      const { f, app } = await played(order, [stall()], [done]);
      await using _ended = f;
      const { undo } = await f.session.cancel();
      const label = order.map(describeWrite).join();
      expect(numbersOf(undo.done), label).toEqual(order.map(({ number }) => number).toReversed());
      expect(app, label).toEqual({});
    }
  });

  it('agents C14, C15: a cancel of one agent takes back the effects on which no effect that stays depends', async () => {
    for (const order of drawnOf(orders, 31)) {
      const { f, app, turn } = await played(order, [stall()], [done]);
      await using _ended = f;
      const label = order.map(describeWrite).join();
      const stay: Numbered[] = [];
      for (const one of order.toReversed())
        if (one.by === 'b' || stay.some((later) => touch(one, later))) stay.unshift(one);
      const child = childrenOf(f.session.state.liveTurn!).find((one) => one.agent === 'a')!;
      const { undo } = await f.session.cancel({ child: child.id });
      const ofA = order.filter(({ by }) => by === 'a').map(({ number }) => number);
      const isStaying = (number: number) => stay.some((one) => one.number === number);
      expect(numbersOf(undo.done), label).toEqual(ofA.filter((one) => !isStaying(one)).toReversed());
      expect(numbersOf(undo.failed).toSorted(), label).toEqual(ofA.filter(isStaying));
      expect(undo.failed.every(({ because }) => because?.code === 'dependent-stays')).toBe(true);
      expect(app, label).toEqual(after(stay));
      await turn;
      expect(numbersOf(f.session.state.turns[0]!.effects), label).toEqual(stay.map(({ number }) => number));
      if (stay.length > 0) await f.session.undo();
      expect(app, label).toEqual({});
    }
  });

  it('agents C18: undo of one agent takes its effects back, or reports the agent in the way and moves nothing', async () => {
    for (const order of drawnOf(orders, 31)) {
      const { f, app, turn } = await played(order, [say('A.')], [done]);
      await using _ended = f;
      await turn;
      const label = order.map(describeWrite).join();
      const { id: turnId, rounds } = f.session.state.turns[0]!;
      const childOf = new Map(childrenOf({ rounds }).map((child) => [child.agent, child.id]));
      let stay: readonly Numbered[] = order;
      for (const by of ['a', 'b'] as const) {
        const own = stay.filter((one) => one.by === by);
        if (own.length === 0) continue;
        const rest = stay.filter((one) => one.by !== by);
        const part = { turnId, child: childOf.get(by)! };
        const isBlocked = own.some((one) =>
          rest.some((later) => later.number > one.number && touch(one, later)),
        );
        if (isBlocked) {
          const { code, details } = await rejection(f.session.undo(part));
          expect([code, details.inTheWay], label).toEqual(['conflict', [childOf.get(rest[0]!.by)]]);
          expect(app, label).toEqual(after(stay));
          continue;
        }
        await f.session.undo(part);
        expect(app, label).toEqual(after(rest));
        await f.session.redo(part);
        expect(app, label).toEqual(after(stay));
        await f.session.undo(part);
        stay = rest;
      }
      if (stay.length > 0) await f.session.undo();
      expect(app, label).toEqual({});
      await f.session.redo();
      expect(app, label).toEqual(after(order));
      await f.session.undo();
      expect(app, label).toEqual({});
    }
  });
});
