import {
  createAgentSession,
  confirmTools,
  defineDomain,
  stagedDiscovery,
  UndoHistory,
  type JsonObject,
} from '@banister/session';
import { gatedTool, observe, settle, type TestRunner } from '@banister/testing';
import { onDevice } from '../src/index.js';
import { fakeLanguageModel, type FakeOptions } from './fake-language-model.js';

// Turns of a session over the fake of the browser's model. Runs in Node and in a browser, with the streams,
// abort signals and exceptions of each.

interface Board {
  readonly cards: string[];
  readonly slow: ReturnType<typeof gatedTool>;
}

function start(fake: FakeOptions, confirmed: readonly string[] = [], maxTools?: number) {
  const model = fakeLanguageModel(fake);
  const board: Board = { cards: [], slow: gatedTool('slow', { heedsSignal: true }) };
  const session = createAgentSession({
    provider: onDevice({ languageModel: model, maxTools }),
    ...(maxTools === undefined ? {} : { discovery: stagedDiscovery({ always: true }) }),
    domains: [
      defineDomain({
        id: 'board',
        tools: [
          {
            name: 'add',
            description: 'Adds a card.',
            parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
            execute(args, context) {
              const { title } = args as JsonObject & { title: string };
              board.cards.push(title);
              context.undo({
                description: `Added ${title}`,
                revert: () => void board.cards.splice(board.cards.indexOf(title), 1),
              });
              return `Added ${title}.`;
            },
          },
          board.slow,
        ],
      }),
    ],
    guards: [confirmTools(...confirmed)],
    history: new UndoHistory(),
  });
  const observed = observe(session);
  return {
    model,
    board,
    session,
    async [Symbol.asyncDispose]() {
      await session.dispose();
      observed.check();
      observed.dispose();
      if (model.live > 0) throw new Error(`${model.live} sessions of the model are left`);
    },
  };
}

const add = (...titles: readonly string[]) => ({
  call: titles.map((title) => ({ name: 'board_add', args: { title } })),
});

/** Tests the whole way from the session over the provider to the model. */
export function describeTurns({ describe, it }: TestRunner, expect: (value: unknown) => Expectation): void {
  describe('a turn on the device', () => {
    it('runs parallel calls one after the other, and can be undone as one', async () => {
      await using f = start({ answers: [['I add. ', add('A', 'B'), 'Done.']] });
      const result = await f.session.send('Go');
      expect(result.text).toBe('I add. Done.');
      expect(f.board.cards).toEqual(['A', 'B']);
      expect(f.model.toolResults).toEqual(['Added A.', 'Added B.']);
      await f.session.undo();
      expect(f.board.cards).toEqual([]);
    });

    it('requests confirmation in the middle of the answer, and returns a denial to the model', async () => {
      await using f = start({ answers: [[add('A', 'B'), 'Well.']] }, ['board.add']);
      const answers = [true, false];
      f.session.pendingConfirmation.subscribe((ask) => {
        if (ask === null) return;
        queueMicrotask(() => (answers.shift() ? ask.approve() : ask.deny('Not this one.')));
      });
      const result = await f.session.send('Go');
      expect(result.text).toBe('Well.');
      expect(f.board.cards).toEqual(['A']);
      expect(f.model.toolResults).toEqual([
        'Added A.',
        'Error: The user declined this call. Reason: Not this one.',
      ]);
    });

    it('continues in the next turn with the text and results so far', async () => {
      await using f = start({ answers: [[add('A'), 'Done.'], ['Again.']] });
      await f.session.send('Go');
      await f.session.send('And?');
      expect(f.model.created[1]?.initialPrompts).toEqual([
        { role: 'user', content: 'Go' },
        { role: 'assistant', content: '[Called board_add with {"title":"A"}]' },
        { role: 'user', content: '[Result of board_add] Added A.' },
        { role: 'assistant', content: 'Done.' },
      ]);
      expect(f.model.live).toBe(0);
    });

    it('gets the tools of a domain with another session of the model, never more than the cap', async () => {
      const activate = { call: [{ name: 'banister_use_domain', args: { ids: ['board'] } }] };
      await using f = start(
        {
          answers: [
            ['I look. ', activate, 'Never said.'],
            [add('A'), 'Done.'],
          ],
        },
        [],
        4,
      );
      const result = await f.session.send('Go');
      expect(result.text).toBe('I look. \n\nDone.');
      expect(f.board.cards).toEqual(['A']);
      expect(f.model.created.map(({ tools }) => tools?.length)).toEqual([2, 4]);
      expect(f.model.live).toBe(0);
    });

    it('is refused if the session has more tools than the cap, and no staged discovery', async () => {
      await using f = start({ answers: [['Hi.']] }, [], 1);
      f.session.configure({ discovery: null });
      const error = await f.session.send('Go').catch((thrown: { code: string }) => thrown.code);
      expect(error).toBe('unsupported');
      expect(f.model.created).toEqual([]);
    });

    it('X1 is cancelled while a tool runs inside: the tool finishes, the model’s session is gone at once', async () => {
      await using f = start({
        answers: [['One. ', add('A'), { call: [{ name: 'board_slow', args: {} }] }, 'Two.']],
      });
      const turn = f.session.send('Go').catch((error: { code: string }) => error.code);
      const run = await f.board.slow.next();
      void f.session.cancel();
      await settle();
      expect(f.model.live).toBe(0);
      expect(f.session.isRunning.value).toBe(true);
      expect(run.context.signal.aborted).toBe(false);
      run.settle('ok');
      expect(await turn).toBe('cancelled');
      expect(f.board.cards).toEqual([]);
      expect(f.session.currentText.value).toBe('One. ');
    });

    it('X1 is aborted while a tool runs inside', async () => {
      await using f = start({ answers: [[{ call: [{ name: 'board_slow', args: {} }] }, 'Two.']] });
      const turn = f.session.send('Go').catch((error: { code: string }) => error.code);
      const run = await f.board.slow.next();
      void f.session.cancel();
      void f.session.cancel();
      expect(await turn).toBe('cancelled');
      expect(run.context.signal.aborted).toBe(true);
      expect(f.model.live).toBe(0);
    });

    it('that the browser breaks off reverts its effects', async () => {
      await using f = start({ answers: [[add('A'), 'Half', 'destroy']] });
      const failed = await f.session.send('Go').catch((error: { code: string }) => error.code);
      expect(failed).toBe('interrupted');
      expect(f.board.cards).toEqual([]);
    });

    it('needs another round if the browser only requests tools', async () => {
      const call = {
        type: 'tool-call',
        value: { callId: 'c', name: 'board_add', arguments: { title: 'A' } },
      };
      await using f = start({ tools: 'open', answers: [['I add. ', { chunk: call }], ['Done.']] });
      const result = await f.session.send('Go');
      expect([result.text, result.rounds]).toEqual(['I add. \n\nDone.', 2]);
      expect(f.board.cards).toEqual(['A']);
      expect(f.model.asked[1]).toEqual([{ role: 'user', content: '[Result of board_add] Added A.' }]);
    });
  });
}

interface Expectation {
  toBe(value: unknown): void;
  toEqual(value: unknown): void;
}
