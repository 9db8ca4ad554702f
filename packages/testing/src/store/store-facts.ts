import { assert, assertEqual } from '../assert.js';
import { gate } from '../gate.js';
import { settle } from '../settle.js';
import { editFacts } from './edit-facts.js';
import { laterFacts } from './later-facts.js';
import type { ProvenStoreFact } from './store-fact.js';
import { card, numbers, type StoreBoard } from './store-stage.js';

/** Returns a fact about a change of a board with the cards a, b and c. */
function change(
  fact: ProvenStoreFact['fact'],
  description: string,
  recipe: (board: StoreBoard) => void,
): ProvenStoreFact {
  return {
    fact,
    description,
    async prove(stage) {
      stage.fill('a', 'b', 'c');
      const before = stage.board;
      const after = structuredClone(before);
      recipe(after);
      await stage.movesBack(await stage.changed(recipe), before, after);
    },
  };
}

/** Facts about the changes of calls. */
const changeFacts: readonly ProvenStoreFact[] = [
  change('field', 'a changed field is taken back and made again', ({ cards }) => {
    cards[1]!.title = 'Changed';
  }),
  change('absent-field', 'a field that was not there is removed again', ({ cards }) => {
    cards[0]!.note = 'New';
  }),
  change('added', 'an added element is removed again, wherever it is', ({ cards }) => {
    cards.splice(1, 0, card('new'));
    cards.push(card('last'));
  }),
  change('removed', 'a removed element is put back in its place', ({ cards }) => void cards.splice(0, 2)),
  change('moved', 'a changed order is taken back', (board) => void board.cards.reverse()),
  change('plain-list', 'a list whose elements have no key is one value', ({ cards }) => {
    cards[2]!.tags = ['x', 'y'];
  }),
  change('several', 'changes of several fields and lists are taken back together', (board) => {
    board.filter = 'open';
    board.cards.shift();
    board.cards.push(card('new'));
    board.cards[0]!.title = 'Changed';
  }),
];

/** Facts about who made a change. */
const attributionFacts: readonly ProvenStoreFact[] = [
  {
    fact: 'behind-await',
    description: 'a change behind an await belongs to the call inside context.change, and only there',
    async prove(stage) {
      stage.fill('a', 'b');
      const session = await stage.turn(async (context) => {
        await settle(3);
        context.change(() => stage.update(({ cards }) => void (cards[0]!.title = 'Own')));
        await settle(3);
        stage.update(({ cards }) => void (cards[1]!.title = 'Not attributed'));
      });
      assertEqual(numbers(await session.undo()), { done: 1, failed: 0, irreversible: 0 }, 'the report');
      assertEqual([stage.titleOf('a'), stage.titleOf('b')], ['Card a', 'Not attributed'], 'the titles');
    },
  },
  {
    fact: 'unattributed',
    description: 'changes while a call waits are reported as unattributed, and stay',
    async prove(stage) {
      stage.fill('a');
      const opened = gate();
      const session = stage.session([
        async (context) => {
          stage.update((board) => void (board.filter = 'own'));
          await opened.pass();
          context.change(() => stage.update((board) => void (board.filter = 'own again')));
        },
      ]);
      const turn = session.send('Go');
      await settle();
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      opened.open();
      await turn;
      const part = session.turns.value[0]?.rounds[0]?.parts.find(({ type }) => type === 'tool-call');
      const unattributed = part?.type === 'tool-call' ? part.unattributed : undefined;
      assertEqual(unattributed, ['cards/a/title'], 'the unattributed paths');
      await session.undo();
      assertEqual([stage.board.filter, stage.titleOf('a')], ['', 'Mine'], 'the board');
    },
  },
  {
    fact: 'cancel',
    description: 'a cancel takes the changes of the calls back, and leaves those of the user',
    async prove(stage) {
      stage.fill('a', 'b');
      const opened = gate();
      const session = stage.session([
        () => stage.update(({ cards }) => void (cards[0]!.title = 'Own')),
        async (context) => {
          await opened.pass();
          context.change(() => stage.update(({ cards }) => void cards.push(card('c'))));
        },
      ]);
      const turn = session.send('Go').catch(() => {});
      await settle();
      stage.update(({ cards }) => void (cards[1]!.title = 'Mine'));
      const cancelled = session.cancel();
      opened.open();
      const { undo } = await cancelled;
      await turn;
      assertEqual(numbers(undo), { done: 2, failed: 0, irreversible: 0 }, 'the report');
      assertEqual(
        [stage.ids, stage.titleOf('a'), stage.titleOf('b')],
        [['a', 'b'], 'Card a', 'Mine'],
        'the board',
      );
    },
  },
  {
    fact: 'thrown',
    description: 'the changes of a call that throws are its own',
    async prove(stage) {
      stage.fill('a');
      const session = await stage.turn(() => {
        stage.update(({ cards }) => void (cards[0]!.title = 'Half done'));
        throw new Error('Failed.');
      });
      await session.undo();
      assertEqual(stage.titleOf('a'), 'Card a', 'the title');
    },
  },
  {
    fact: 'in-place',
    description: 'an object that is changed in place is reported as irreversible',
    async prove(stage) {
      stage.fill('a');
      const { mutate } = stage.fixture;
      assert(mutate !== undefined, 'the fixture has no function mutate; declare it in `skip`');
      const session = await stage.turn(() => mutate(({ cards }) => void (cards[0]!.title = 'Changed')));
      const [entry] = session.undoEntries.value;
      assertEqual([entry?.irreversible, session.canUndo.value], [true, false], 'irreversible and canUndo');
    },
  },
  {
    fact: 'not-json',
    description:
      'a value that JSON cannot hold is reported as irreversible, and what is beside it is taken back',
    async prove(stage) {
      stage.fill('a');
      const session = await stage.turn(
        () =>
          stage.update((board) => {
            board.filter = 'open';
            board.cards[0]!.note = new Date(0) as never;
          }),
        () => stage.update(({ cards }) => void (cards[0]!.title = 'Changed')),
      );
      assertEqual(numbers(await session.undo()), { done: 1, failed: 0, irreversible: 1 }, 'the report');
      assertEqual([stage.board.filter, stage.titleOf('a')], ['', 'Card a'], 'the board');
    },
  },
  {
    fact: 'subscribe',
    description: 'a subscriber hears of changes of the user, and of none of a call or an undo',
    async prove(stage) {
      stage.fill('a');
      let count = 0;
      const stop = stage.fixture.undoable.subscribe(() => count++);
      const session = await stage.changed((board) => void (board.filter = 'open'));
      await session.undo();
      await session.redo();
      await settle();
      assertEqual(count, 0, 'the number of calls');
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      await settle();
      assertEqual(count, 1, 'the number of calls after an edit');
      stop();
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine again'));
      await settle();
      assertEqual(count, 1, 'the number of calls after the end');
    },
  },
  {
    fact: 'revision',
    description: 'the revision changes with each change, and not without one',
    async prove(stage) {
      const { undoable } = stage.fixture;
      const first = undoable.revision();
      assertEqual(undoable.revision(), first, 'the revision');
      stage.fill('a');
      const second = undoable.revision();
      assert(second !== first, 'the revision is the same after a change');
      const session = await stage.changed((board) => void (board.filter = 'open'));
      assert(undoable.revision() !== second, 'the revision is the same after a call');
      await session.undo();
    },
  },
];

export const storeFacts: readonly ProvenStoreFact[] = [
  ...changeFacts,
  ...editFacts,
  ...attributionFacts,
  ...laterFacts,
];
