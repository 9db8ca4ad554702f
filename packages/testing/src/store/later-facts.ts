import { assertEqual } from '../assert.js';
import { settle } from '../settle.js';
import type { ProvenStoreFact } from './store-fact.js';
import { card, numbers } from './store-stage.js';

/** Facts about what follows a turn: its review, other turns, and a reload. */
export const laterFacts: readonly ProvenStoreFact[] = [
  {
    fact: 'reload',
    description: 'the changes are taken back in a session that opens the saved conversation',
    async prove(stage) {
      stage.fill('a', 'b');
      const second = stage.reloaded(await stage.changed(({ cards }) => void cards.splice(0, 1)));
      assertEqual(numbers(await second.undo()), { done: 1, failed: 0, irreversible: 0 }, 'the report');
      assertEqual(stage.ids, ['a', 'b'], 'the cards');
    },
  },
  {
    fact: 'reload-partly',
    description: 'after a reload, another undo leaves the changes alone that the first one took back',
    async prove(stage) {
      stage.fill('a', 'b');
      const first = await stage.changed(({ cards }) => {
        cards[0]!.title = 'Changed';
        cards.pop();
      });
      stage.update(({ cards }) => void (cards[0]!.title = 'Mine'));
      await first.undo();
      assertEqual(stage.ids, ['a', 'b'], 'the cards after the first undo');
      stage.update(({ cards }) => {
        cards[0]!.title = 'Changed';
        cards.pop();
      });
      const second = stage.reloaded(first);
      assertEqual(numbers(await second.undo()), { done: 1, failed: 0, irreversible: 0 }, 'the report');
      assertEqual([stage.ids, stage.titleOf('a')], [['a'], 'Card a'], 'the board');
      await second.redo();
      assertEqual(stage.titleOf('a'), 'Card a', 'the title after a redo, which would remove b');
    },
  },
  {
    fact: 'reload-removed',
    description: 'an added element that the user removed is not made again after a reload either',
    async prove(stage) {
      stage.fill('a');
      const first = await stage.changed(({ cards }) => void cards.push(card('new')));
      stage.update(({ cards }) => void cards.pop());
      await first.undo();
      const second = stage.reloaded(first);
      assertEqual(numbers(await second.redo()), { done: 0, failed: 1, irreversible: 0 }, 'the redo');
      assertEqual(stage.ids, ['a'], 'the cards');
    },
  },
  {
    fact: 'any-turn',
    description: 'each turn is taken back alone, also below turns that changed other fields of the same list',
    async prove(stage) {
      stage.fill('a', 'b');
      const titles = ['First', 'Second', 'Third'];
      const session = await stage.turns(
        () => stage.update(({ cards }) => void (cards[0]!.title = 'First')),
        () => stage.update(({ cards }) => void (cards[1]!.title = 'Second')),
        () => stage.update(({ cards }) => void cards.unshift({ ...card('c'), title: 'Third' })),
      );
      const now = () => stage.board.cards.map(({ title }) => title);
      for (const [place, { turnId }] of session.undoEntries.value.entries()) {
        const report = await session.undo({ turnId });
        assertEqual(numbers(report), { done: 1, failed: 0, irreversible: 0 }, 'the report');
        const left = titles.filter((title) => title !== titles[place]);
        assertEqual(
          titles.filter((title) => now().includes(title)),
          left,
          'the turns in effect',
        );
        await session.redo({ turnId });
        assertEqual(now(), ['Third', 'First', 'Second'], 'the titles after the redo');
      }
    },
  },
  {
    fact: 'review',
    description: 'a review takes back what is rejected, and leaves the rest and the edits of the user',
    async prove(stage) {
      stage.fill('a', 'b');
      const session = stage.session([
        () => stage.update(({ cards }) => void (cards[0]!.title = 'Accepted')),
        () => stage.update(({ cards }) => void (cards[1]!.title = 'Rejected')),
        () => stage.update((board) => void (board.filter = 'in the way')),
      ]);
      const turn = session.send('Go', { commit: 'review' });
      await settle();
      stage.update((board) => {
        board.filter = 'mine';
        board.cards[1]!.note = 'Mine';
      });
      const [first, second, third] = session.pendingReview.value!.effects.map(({ toolCallId }) => toolCallId);
      const report = await session.reject([second!, third!]);
      assertEqual(numbers(report), { done: 1, failed: 1, irreversible: 0 }, 'the report');
      await session.accept([first!, third!]);
      await turn;
      const { cards, filter } = stage.board;
      assertEqual(
        cards.map(({ title, note = '' }) => [title, note]),
        [
          ['Accepted', ''],
          ['Card b', 'Mine'],
        ],
        'the cards',
      );
      assertEqual(filter, 'mine', 'the filter');
    },
  },
];
