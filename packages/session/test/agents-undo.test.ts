// Undo and redo of the effects of child turns.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, fail, say } from '@banister/testing';
import { add, agent, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, names, rejection } from './fixture.js';

beforeAll(agentsLoaded);

const look = callTools({ tool: 'board.look', args: {} }, { tool: 'board.look', args: {} });

describe('the order of the effects of all agents', () => {
  /** A turn with cards of its own before and after the cards of two agents that work side by side. */
  function crossed(last: ReturnType<typeof say>) {
    const { domain, ...board } = pathBoard();
    const f = fixture([add('R1'), look, look, add('R2'), delegate('a', 'b'), add('R3'), last], {
      domains: [domain, team()],
      agents: [
        agent('a', [add('A1'), look, add('A2'), say('A.')]),
        agent('b', [add('B1'), add('B2'), say('B.')]),
      ],
      reportsErrors: true,
    });
    return { f, ...board };
  }
  const order = ['R1', 'R2', 'A1', 'B1', 'B2', 'A2', 'R3'];
  const backwards = order.toReversed().map((title) => `-${title}`);

  it('agents C13: an undo goes through the effects of all agents newest first, and a redo oldest first', async () => {
    const { f, cards, moves } = crossed(say('Done.'));
    await using _ended = f;
    await f.session.send('Go');
    expect(cards).toEqual(order);
    expect(f.session.state.turns[0]!.effects.map(({ description }) => description)).toEqual(order);
    expect(names((await f.session.undo()).done)).toEqual(order.toReversed());
    expect(moves).toEqual(backwards);
    await f.session.redo();
    expect(moves.slice(order.length)).toEqual(order.map((title) => `+${title}`));
    expect(cards).toEqual(order);
  });

  it('agents C13: a rollback goes through the effects of all agents newest first', async () => {
    const { f, cards, moves } = crossed(fail('auth'));
    await using _ended = f;
    await rejection(f.session.send('Go'));
    expect(moves).toEqual(backwards);
    expect(cards).toEqual([]);
  });
});
