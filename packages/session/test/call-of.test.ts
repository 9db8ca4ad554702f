import { describe, expect, it } from 'vitest';
import { callTools, gate, say, settle, type AnswerSource } from '@handrail/testing';
import {
  callOf,
  confirmTools,
  defineTool,
  failed,
  success,
  type AgentSession,
  type ToolCallView,
} from '@handrail/session';
import { fixture } from './fixture.js';

interface Card {
  readonly id: number;
  readonly due?: Date;
}

const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: {
    type: 'object',
    properties: { title: { type: 'string' }, column: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  execute({ title }): Card | ReturnType<typeof failed | typeof success> {
    if (title === 'Full') return failed('The board is full.');
    if (title === 'Twice') return success({ id: 1 }, { id: 2 });
    return { id: 7, due: new Date(0) };
  },
});
const clear = defineTool({
  name: 'clear',
  description: 'Clears the board.',
  parameters: { type: 'object', properties: {} },
  execute() {},
});

function board(answers: readonly AnswerSource[], guarded: readonly string[] = []) {
  return fixture(answers, {
    domains: [{ id: 'board', tools: [addCard, clear] }],
    guards: [confirmTools(...guarded)],
  });
}

function lastCall(session: AgentSession): ToolCallView {
  const parts = session.turns.value.at(-1)?.rounds[0]?.parts ?? [];
  const call = parts.find((part) => part.type === 'tool-call');
  if (call === undefined) throw new Error('There is no call.');
  return call;
}

describe('T4: callOf', () => {
  it('T4: reads arguments while they are written', async () => {
    const rest = gate();
    await using f = board([
      callTools({ tool: 'board.add', argumentsText: ['{"title": "Pla', rest, 'n"}'] }),
      say('Done.'),
    ]);
    const turn = f.session.send('Go');
    await rest.reached;
    const [open] = f.session.activeToolCalls.value;
    expect(callOf(addCard, open!)).toMatchObject({ arguments: { title: 'Pla' }, value: undefined });
    rest.open();
    await turn;
    expect(callOf(addCard, lastCall(f.session))?.arguments?.title).toBe('Plan');
  });

  it('T4: reads the value that the tool returned, as JSON', async () => {
    await using f = board([callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('Done.')]);
    await f.session.send('Go');
    const call = lastCall(f.session);
    expect(callOf(addCard, call)?.value).toEqual({ id: 7, due: '1970-01-01T00:00:00.000Z' });
    expect(callOf(addCard, call)?.view).toBe(call);
  });

  it('T4: reads the arguments that the user edited, and the value behind them', async () => {
    await using f = board(
      [callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('Done.')],
      ['board.add'],
    );
    const turn = f.session.send('Go');
    await settle();
    void f.session.pendingConfirmation.value!.approve({ arguments: { title: 'Better' } });
    await turn;
    const added = callOf(addCard, lastCall(f.session));
    expect(added?.ranWith?.title).toBe('Better');
    expect(added?.value).toMatchObject({ id: 7 });
  });

  it.each(['Full', 'Twice'])('T4: has no value where the tool did not return one: %s', async (title) => {
    await using f = board([callTools({ tool: 'board.add', args: { title } }), say('Done.')]);
    await f.session.send('Go');
    expect(callOf(addCard, lastCall(f.session))?.value).toBe(undefined);
  });

  it('T4: is null for a call of another tool', async () => {
    await using f = board([callTools({ tool: 'board.clear' }), say('Done.')]);
    await f.session.send('Go');
    expect(callOf(addCard, lastCall(f.session))).toBe(null);
    expect(callOf(clear, lastCall(f.session))?.value).toBe(undefined);
  });
});
