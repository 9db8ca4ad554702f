// A message that joined a turn, in saves, logs, retries and requests.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, failAfter, gate, say, settle, stall } from '@banister/testing';
import { UndoHistory, type Operation, type SavedConversation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, rejection } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

const image = { mediaType: 'image/png', data: 'AAAABBBBCCCC' };
const domains = () => [createBoard().domain()];

/** A session with a turn that a message joined after its tool calls, and another after its answer. */
async function steeredTurn() {
  const more = gate();
  const f = fixture([callTools('One. ', addCard('A')), say(['Fine', more, '.']), say('Done.')], {
    domains: domains(),
    history: new UndoHistory(),
  });
  await f.session.resumeQueue();
  const turn = f.session.send('Go');
  void f.session.steer('Also a unique text');
  await more.reached;
  void f.session.steer({ text: 'Look', images: [image] });
  more.open();
  await turn;
  return f;
}

describe('a saved turn that messages joined', () => {
  it('opens with equal turns and messages, and has each text and image only once', async () => {
    await using f = await steeredTurn();
    const saved = f.session.save();
    const text = JSON.stringify(saved);
    expect(text.split('Also a unique text')).toHaveLength(2);
    expect(text.split(image.data)).toHaveLength(2);
    const again = createSession([], { conversation: JSON.parse(text) as SavedConversation });
    expect(again.session.turns.value).toEqual(f.session.turns.value);
    expect(again.session.conversation.value).toEqual(f.session.conversation.value);
    expect(again.session.save().turns[0]?.messages).toEqual(saved.turns[0]?.messages);
    await again.session.dispose();
  });

  it.each([
    ['a pair of numbers that names no such part', [0, 0], 'turns[0].messages[3]'],
    ['a pair of numbers beyond the rounds', [9, 9], 'turns[0].messages[3]'],
  ])('is refused for %s', async (_name, place, at) => {
    await using f = await steeredTurn();
    const saved = JSON.parse(JSON.stringify(f.session.save())) as { turns: { messages: unknown[] }[] };
    expect(Array.isArray(saved.turns[0]!.messages[3])).toBe(true);
    saved.turns[0]!.messages[3] = place;
    expect(() => createSession([], { conversation: saved as never })).toThrow(at);
  });

  it('is refused if the message of a steering part is not a user message', async () => {
    await using f = await steeredTurn();
    const saved = JSON.parse(
      JSON.stringify(f.session.save()).replace(
        /("type":"steering","message":\{[^}]*?"role":)"user"/,
        '$1"assistant"',
      ),
    ) as never;
    expect(() => createSession([], { conversation: saved })).toThrow('message.role');
  });
});

describe('a turn that a message joined', () => {
  it('a retry repeats the input only', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.']), failAfter(['x'], 'auth'), say('Done.')]);
    const turn = rejection(f.session.send('Go'));
    await more.reached;
    const steered = f.session.steer('Also B');
    more.open();
    expect((await turn).code).toBe('auth');
    expect(await steered).toBe('joined');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: Fine.',
      'user: Also B',
    ]);
    await f.session.retry();
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Done.']);
  });

  it('folds from its log to the state of the session', async () => {
    await using f = await steeredTurn();
    const { operations } = f.observed;
    expect(operations.filter(({ type }) => type === 'steered')).toMatchObject([
      { round: 1, message: { role: 'user' } },
      { round: 2, message: { role: 'user' } },
    ]);
    expect(fold(initialState(), [...operations])).toEqual(f.session.state);
  });
});

describe('an interrupted turn', () => {
  /** Opens the log up to the first operation of a type, goes on, and returns the messages of the turn. */
  async function resumedAfter(type: Operation['type'], nth = 1): Promise<readonly string[]> {
    await using f = await steeredTurn();
    let seen = 0;
    const end = f.observed.operations.findIndex((operation) => operation.type === type && ++seen === nth);
    const log = f.observed.operations.slice(0, end + 1);
    const one = createSession([say('Fine.'), say('Done.')], {
      restored: { snapshot: null, records: recordsOf([log]) },
      domains: domains(),
    });
    await opened(one.session);
    expect(one.session.interrupted.value).not.toBe(null);
    await one.session.resume();
    expect(checkOrder([...log, ...one.operations])).toEqual([]);
    expect(one.session.queue.value).toEqual([]);
    const messages = outline(
      one.session.turns.value.length === 1 ? one.session.conversation.value.messages : [],
    );
    await one.session.dispose();
    return messages;
  }

  const afterCall = ['user: Go', 'assistant: One.  | call board.add', 'user: result success'];
  const whole = [
    ...afterCall,
    'user: Also a unique text',
    'assistant: Fine.',
    'user: Look | image',
    'assistant: Done.',
  ];

  it.each([
    ['toolCompleted', 1],
    ['messagesAppended', 2],
    ['roundCompleted', 1],
  ] as const)('a waiting message joins at the next boundary: after %s', async (type, nth) => {
    expect(await resumedAfter(type, nth)).toEqual(whole.slice(0, 5));
  });

  it.each([
    ['modelCallFinished', 2],
    ['messagesAppended', 3],
    ['roundCompleted', 2],
  ] as const)('a waiting message joins after the final answer: after %s %i', async (type, nth) => {
    const messages = await resumedAfter(type, nth);
    expect(messages.slice(0, 6)).toEqual(whole.slice(0, 6));
    expect(messages).toHaveLength(7);
  });

  it('accepts steering messages, which wait until it continues', async () => {
    await using f = fixture([stall('x')]);
    void f.session.send('Go').catch(() => {});
    await settle();
    const log = [...f.observed.operations];
    const one = createSession([say('Fine.'), say('Done.')], {
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(one.session);
    const steered = one.session.steer('Also B');
    await settle();
    expect(one.session.queue.value).toMatchObject([{ input: 'Also B', steering: true }]);
    await one.session.resume();
    expect(await steered).toBe('joined');
    await one.session.dispose();
  });

  it('is not abandoned by a queued message, which waits for its end', async () => {
    await using f = fixture([stall('x')]);
    void f.session.send('Go').catch(() => {});
    await settle();
    const one = createSession([say('Fine.'), say('Done.')], {
      restored: { snapshot: null, records: recordsOf([[...f.observed.operations]]) },
    });
    await opened(one.session);
    const queued = one.session.enqueue('Next');
    await one.clock.advance(1_000);
    expect(one.session.state).toMatchObject({ queue: [{ input: 'Next' }], queuePaused: true });
    expect(one.session.interrupted.value).not.toBeNull();
    await one.session.resume();
    await one.clock.advance(0);
    expect(one.session.state).toMatchObject({ queue: [{ input: 'Next' }], queuePaused: true });
    await one.session.resumeQueue();
    await one.clock.advance(0);
    expect(await queued).toBe('completed');
    expect(
      outline(one.session.conversation.value.messages).filter((line) => line.startsWith('user')),
    ).toEqual(['user: Go', 'user: Next']);
    await one.session.dispose();
  });

  it('audit-AD-7 pauses the queue for a message that arrives meanwhile, unless the user resumes the queue first', async () => {
    await using f = fixture([stall('x')]);
    void f.session.send('Go').catch(() => {});
    await settle();
    const one = createSession([say('Fine.'), say('Done.')], {
      restored: { snapshot: null, records: recordsOf([[...f.observed.operations]]) },
    });
    await opened(one.session);
    expect(one.session.queuePaused.value).toBe(false);
    const queued = one.session.enqueue('Next');
    await one.clock.advance(1_000);
    expect(one.session.queuePaused.value).toBe(true);
    expect(one.session.interrupted.value?.turnId).toBe(f.session.liveTurn.value?.id);
    await one.session.resumeQueue();
    await one.session.resume();
    await one.clock.advance(0);
    expect(await queued).toBe('completed');
    await one.session.dispose();
  });

  it('if it is abandoned, leaves the steering messages at the head of the paused queue', async () => {
    await using f = fixture([stall('x')]);
    await f.session.resumeQueue();
    atOperation(f.session, 'modelCallStarted', () => void f.session.steer('Also B'));
    void f.session.send('Go').catch(() => {});
    await settle();
    const one = createSession([say('Done.')], {
      restored: { snapshot: null, records: recordsOf([[...f.observed.operations]]) },
    });
    await opened(one.session);
    await one.session.abandon();
    expect(one.session.queue.value).toMatchObject([{ input: 'Also B', steering: false }]);
    expect(one.session.queuePaused.value).toBe(true);
    await one.session.dispose();
  });
});
