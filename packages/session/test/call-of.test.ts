import { describe, expect, it } from 'vitest';
import { callTools, gate, say, scriptedCall, settle, type AnswerSource } from '@banister/testing';
import {
  callOf,
  confirmTools,
  defineGuard,
  defineTool,
  failed,
  success,
  type AgentSession,
  type ToolCallView,
  type ToolContext,
} from '@banister/session';
import { callOfEffect, confirmationOf } from '@banister/session/view';
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
  it('audit-AD-11 `callOf` has the progress as it was reported, objects merged', async () => {
    const save = defineTool({
      name: 'save',
      description: 'Saves.',
      parameters: { type: 'object', properties: { rows: { type: 'number' } } },
      execute({ rows }, { progress }: ToolContext<{ readonly saved: number; readonly of?: number }>) {
        if (rows === undefined) return;
        progress({ saved: 0, of: rows });
        progress({ saved: rows });
      },
    });
    const { session } = fixture(
      [
        callTools({ tool: 'board.save', args: {} }),
        callTools({ tool: 'board.save', args: { rows: 3 } }),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [save] }] },
    );
    await session.send('Save');
    const calls = session.turns.value[0]!.rounds.flatMap(({ parts }) =>
      parts.map((part) => callOf(save, part)),
    );
    expect(calls.map((call) => call?.progress)).toEqual([undefined, { saved: 3, of: 3 }, undefined]);
  });

  it('T4: `callOf` reads arguments while they are written', async () => {
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

  it('T4: reads the arguments that the user edited, and the value that the tool returned for them', async () => {
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

  it.each(['Full', 'Twice'])('T4: has no value if the tool did not return one: %s', async (title) => {
    await using f = board([callTools({ tool: 'board.add', args: { title } }), say('Done.')]);
    await f.session.send('Go');
    expect(callOf(addCard, lastCall(f.session))?.value).toBe(undefined);
  });

  it('T4: has the complete arguments when the call runs, not while it is written or waits', async () => {
    const rest = gate();
    const added: unknown[] = [];
    await using f = board(
      [callTools({ tool: 'board.add', argumentsText: ['{"title": "Pla', rest, 'n"}'] }), say('Done.')],
      ['board.add'],
    );
    const now = () => added.push(callOf(addCard, f.session.activeToolCalls.value[0]!)?.complete);
    const turn = f.session.send('Go');
    await rest.reached;
    now();
    rest.open();
    await settle();
    now();
    void f.session.pendingConfirmation.value!.approve();
    await turn;
    expect(added).toEqual([undefined, undefined]);
    expect(callOf(addCard, lastCall(f.session))?.complete).toEqual({ title: 'Plan' });
  });

  it.each([
    ['executing', undefined, true],
    ['interrupted', undefined, true],
    ['settled', undefined, true],
    ['settled', 'denied', true],
    ['settled', 'declined', true],
    ['settled', 'confirmation-timeout', true],
    ['settled', 'confirmation-failed', true],
    ['settled', 'invalid-arguments', false],
    ['settled', 'not-run', false],
    ['waiting', undefined, false],
    ['assembling', undefined, false],
  ] as const)('T4: the state tells whether arguments were checked: %s %s', (state, rejection, isKnown) => {
    const view: ToolCallView = {
      type: 'tool-call',
      id: 'call',
      tool: 'board.add',
      index: 0,
      state,
      argumentsText: '',
      arguments: { title: 'Plan' },
      ...(rejection === undefined ? {} : { rejection }),
    };
    expect(callOf(addCard, view)?.complete).toEqual(isKnown ? { title: 'Plan' } : undefined);
    expect(callOf(addCard, { ...view, ranWith: { title: 'Better' } })?.complete).toEqual(
      isKnown ? { title: 'Better' } : undefined,
    );
  });

  it('T4: leaves out arguments of a type that the schema does not allow', async () => {
    const args = { title: 7, column: 'Todo' };
    await using f = board([callTools({ tool: 'board.add', args }), say('Done.')]);
    await f.session.send('Go');
    const call = lastCall(f.session);
    expect(call.rejection).toBe('invalid-arguments');
    expect(callOf(addCard, call)).toMatchObject({ arguments: { column: 'Todo' }, complete: undefined });
    expect(callOf(addCard, call)?.arguments).not.toHaveProperty('title');
  });

  it('T4: reads the parts of a turn; null for text, and for a tool that the provider hosts', async () => {
    await using f = board([
      callTools('Let me see. ', scriptedCall('board', addCard, { title: 'Plan' })),
      say('Done.'),
    ]);
    await f.session.send('Go');
    const parts = f.session.turns.value[0]!.rounds[0]!.parts;
    expect(parts.map((part) => callOf(addCard, part)?.complete?.title)).toEqual([undefined, 'Plan']);
    const call = lastCall(f.session);
    expect(callOf(addCard, { ...call, hosted: true })).toBe(null);
  });

  it('T4: reads the call of a confirmation, and of a guard, as the same object', async () => {
    const guarded: unknown[] = [];
    await using f = fixture(
      [callTools(scriptedCall('board', addCard, { title: 'Plan' }), { tool: 'board.clear' }), say('Done.')],
      {
        domains: [{ id: 'board', tools: [addCard, clear] }],
        guards: [
          defineGuard('watch', (call) => {
            guarded.push(callOf(addCard, call)?.arguments.title);
            expect(callOf(addCard, call) ?? call).toBe(call);
            return 'allow';
          }),
          confirmTools('board.add', 'board.clear'),
        ],
      },
    );
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.pendingConfirmations.value;
    expect(callOf(addCard, first!.call)).toBe(first!.call);
    expect(callOf(addCard, second!.call)).toBe(null);
    const ask = confirmationOf(addCard, first!);
    expect(ask).toBe(first);
    expect(confirmationOf(addCard, second!)).toBe(null);
    void ask?.approve({ arguments: { ...ask.call.arguments, column: 'Done' } });
    void second!.approve();
    await turn;
    expect(guarded).toContain('Plan');
    const [added] = f.session.turns.value[0]!.rounds[0]!.parts.flatMap((part) => callOf(addCard, part) ?? []);
    expect(added?.complete).toEqual({ title: 'Plan', column: 'Done' });
  });

  it('T4: reads the call of an effect', async () => {
    await using f = board([
      callTools(scriptedCall('board', addCard, { title: 'Plan' }), { tool: 'board.clear' }),
      say('Done.'),
    ]);
    await f.session.send('Go');
    const { effects } = f.session.undoEntries.value[0]!;
    const turns = f.session.turns.value;
    const titles = effects.map((effect) => callOfEffect(addCard, effect, turns)?.complete?.title);
    expect(titles).toEqual(['Plan', undefined]);
    expect(callOfEffect(clear, effects[1]!, turns)?.view.tool).toBe('board.clear');
    expect(callOfEffect(addCard, effects[0]!, [])).toBe(null);
  });

  it('T4: is null for a call of another tool', async () => {
    await using f = board([callTools({ tool: 'board.clear' }), say('Done.')]);
    await f.session.send('Go');
    expect(callOf(addCard, lastCall(f.session))).toBe(null);
    expect(callOf(clear, lastCall(f.session))?.value).toBe(undefined);
  });
});
