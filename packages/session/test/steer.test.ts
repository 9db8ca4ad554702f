// A message that joins the running turn, at each point of the turn.
import { describe, expect, it } from 'vitest';
import { callTools, fail, gate, gatedTool, say, settle } from '@banister/testing';
import { confirmTools, UndoHistory, type TurnRecord } from '@banister/session';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture, outline, terminals, type Fixture } from './fixture.js';

/** One line for each part of the record, with a bar between rounds. */
function recordOf(turn: TurnRecord | undefined): readonly string[] {
  return (turn?.rounds ?? []).map(({ parts }) =>
    parts
      .map((part) => {
        if (part.type === 'steering') return `steering ${outline([part.message]).join('')}`;
        return part.type === 'text' ? part.text : part.type;
      })
      .join(' | '),
  );
}

/** Expects a turn that a message joined after its only call. */
async function expectJoined(f: Fixture, steered: Promise<string>): Promise<void> {
  await settle();
  expect(await steered).toBe('joined');
  expect(f.session.queue.value).toEqual([]);
  const messages = ['user: Go', 'assistant: One.  | call board.add', 'user: result success', 'user: Also B'];
  expect(outline(f.session.conversation.value.messages)).toEqual([...messages, 'assistant: Done.']);
  expect(outline(f.provider.requests.at(-1)!.messages)).toEqual(messages);
  expect(recordOf(f.session.turns.value[0])).toEqual(['One.  | tool-call | steering user: Also B', 'Done.']);
  expect(terminals(f)).toEqual(['completed']);
}

const boarded = () => ({ domains: [createBoard().domain()], history: new UndoHistory() });

describe('steer joins after the exchange of the round', () => {
  it('a message that steers joins after the exchange of the round, while the turn is prepared', async () => {
    await using f = fixture([callTools('One. ', addCard('A')), say('Done.')], boarded());
    const turn = f.session.send('Go');
    const steered = f.session.steer('Also B');
    await settle(1);
    await turn;
    await expectJoined(f, steered);
  });

  it('while the model thinks', async () => {
    const more = gate();
    const thinking = { type: 'thinking', delta: 'Hm.' } as const;
    await using f = fixture([callTools(thinking, more, 'One. ', addCard('A')), say('Done.')], boarded());
    void f.session.send('Go');
    await more.reached;
    const steered = f.session.steer('Also B');
    await settle(1);
    expect(f.session.queue.value).toMatchObject([{ input: 'Also B', steering: true }]);
    more.open();
    await settle();
    expect(await steered).toBe('joined');
    expect(recordOf(f.session.turns.value[0])).toEqual([
      'thinking | One.  | tool-call | steering user: Also B',
      'Done.',
    ]);
  });

  it('while text streams', async () => {
    const more = gate();
    await using f = fixture([callTools('One', more, '. ', addCard('A')), say('Done.')], boarded());
    void f.session.send('Go');
    await more.reached;
    const steered = f.session.steer('Also B');
    more.open();
    await expectJoined(f, steered);
  });

  it('while the user is asked', async () => {
    const options = { ...boarded(), guards: [confirmTools('board.add')] };
    await using f = fixture([callTools('One. ', addCard('A')), say('Done.')], options);
    void f.session.send('Go');
    await settle();
    expect(f.session.phase.value).toBe('confirming');
    const steered = f.session.steer('Also B');
    await settle();
    expect(f.session.phase.value).toBe('confirming');
    await f.session.pendingConfirmation.value?.approve();
    await expectJoined(f, steered);
  });

  it('while a tool runs', async () => {
    const slow = gatedTool('add', { parameters: { type: 'object' } });
    await using f = fixture([callTools('One. ', addCard('A')), say('Done.')], {
      domains: [{ id: 'board', tools: [slow] }],
    });
    void f.session.send('Go');
    const run = await slow.next();
    const steered = f.session.steer('Also B');
    await settle();
    run.settle();
    await expectJoined(f, steered);
  });
});

describe('steer joins after', () => {
  it('a repeated attempt, if it arrives during the delay', async () => {
    await using f = fixture([fail('overloaded'), callTools('One. ', addCard('A')), say('Done.')], boarded());
    void f.session.send('Go');
    await settle();
    expect(f.session.phase.value).toBe('retrying');
    const steered = f.session.steer('Also B');
    await f.clock.runAll();
    await expectJoined(f, steered);
  });

  it('a final answer, which becomes an ordinary exchange; one more round follows', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.']), say('Done.')]);
    const turn = f.session.send('Go');
    await more.reached;
    const steered = f.session.steer('Also B');
    more.open();
    expect(await turn).toMatchObject({ status: 'completed', text: 'Fine.\n\nDone.', rounds: 2 });
    expect(await steered).toBe('joined');
    const conversation = ['user: Go', 'assistant: Fine.', 'user: Also B', 'assistant: Done.'];
    expect(outline(f.session.conversation.value.messages)).toEqual(conversation);
    expect(outline((await turn).messages)).toEqual(conversation);
    expect(recordOf(f.session.turns.value[0])).toEqual(['Fine. | steering user: Also B', 'Done.']);
    expect(f.observed.types.filter((type) => type === 'roundCompleted' || type === 'steered')).toEqual([
      'roundCompleted',
      'steered',
      'roundCompleted',
    ]);
  });

  it('the last call of a final answer', async () => {
    await using f = fixture([say('Fine.'), say('Done.')]);
    await settle();
    let steered: Promise<string> | undefined;
    atOperation(f.session, 'modelCallFinished', () => (steered = f.session.steer('Also B')));
    // The code of the queue is loaded by the first command.
    await f.session.resumeQueue();
    await f.session.send('Go');
    expect(await steered).toBe('joined');
    expect(recordOf(f.session.turns.value[0])).toEqual(['Fine. | steering user: Also B', 'Done.']);
  });

  it('another message, in call order', async () => {
    const more = gate();
    await using f = fixture([say(['Fine', more, '.']), say('Done.')]);
    const turn = f.session.send('Go');
    await more.reached;
    const first = f.session.steer('Also B');
    const second = f.session.steer({ text: 'And C', images: [{ mediaType: 'image/png', data: 'AAAA' }] });
    more.open();
    await turn;
    expect([await first, await second]).toEqual(['joined', 'joined']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: Fine.',
      'user: Also B',
      'user: And C | image',
      'assistant: Done.',
    ]);
  });
});
