// Effects of child turns before an app's own history, in a review, and beside edits of the user.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, fail, say, type AnswerSource } from '@banister/testing';
import { UndoHistory, type Domain, type UndoProvider, type UndoTransaction } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { add, agent, delegate, pathBoard, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture, names } from './fixture.js';
import { call, createForm, openEffects, sendForReview } from './reviewed.js';

beforeAll(agentsLoaded);

describe("an app's own history", () => {
  /** A history that notes what it gets. */
  function noted() {
    const closures = new UndoHistory();
    const log: string[] = [];
    const history: UndoProvider = {
      begin(label) {
        const transaction = closures.begin(label) as UndoTransaction;
        return {
          ...transaction,
          record(entry) {
            log.push(entry.description);
            return transaction.record(entry);
          },
          commit() {
            log.push('commit');
            return transaction.commit();
          },
        };
      },
    };
    return { history, log };
  }

  it('agents C17: gets the effects that follow the first child turn when the turn commits, in the order of the effects', async () => {
    const { domain, cards } = pathBoard();
    const { history, log } = noted();
    const before: string[] = [];
    await using f = fixture([add('First'), delegate('a', 'b'), add('Last'), say('Done.')], {
      domains: [domain, team()],
      history,
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), say('B.')])],
    });
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'commitStarted') before.push(...log);
    });
    await f.session.send('Go');
    expect(before).toEqual(['First']);
    expect(log).toEqual(['First', 'A', 'B', 'Last', 'commit']);
    await f.session.undo();
    expect(cards).toEqual([]);
  });

  it('agents C17: never gets effects that a child turn has taken back', async () => {
    const { domain, cards } = pathBoard();
    const { history, log } = noted();
    await using f = fixture([delegate('a', 'b'), say('Done.')], {
      domains: [domain, team()],
      history,
      agents: [agent('a', [add('A'), fail('auth')]), agent('b', [add('B'), say('B.')])],
    });
    await f.session.send('Go');
    expect(log).toEqual(['B', 'commit']);
    expect(cards).toEqual(['B']);
  });
});

describe('a review', () => {
  const set = (field: string, value: string) => callTools(call('set', field, value));

  async function reviewed(answers: Readonly<Record<'a' | 'b', readonly AnswerSource[]>>) {
    const form = createForm();
    const more = { tools: ['form'] };
    const f = fixture([delegate('a', 'b'), set('own', '3'), say('Done.')], {
      domains: [form.domain(), team()],
      agents: [
        { ...agent('a', answers.a), ...more },
        { ...agent('b', answers.b), ...more },
      ],
    });
    const { turn } = await sendForReview(f.session);
    const [a, b] = childrenOf(f.session.state.liveTurn!).map(({ id }) => id);
    return { f, form, turn, a: a!, b: b! };
  }

  it('agents C19: lists the effects of all agents, each with its child turn and its values', async () => {
    const { f, form, turn, a, b } = await reviewed({
      a: [set('x', '1'), say('A.')],
      b: [set('y', '2'), say('B.')],
    });
    await using _ended = f;
    expect(f.session.state.pendingReview!.effects).toMatchObject([
      { description: 'x: 1', child: a, changes: [{ before: null, after: '1' }] },
      { description: 'y: 2', child: b, changes: [{ before: null, after: '2' }] },
      { description: 'own: 3', changes: [{ before: null, after: '3' }] },
    ]);
    expect(f.session.state.pendingReview!.effects[2]).not.toHaveProperty('child');
    await f.session.accept();
    await turn;
    expect(form.fields).toEqual({ x: '1', y: '2', own: '3' });
    expect(f.session.state.turns[0]!.effects.map(({ child }) => child)).toEqual([a, b, undefined]);
  });

  it('agents C19: to reject an effect takes the effects along that depend on it, of whichever agent', async () => {
    const { f, form, turn } = await reviewed({
      a: [set('x', '1'), say('A.')],
      // The second agent begins with a text, so that its effect is the later effect.
      b: [set('z', '0'), set('x', '2'), say('B.')],
    });
    await using _ended = f;
    const [first] = f.session.state.pendingReview!.effects;
    expect(first).toMatchObject({ description: 'x: 1' });
    expect(first!.dependents).toHaveLength(1);
    await f.session.reject([first!.toolCallId]);
    expect(form.fields).toEqual({ z: '0', own: '3' });
    expect(openEffects(f.session).map(String)).toHaveLength(2);
    await f.session.accept();
    await turn;
    expect(f.session.state.turns[0]!.effects.map(({ description }) => description).sort()).toEqual([
      'own: 3',
      'z: 0',
    ]);
  });
});

describe('an edit of the user', () => {
  /** A list whose revision is its length and the number of its changes. */
  function revisedBoard() {
    const state = { cards: [] as string[], changes: 0 };
    const { domain } = pathBoard();
    const board: Domain = {
      ...domain,
      revision: () => state.changes,
      tools: [
        {
          name: 'add',
          description: 'Adds a card.',
          parameters: { type: 'object', properties: { title: { type: 'string' } } },
          execute({ title }, { undo }) {
            state.cards.push(title as string);
            state.changes++;
            undo({
              description: title as string,
              revert: () => {
                state.cards.splice(state.cards.indexOf(title as string), 1);
                state.changes++;
              },
            });
          },
        },
      ],
    };
    return { state, board };
  }

  it('agents C23: what an agent has changed is no edit of the user for an undo', async () => {
    const { state, board } = revisedBoard();
    await using f = fixture([delegate('a', 'b'), add('Own'), say('Done.')], {
      domains: [board, team()],
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), say('B.')])],
    });
    await f.session.send('Go');
    expect(state.cards).toEqual(['A', 'B', 'Own']);
    expect(names((await f.session.undo()).done)).toEqual(['Own', 'B', 'A']);
    expect(state.cards).toEqual([]);
  });

  it('agents C23: what another agent has changed is news for a model that has read before', async () => {
    const { state, board } = revisedBoard();
    const seen: unknown[] = [];
    const noted: Domain = {
      ...board,
      tools: board.tools!.map((tool) => ({
        ...tool,
        execute(args: never, context: never) {
          seen.push((context as { readonly revision: unknown }).revision);
          return tool.execute(args, context);
        },
      })),
    };
    await using f = fixture([delegate('a'), delegate('b'), add('Own'), say('Done.')], {
      domains: [noted, team()],
      agents: [agent('a', [add('A'), say('A.')]), agent('b', [add('B'), add('B2'), say('B.')])],
    });
    await f.session.send('Go');
    expect(state.cards).toEqual(['A', 'B', 'B2', 'Own']);
    expect(seen).toEqual([0, 1, 2, 3]);
  });
});
