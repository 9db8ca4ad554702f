import { recordingJournal, type AnswerSource } from '@banister/testing';
import type { OperationType } from '@banister/session';
import { dataBoard } from './data-board.js';
import { atOperation, fixture, type FixtureOptions } from './fixture.js';

/** A call that adds a card. */
export const addPlan = { tool: 'board.add', args: { title: 'Plan' } };

/** A session that stops while a write is refused, and a journal that can be cut from it. */
export function cuttable(answers: readonly AnswerSource[], options: FixtureOptions = {}) {
  let isCut = false;
  const journal = recordingJournal(() => (isCut ? 'refuse' : 'resolve'));
  const f = fixture(answers, { whenUnsaved: 'stop', looseScript: true, ...options, ports: { journal } });
  const cut = () => void (isCut = true);
  const heal = async () => {
    isCut = false;
    await f.clock.advance(1_000);
  };
  return { f, journal, cut, cutAt: (type: OperationType) => atOperation(f.session, type, cut), heal };
}

/** A session with a tool that adds a card, of which the call may be repeated. */
export function withBoard(answers: readonly AnswerSource[], options: FixtureOptions = {}) {
  const board = dataBoard();
  const acted: string[] = [];
  const add = { ...board.add, replay: 'safe' as const };
  const tool: typeof add = {
    ...add,
    async execute(args, context) {
      const result = await add.execute(args, context);
      acted.push(args.title);
      return result;
    },
  };
  const domains = [{ ...board.domain(), tools: [tool] }];
  return { ...cuttable(answers, { domains, ...options }), board, acted };
}
