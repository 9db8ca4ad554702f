// A steering message that cannot join the turn.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  failAfter,
  gate,
  gatedTool,
  recordingHistory,
  say,
  settle,
  stall,
  type Gate,
} from '@banister/testing';
import { stop, UndoHistory, type SendOptions } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, rejection, terminals, type Fixture } from './fixture.js';

const callAct = { tool: 'app.act', args: {} };

/** Sends a message, and steers when its answer waits at the gate. */
async function steerAt(more: Gate, { session }: Fixture, options?: SendOptions) {
  const turn = session.send('Go', options);
  await more.reached;
  return { turn, steered: session.steer('Also B') };
}

describe('steer becomes the first of the queue', () => {
  it('on the last permitted round: no limit trips, and the message starts the next turn', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.']), say('Done.')]);
    const { turn, steered } = await steerAt(more, f, { limits: { maxRounds: 1 } });
    more.open();
    expect((await turn).status).toBe('completed');
    expect(await steered).toBe('queued');
    expect(f.session.queue.value).toMatchObject([{ input: 'Also B', steering: false }]);
    expect(f.session.queuePaused.value).toBe(false);
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['completed', 'completed']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: Fine.',
      'user: Also B',
      'assistant: Done.',
    ]);
  });

  it('if the remaining tokens do not cover another request', async () => {
    const more = gate();
    const usage = { inputTokens: 60, outputTokens: 10 };
    await using f = fixture([say(['Fine', more, '.'], { usage }), say('Done.')]);
    const { turn, steered } = await steerAt(more, f, { limits: { maxTokens: 100 } });
    more.open();
    expect((await turn).status).toBe('completed');
    expect(await steered).toBe('queued');
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['completed', 'completed']);
  });

  it('when the commit has begun it becomes the head of the queue', async () => {
    await using f = fixture([say('Fine.'), say('Done.')]);
    await f.session.resumeQueue();
    let steered: Promise<string> | undefined;
    atOperation(f.session, 'commitStarted', () => (steered = f.session.steer('Also B')));
    await f.session.send('Go');
    expect(await steered).toBe('queued');
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['completed', 'completed']);
  });

  it('when the turn stops it becomes the head of the queue', async () => {
    const tool = gatedTool('act');
    await using f = fixture([callTools('', callAct), say('Done.')], {
      domains: [{ id: 'app', tools: [tool] }],
    });
    const turn = f.session.send('Go');
    const run = await tool.next();
    const steered = f.session.steer('Also B');
    await settle();
    run.settle(stop('Enough.'));
    expect((await turn).status).toBe('stopped');
    expect(await steered).toBe('queued');
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['stopped', 'completed']);
  });

  it('when the turn fails it becomes the head of the queue', async () => {
    const more = gate();
    await using f = fixture([failAfter(['Fine', more], 'auth'), say('Done.')]);
    const { turn, steered } = await steerAt(more, f);
    more.open();
    expect((await rejection(turn)).code).toBe('auth');
    expect(await steered).toBe('queued');
    expect(f.session.queuePaused.value).toBe(true);
    await f.clock.advance(60_000);
    expect(terminals(f)).toEqual(['failed']);
    await f.session.resumeQueue();
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['failed', 'completed']);
  });

  it('after the last call, a cancel takes precedence over a steering message', async () => {
    const tool = gatedTool('act');
    await using f = fixture([callTools('', callAct)], { domains: [{ id: 'app', tools: [tool] }] });
    await f.session.resumeQueue();
    const turn = rejection(f.session.send('Go'));
    const run = await tool.next();
    const steered = f.session.steer('Also B');
    const cancelled = f.session.cancel();
    run.settle();
    expect((await cancelled).cancelled).toBe(true);
    expect((await turn).code).toBe('cancelled');
    expect(await steered).toBe('queued');
    expect(f.observed.types).not.toContain('steered');
    expect(f.session.queuePaused.value).toBe(true);
  });

  it('a cancel between the round and the message takes precedence', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.'])]);
    const { turn, steered } = await steerAt(more, f);
    await settle(1);
    atOperation(f.session, 'roundCompleted', () => void f.session.cancel());
    more.open();
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(await steered).toBe('queued');
    expect(f.observed.types).not.toContain('steered');
  });

  it('when a limit stops the turn', async () => {
    await using f = fixture([callTools('', addCard('A'))], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    const turn = f.session.send('Go', { limits: { maxRounds: 1, onTrip: 'stop' } });
    const steered = f.session.steer('Also B');
    await settle(1);
    expect((await turn).status).toBe('stopped');
    expect(await steered).toBe('queued');
    await f.session.dequeue(f.session.queue.value[0]!.id);
    expect(f.session.turns.value).toHaveLength(1);
  });
});

describe('steer without a turn', () => {
  it('on an idle session starts a turn at once', async () => {
    await using f = fixture([say('Done.')]);
    expect(await f.session.steer('Go')).toBe('queued');
    await settle();
    expect(terminals(f)).toEqual(['completed']);
    expect(f.observed.types).not.toContain('queued');
  });

  it('with a paused queue, becomes the first queued message and starts no turn', async () => {
    await using f = fixture([stall()], {});
    void f.session.send('Go');
    void f.session.enqueue('Later');
    await settle();
    await f.session.cancel();
    expect(await f.session.steer('First')).toBe('queued');
    expect(f.session.queue.value.map(({ input }) => input)).toEqual(['First', 'Later']);
    expect(f.session.queuePaused.value).toBe(true);
    await f.clock.advance(60_000);
    expect(f.session.isRunning.value).toBe(false);
  });

  it('while an undo runs: its turn begins when the undo has ended', async () => {
    const history = recordingHistory();
    const board = createBoard();
    await using f = fixture([callTools('', addCard('A')), say('Done.'), say('Next.')], {
      domains: [board.domain()],
      history,
    });
    await f.session.send('Go');
    let steered: Promise<string> | undefined;
    atOperation(f.session, 'undoStarted', () => (steered = f.session.steer('And then')));
    await f.session.resumeQueue();
    const undone = f.session.undo();
    await settle();
    await undone;
    expect(await steered).toBe('queued');
    expect(f.session.queue.value).toMatchObject([{ input: 'And then', steering: false }]);
    await f.clock.advance(0);
    expect(terminals(f)).toEqual(['completed', 'completed']);
  });
});

describe('a message that waits to join the turn', () => {
  it('is cancelled by `dequeue`, and the turn ends as if it had not been sent', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.'])]);
    const { turn, steered } = await steerAt(more, f);
    await settle(1);
    expect(await f.session.dequeue(f.session.queue.value[0]!.id)).toBe(true);
    expect(await steered).toBe('cancelled');
    more.open();
    expect(await turn).toMatchObject({ status: 'completed', rounds: 1 });
  });

  it('can be changed, and is not overtaken by queued messages', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.']), say('Done.'), say('Later.')]);
    const { turn, steered } = await steerAt(more, f);
    const later = f.session.enqueue('Later');
    await settle(1);
    const [steering, ordinary] = f.session.queue.value;
    expect(await f.session.requeue(ordinary!.id, { before: steering!.id })).toBe(true);
    expect(await f.session.requeue(steering!.id, { input: 'Also C' })).toBe(true);
    expect(f.session.queue.value.map(({ input }) => input)).toEqual(['Also C', 'Later']);
    more.open();
    await turn;
    expect(await steered).toBe('joined');
    await f.clock.advance(0);
    expect(await later).toBe('completed');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: Fine.',
      'user: Also C',
      'assistant: Done.',
      'user: Later',
      'assistant: Later.',
    ]);
  });

  it('if it is removed after the final answer was completed for it, the turn does not change', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.'])]);
    const { turn, steered } = await steerAt(more, f);
    await settle(1);
    const { id } = f.session.queue.value[0]!;
    atOperation(f.session, 'roundCompleted', () => void f.session.dequeue(id));
    more.open();
    expect(await turn).toMatchObject({ status: 'completed', rounds: 1, text: 'Fine.' });
    expect(await steered).toBe('cancelled');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Fine.']);
  });

  it('rejects, and changes nothing, for an empty message', async () => {
    await using f = fixture([stall()]);
    void f.session.send('Go');
    await settle();
    const before = f.session.state;
    expect((await rejection(f.session.steer(' '))).code).toBe('invalid-input');
    expect(f.session.state).toBe(before);
  });
});
