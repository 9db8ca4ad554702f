// A conversation that is cleared.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  finishWith,
  gate,
  say,
  settle,
  spyTool,
  stall,
  type AnswerSource,
} from '@banister/testing';
import { exportPath } from '@banister/session/export';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { adding, path, withCards } from './branched.js';
import { fixture, names, outline, rejection, type Fixture } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

describe('clear', () => {
  it('empties the path and the conversation, deletes no turn, and undoes no effect', async () => {
    const { f, board } = await withCards(['A', 'B']);
    await using _ = f;
    await f.session.clear();
    expect(f.observed.operations.at(-1)).toMatchObject({ type: 'pathCleared', id: 'mark_1' });
    expect(f.session.turns.value).toEqual([]);
    expect(f.session.conversation.value.messages).toEqual([]);
    expect(f.session.headTurnId.value).toBe('mark_1');
    expect(f.session.lastOutcome.value).toBeNull();
    expect(board.titles).toEqual(['A', 'B']);
    expect(f.session.save().turns).toHaveLength(2);
  });

  it('the next request has only the new message, with a note about the effects that stay', async () => {
    const { f } = await withCards(['A'], [say('x'), say('y')]);
    await using _ = f;
    await f.session.clear();
    await f.session.send('Go');
    const [request] = f.provider.requests.slice(-1);
    expect(request?.messages).toHaveLength(1);
    expect(outline(request!.messages)[0]).toMatch(/still in effect: "Added A" \(board\.add\)[^]*Go$/);
    expect(f.session.turns.value[0]?.parentId).toBe('mark_1');
    await f.session.send('On');
    expect(f.provider.requests.at(-1)?.messages).toHaveLength(3);
  });

  it.each<[string, (f: Fixture) => Promise<unknown>, readonly AnswerSource[], readonly string[]]>([
    [
      'a turn that stopped: each is still in effect',
      (f) => f.session.send('Add A'),
      [callTools(addCard('A')), finishWith('length', 'Cut')],
      ['About the previous turn:', 'These effects are still in effect: "Added A" (board.add).'],
    ],
    [
      'a cancelled turn that kept them',
      async (f) => {
        const turn = rejection(f.session.send('Add A'));
        await settle();
        await f.session.cancel({ sideEffects: 'keep' });
        await turn;
      },
      [callTools(addCard('A')), stall('Half')],
      ['The user cancelled the previous turn.', 'The user kept these effects: "Added A" (board.add).'],
    ],
    [
      'a turn of which one could not be undone: that one alone, and the other as undone',
      async (f) => {
        await f.session.send('Add A');
        await f.session.undo();
      },
      [callTools(addCard('A'), { tool: 'board.mail' }), say('Done.')],
      [
        'About the previous turn:',
        'The user then undid these effects: "Added A" (board.add).',
        'These cannot be undone and are still in effect: "Mailed" (board.mail).',
      ],
    ],
  ])('tells the model about the effects of %s', async (_name, before, answers, note) => {
    const mail = spyTool('mail', {
      irreversible: true,
      execute: (_args, context) => context.irreversible('Mailed'),
    });
    await using f = fixture([...answers, say('x')], { domains: [createBoard().domain(mail)] });
    await before(f);
    await f.session.clear();
    await f.session.send('Go');
    const [message] = f.provider.requests.at(-1)!.messages;
    expect(message!.parts.map((part) => part.type === 'text' && part.text)).toEqual([
      `<note>\n${note.join('\n')}\n</note>`,
      'Go',
    ]);
  });

  it('does not affect undo: the effects of earlier turns can be undone', async () => {
    const { f, board } = await withCards(['A']);
    await using _ = f;
    await f.session.clear();
    expect(f.session.undoEntries.value).toMatchObject([{ turnId: 'turn_1', offPath: true }]);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('is reverted by `switchTo`, which goes to the turn itself, not to turns after the clear', async () => {
    const { f } = await withCards(['A', 'B'], adding('C'));
    await using _ = f;
    const before = f.session.conversation.value.messages;
    await f.session.clear();
    await f.session.send('Add C');
    await f.session.switchTo('turn_1');
    expect(path(f)).toEqual(['turn_1', 'turn_2']);
    expect(f.session.conversation.value.messages).toEqual(before);
    await f.session.switchTo('turn_3');
    expect(path(f)).toEqual(['turn_3']);
  });

  it('is a head that `switchTo` accepts, so that an app can follow the empty path', async () => {
    const { f, board } = await withCards(['A']);
    await using _ = f;
    await f.session.clear();
    const report = await f.session.switchTo(f.session.headTurnId.value!, { effects: 'follow' });
    expect(names(report.done)).toEqual(['Added A']);
    expect(board.titles).toEqual([]);
    expect(f.session.headTurnId.value).toBe('mark_1');
  });

  it('also removes messages before the first turn, which come back with their path', async () => {
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Before.' }] } as const;
    const conversation = {
      ...fixture([]).session.save(),
      prefix: [message],
    };
    await using f = fixture([say('x')], { conversation });
    await f.session.clear();
    expect(f.session.conversation.value.messages).toEqual([]);
    expect(f.session.save().prefix).toEqual([message]);
    await f.session.send('Go');
    expect(f.session.conversation.value.messages).toHaveLength(2);

    const { turns } = f.session.state;
    await using again = fixture([], { conversation: f.session.save() });
    expect(again.session.turns.value).toEqual(turns);
    expect(again.session.conversation.value).toEqual(f.session.conversation.value);
    expect(again.session.save()).toEqual(f.session.save());
  });

  it('keeps the messages before the first turn on the path of a turn before the clear', async () => {
    const message = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'Before.' }] } as const;
    const conversation = { ...fixture([]).session.save(), prefix: [message] };
    await using f = fixture([say('x'), say('y')], { conversation });
    await f.session.send('Go');
    const whole = f.session.conversation.value.messages;
    const first = f.session.turns.value[0]!.id;
    await f.session.clear();
    await f.session.send('On');
    await f.session.switchTo(first);
    expect(f.session.conversation.value.messages).toEqual(whole);
    expect(f.session.save().prefix).toEqual([message]);
  });

  it('is the same folded from the log, and after a reload', async () => {
    const { f } = await withCards(['A'], adding('B'));
    await using _ = f;
    await f.session.clear();
    await f.session.send('Add B');
    const { turns, conversation, headTurnId } = f.session.state;
    const expected = { turns, conversation, headTurnId };
    expect(fold(initialState(), f.observed.operations)).toMatchObject(expected);
    await using again = fixture([], { conversation: f.session.save() });
    expect(again.session.state).toMatchObject(expected);
    await again.session.switchTo(f.session.save().turns[0]!.record.id);
    expect(path(again)).toEqual(['turn_1']);
  });

  it('of an empty conversation has no operation', async () => {
    await using f = fixture([]);
    await f.session.clear();
    expect(f.observed.operations).toEqual([]);
    expect(f.session.isRunning.value).toBe(false);
  });

  it('twice has one operation', async () => {
    const { f } = await withCards(['A']);
    await using _ = f;
    await f.session.clear();
    await f.session.clear();
    expect(f.observed.types.filter((type) => type === 'pathCleared')).toHaveLength(1);
  });

  it('rejects already-running while a turn runs, and lets the queue wait', async () => {
    const more = gate();
    await using f = fixture([say([more, 'x']), say('y')]);
    const turn = f.session.send('Go');
    await more.reached;
    expect((await rejection(f.session.clear())).code).toBe('already-running');
    void f.session.enqueue('Later');
    more.open();
    await turn;
    await f.session.clear();
    expect(f.session.queuePaused.value).toBe(true);
    await f.session.resumeQueue();
    await f.clock.advance(1);
    expect(outline(f.provider.requests.at(-1)!.messages)).toEqual(['user: Later']);
  });

  it('first abandons an interrupted turn', async () => {
    await using f = fixture([callTools(addCard('A')), say('x')]);
    await f.session.send('Go');
    const cut = f.observed.operations.findIndex(({ type }) => type === 'messagesAppended') + 1;
    const records = recordsOf([f.observed.operations.slice(0, cut)]);
    const again = createSession([], { restored: { snapshot: null, records } });
    await opened(again.session);
    expect(again.session.interrupted.value).not.toBeNull();
    await again.session.clear();
    const types = again.operations.map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['failed', 'pathCleared']);
    expect(again.session.turns.value).toEqual([]);
    await again.session.dispose();
  });

  it('a turn after the clear can be regenerated and retried', async () => {
    const { f } = await withCards(['A'], [...adding('B'), ...adding('C')]);
    await using _ = f;
    await f.session.clear();
    await f.session.send('Add B');
    await f.session.regenerate();
    expect(f.session.turns.value.map(({ parentId }) => parentId)).toEqual(['mark_1']);
    expect(f.session.conversation.value.messages).toHaveLength(4);
  });

  it('is kept in an export of the path, which has no turn before it', async () => {
    const { f } = await withCards(['A'], adding('B'));
    await using _ = f;
    await f.session.clear();
    await f.session.send('Add B');
    const exported = exportPath(f.session.save());
    expect(exported).toMatchObject({ prefix: [], marks: [{ id: 'mark_1', parentId: null, kind: 'clear' }] });
    expect(exported.turns).toHaveLength(1);
    await using again = fixture([], { conversation: exported });
    expect(again.session.conversation.value).toEqual(f.session.conversation.value);
  });

  it('an export of the path has no compaction from before the clear', async () => {
    const long = 'word '.repeat(400);
    await using f = fixture([say(long), say(long), say('A secret plan.'), say('Hi.')]);
    for (let count = 0; count < 2; count++) await f.session.send(long);
    await f.session.compact();
    expect(exportPath(f.session.save()).marks).toMatchObject([{ summary: 'A secret plan.' }]);
    await f.session.clear();
    await f.session.send('Hello');
    const exported = exportPath(f.session.save());
    expect(exported.marks).toEqual([{ id: 'mark_2', parentId: null, kind: 'clear' }]);
    expect(JSON.stringify(exported)).not.toContain('secret');
  });

  it('does not change `totals`, and lowers `contextPressure`', async () => {
    await using f = fixture([say('x'.repeat(800), { usage: { inputTokens: 300, outputTokens: 200 } })], {
      scripted: { contextWindow: 1_000 },
    });
    await f.session.send('Go');
    expect(f.session.contextPressure.value).toBe(0.5);
    await f.session.clear();
    expect(f.session.contextPressure.value).toBe(0);
    expect(f.session.totals.value.usage?.inputTokens).toBe(300);
  });
});
