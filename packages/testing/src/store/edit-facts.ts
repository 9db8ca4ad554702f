import { assert, assertEqual } from '../assert.js';
import type { ProvenStoreFact } from './store-fact.js';
import { card, numbers } from './store-stage.js';

/** Facts about edits that the user makes between a turn and its undo. */
export const editFacts: readonly ProvenStoreFact[] = [
  {
    fact: 'other-field',
    description: 'an edit of another field is no conflict, and stays',
    async prove(stage) {
      stage.fill('a');
      const session = await stage.changed(({ cards }) => void (cards[0]!.title = 'Changed'));
      stage.update(({ cards }) => {
        cards[0]!.note = 'Mine';
        cards.unshift(card('mine'));
      });
      assertEqual(numbers(await session.undo()), { done: 1, failed: 0, irreversible: 0 }, 'the report');
      assertEqual(stage.board.cards, [card('mine'), { ...card('a'), note: 'Mine' }], 'the cards');
    },
  },
  {
    fact: 'same-field',
    description: 'an edit of the same field stays, and is reported with the name of the field',
    async prove(stage) {
      stage.fill('a');
      const session = await stage.changed(({ cards }) => void (cards[0]!.title = 'Changed'));
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      const report = await session.undo();
      assertEqual(numbers(report), { done: 0, failed: 1, irreversible: 0 }, 'the report');
      const reason = report.failed[0]?.reason ?? '';
      assert(reason.includes('cards/a/title'), `the reason is "${reason}"`);
      assertEqual(stage.titleOf('a'), 'Mine', 'the title');
    },
  },
  {
    fact: 'partly',
    description: 'the other changes of the call are taken back, and another undo tries the rest alone',
    async prove(stage) {
      stage.fill('a', 'b');
      const session = await stage.changed(({ cards }) => {
        cards[0]!.title = 'Changed';
        cards[1]!.title = 'Changed';
        cards.push(card('new'));
      });
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      assertEqual(numbers(await session.undo()), { done: 0, failed: 1, irreversible: 0 }, 'the first report');
      assertEqual([stage.ids, stage.titleOf('b')], [['a', 'b'], 'Card b'], 'the board');
      stage.update(({ cards }) => {
        cards[0]!.title = 'Changed';
        cards[1]!.title = 'Mine too';
      });
      assertEqual(
        numbers(await session.undo()),
        { done: 1, failed: 0, irreversible: 0 },
        'the second report',
      );
      assertEqual([stage.titleOf('a'), stage.titleOf('b')], ['Card a', 'Mine too'], 'the titles');
    },
  },
  {
    fact: 'edited-card',
    description: 'an added element that the user edited stays, and so does an order that the user changed',
    async prove(stage) {
      stage.fill('a', 'b', 'c');
      const session = await stage.turn(
        () => stage.update(({ cards }) => void cards.push(card('new'))),
        () => stage.update(({ cards }) => void cards.unshift(...cards.splice(2, 1))),
      );
      assertEqual(stage.ids, ['c', 'a', 'b', 'new'], 'the order');
      stage.update((board) => {
        board.cards[3]!.title = 'Mine';
        board.cards.splice(1, 0, ...board.cards.splice(0, 1));
      });
      const { failed } = await session.undo();
      assertEqual(failed.length, 2, 'the number of failed items');
      assertEqual([stage.ids, stage.titleOf('new')], [['a', 'c', 'b', 'new'], 'Mine'], 'the board');
    },
  },
  {
    fact: 'removed-card',
    description:
      'an added element that the user removed stays away: nothing is left to take back, nor made again',
    async prove(stage) {
      stage.fill('b');
      const session = await stage.changed(({ cards }) => void cards.push(card('new')));
      stage.update((board) => void board.cards.splice(1, 1));
      assertEqual(numbers(await session.undo()), { done: 1, failed: 0, irreversible: 0 }, 'the report');
      assertEqual(stage.ids, ['b'], 'the cards');
      assertEqual(numbers(await session.redo()), { done: 0, failed: 1, irreversible: 0 }, 'the redo');
      assertEqual(stage.ids, ['b'], 'the cards after the redo');
    },
  },
  {
    fact: 'neighbours',
    description: 'a removed element is put back beside its neighbours, wherever they are by then',
    async prove(stage) {
      stage.fill('a', 'b', 'c', 'd');
      const session = await stage.changed(({ cards }) => void cards.splice(1, 2));
      stage.update(({ cards }) => {
        cards.splice(0, 1);
        cards.unshift(card('mine'));
      });
      await session.undo();
      assertEqual(stage.ids, ['mine', 'b', 'c', 'd'], 'the cards');
    },
  },
  {
    fact: 'redo-edited',
    description: 'a redo leaves an edit that was made after the undo, and then makes nothing again',
    async prove(stage) {
      stage.fill('a', 'b');
      const session = await stage.changed(({ cards }) => {
        cards[0]!.title = 'Changed';
        cards[1]!.title = 'Changed';
      });
      await session.undo();
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      assertEqual(numbers(await session.redo()), { done: 0, failed: 1, irreversible: 0 }, 'the report');
      assertEqual([stage.titleOf('a'), stage.titleOf('b')], ['Mine', 'Card b'], 'the titles');
    },
  },
];
