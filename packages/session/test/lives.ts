import {
  callInside,
  callTools,
  fail,
  finishWith,
  forcedGuard,
  gate,
  gatedTool,
  say,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import {
  conflict,
  denied,
  failed,
  stop,
  UndoHistory,
  type JsonObject,
  type SavedConversation,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';

const image = (data: string) => ({ mediaType: 'image/png', data });
const usage = {
  inputTokens: 1_200,
  outputTokens: 34,
  cachedInputTokens: 1_000,
  cost: { amount: 0.0042, currency: 'EUR' },
};
const call = (name: string, args: JsonObject = {}) => ({ tool: `board.${name}`, args });
const askBeforeAdding = () =>
  forcedGuard('ask', ({ tool }) => (tool === 'board.add' ? { confirm: 'Sure?' } : 'allow'));
const undoable = () => ({ domains: [createBoard().domain()], history: new UndoHistory() });

/** Lives of sessions, by name. Each of them ends with a saved conversation. */
export const lives: Readonly<Record<string, () => Promise<SavedConversation>>> = {
  empty: async () => {
    await using f = fixture([]);
    return f.session.save();
  },

  text: async () => {
    await using f = fixture([say(['Hello, ', 'Ada. \u{1f44b}'], { usage }), finishWith('length', 'Cut of')]);
    await f.session.send('Hi\n\n"quoted" \\ </script> \u2028');
    await f.session.send('And now?');
    return f.session.save();
  },

  thinking: async () => {
    await using f = fixture(
      [
        callTools(
          { type: 'thinking', delta: 'First ' },
          { type: 'thinking', delta: 'this.', signature: 'sig-1==' },
          { type: 'thinking', delta: '', signature: 'redacted==' },
          'I look. ',
          { type: 'opaque', data: { item: { id: 'rs_1', encrypted: 'abc', deep: [1, null, true] } } },
          call('list'),
        ),
        say('Nothing there.', { thinking: ['Unsigned ', 'reasoning.'] }),
      ],
      { domains: [createBoard().domain()] },
    );
    await f.session.send('What is on the board?');
    return f.session.save();
  },

  images: async () => {
    const picture = spyTool('picture', {
      capabilities: ['readOnly'],
      execute: () => [
        { type: 'image', ...image('QUJD') },
        { type: 'text', text: 'A picture.' },
      ],
    });
    await using f = fixture([callTools(call('picture')), say('Both are blue.'), say('Green.')], {
      domains: [{ id: 'board', tools: [picture] }],
    });
    await f.session.send({ text: 'Compare', images: [image('AAAA'), image('BBBB')] });
    await f.session.send({ text: '', images: [image('CCCC')] });
    return f.session.save();
  },

  'tool outcomes': async () => {
    const tools = [
      spyTool('fails', { execute: () => failed('It is full.') }),
      spyTool('refuses', { execute: () => denied('Not on Sundays.') }),
      spyTool('differs', { execute: () => conflict('1', '2') }),
      spyTool('throws', {
        execute: () => {
          throw new Error('Broken.');
        },
      }),
      spyTool('odd', { execute: () => 10n as never }),
      spyTool('reports', {
        execute: (_args, context) => {
          context.progress({ percent: 50, step: 'one' });
          context.progress({ percent: 100 });
          return { rows: [1, 2] };
        },
      }),
      spyTool('stops', { execute: () => stop('Enough.') }),
    ];
    const slow = gatedTool('slow', { timeoutMs: 1_000 });
    await using f = fixture(
      [
        callTools(
          ...['fails', 'refuses', 'differs', 'throws', 'odd', 'reports', 'slow'].map((name) => call(name)),
          { tool: 'board.unknown' },
          { tool: 'board.add', argumentsText: '{"title": 3}' },
          { tool: 'board.add', argumentsText: '{"bad' },
        ),
        callTools(call('stops')),
      ],
      { domains: [createBoard().domain(slow, ...tools)], guards: [forcedGuard('open', 'allow')] },
    );
    const turn = f.session.send('Try them all');
    const run = await slow.next();
    await f.clock.advance(1_000);
    await turn;
    run.throw(new Error('Too late.'));
    await settle();
    return f.session.save();
  },

  'inner calls': async () => {
    await using f = fixture(
      [
        finishWith(
          'stop',
          'I add both. ',
          callInside(addCard('A')),
          'One. ',
          callInside(addCard('B')),
          'Two.',
        ),
      ],
      undoable(),
    );
    await f.session.send('Add A and B');
    return f.session.save();
  },

  confirmations: async () => {
    await using f = fixture(
      [callTools(addCard('Draft')), say('Added.'), callTools(addCard('Other')), say('Then not.')],
      { domains: [createBoard().domain()], guards: [askBeforeAdding()] },
    );
    for (const answer of [
      { approve: true, arguments: { title: 'Final' } },
      { approve: false, reason: 'Not today.' },
    ] as const) {
      const turn = f.session.send('Add a card');
      await settle();
      await f.session.respond(f.session.state.pendingConfirmations[0]!.id, answer);
      await turn;
    }
    return f.session.save();
  },

  retry: async () => {
    await using f = fixture(
      [
        say('Hi.'),
        callTools('Half. ', addCard('A')),
        fail('auth'),
        stall('Again '),
        say('Done.'),
        say('Bye.'),
      ],
      undoable(),
    );
    await f.session.send('Hello');
    await rejection(f.session.send('Go'));
    void f.session.retry();
    await settle();
    await f.session.cancel();
    await f.session.retry();
    await f.session.send('Thanks');
    return f.session.save();
  },

  'failed retry': async () => {
    const mail = spyTool('mail', { execute: (_args, context) => context.irreversible('Sent a mail') });
    await using f = fixture([callTools(addCard('A'), call('mail')), fail('auth'), fail('quota')], {
      domains: [createBoard().domain(mail)],
      history: new UndoHistory(),
    });
    await rejection(f.session.send('Go'));
    await rejection(f.session.retry());
    return f.session.save();
  },

  undo: async () => {
    const board = createBoard();
    await using f = fixture(
      [
        callTools(addCard('A')),
        say('A.'),
        callTools(addCard('B')),
        say('B.'),
        callTools(addCard('C'), addCard('D')),
        say('C and D.'),
        callTools({ tool: 'board.drop', args: { title: 'A' } }),
        say('Dropped.'),
      ],
      { domains: [board.domain()], history: new UndoHistory() },
    );
    await f.session.send('Add A');
    await f.session.send('Add B');
    await f.session.undo();
    await f.session.redo();
    await f.session.send('Add C and D');
    // The edit of the user stands in the way of one revert.
    board.rename('C', 'Mine');
    await f.session.undo({ force: true });
    await f.session.send('Drop A');
    await f.session.undo();
    return f.session.save();
  },

  cancelled: async () => {
    await using f = fixture(
      [callTools(addCard('A')), stall('Half'), callTools(addCard('B')), stall('More'), stall('x')],
      undoable(),
    );
    for (const sideEffects of ['keep', 'rollback'] as const) {
      void f.session.send('Go');
      await settle();
      await f.session.cancel({ sideEffects });
    }
    void f.session.send('Once more');
    await settle();
    await f.session.cancel({ immediate: true });
    return f.session.save();
  },

  'late settlements': async () => {
    const slow = gatedTool('slow');
    const calls = callTools(call('slow'));
    await using f = fixture([calls, calls, calls, say('I see.')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    const endings: readonly ((run: Awaited<ReturnType<typeof slow.next>>) => void)[] = [
      (run) => {
        run.context.undo({ description: 'Slow work', revert: () => {} });
        run.settle('late');
      },
      (run) => run.throw(new Error('late')),
      () => {},
    ];
    for (const end of endings) {
      void f.session.send('Go');
      const run = await slow.next();
      await f.session.cancel({ immediate: true });
      end(run);
      await settle();
    }
    await f.session.send('Well?');
    return f.session.save();
  },

  interrupted: async () => {
    const more = gate();
    await using f = fixture([say('Hi.'), callTools('One. ', addCard('A')), say(['Two', more])], undoable());
    await f.session.send('Hello');
    const turn = f.session.send('Go');
    await more.reached;
    const saved = f.session.save();
    more.open();
    await turn;
    return saved;
  },

  'interrupted question': async () => {
    await using f = fixture([callTools(addCard('A'))], {
      domains: [createBoard().domain()],
      guards: [askBeforeAdding()],
    });
    void f.session.send('Go');
    await settle();
    const saved = f.session.save();
    await f.session.cancel();
    return saved;
  },
};
