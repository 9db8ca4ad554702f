// The saved form of a tree of turns, and the checks when it is opened.
import { describe, expect, it } from 'vitest';
import { fail, say, scriptedProvider } from '@banister/testing';
import { createAgentSession, type SavedConversation } from '@banister/session';
import { apply } from '@banister/session/operations';
import { fixture, outline, rejection } from './fixture.js';

type Editable = {
  head: string | null;
  sequence: unknown;
  turns: {
    record: { id: string; parentId: unknown; options?: unknown };
    messages: unknown[];
    undo?: unknown;
  }[];
  marks: unknown[];
};

/** A saved session whose second turn failed, and was retried; through text, as a page does. */
async function saved(): Promise<SavedConversation & Editable> {
  await using f = fixture([say('Hi.'), fail('auth'), say('Done.')]);
  await f.session.send('Hello');
  await rejection(f.session.send('Go', { limits: { maxRounds: 3, maxTokens: Infinity } }));
  await f.session.retry();
  return JSON.parse(JSON.stringify(f.session.save())) as SavedConversation & Editable;
}

const open = (conversation: SavedConversation) =>
  createAgentSession({ provider: scriptedProvider([say('Next.')]), conversation });

describe('a saved tree', () => {
  it('a save has all turns, those off the path included', async () => {
    const session = open(await saved());
    expect(session.state.turns.map(({ id }) => id)).toEqual(['turn_1', 'turn_3']);
    const back = apply(session.state, {
      type: 'headMoved',
      from: 'turn_3',
      to: 'turn_2',
      stays: [],
      sequence: 99,
      at: 1,
    });
    expect(back.turns.map(({ id, status }) => [id, status])).toEqual([
      ['turn_1', 'completed'],
      ['turn_2', 'failed'],
    ]);
    expect(outline(back.conversation.messages)).toEqual(['user: Hello', 'assistant: Hi.', 'user: Go']);
  });

  it('operations are counted on after a restore', async () => {
    const document = await saved();
    const session = open(document);
    const numbers: number[] = [];
    session.operations$.subscribe(({ sequence }) => numbers.push(sequence));
    await session.send('Next');
    expect(numbers[0]).toBe((document.sequence as number) + 1);
    expect(session.save().sequence).toBe(numbers.at(-1));
  });

  it('a retry after opening has the options of the first attempt', async () => {
    await using f = fixture([fail('auth')], { limits: { maxTokens: 5_000 } });
    await rejection(f.session.send('Go', { limits: { maxRounds: 3, maxTokens: Infinity } }));
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using g = fixture([say('Done.')], { conversation, limits: { maxTokens: 5_000 } });
    await g.session.retry();
    const [started] = g.observed.operations.filter(({ type }) => type === 'turnStarted');
    expect(started).toMatchObject({
      limits: { maxRounds: 3 },
      options: { limits: { maxRounds: 3, maxTokens: null } },
    });
    expect(started).not.toHaveProperty('limits.maxTokens');
  });

  it('keeps marks of unknown kinds, and follows the path through them', async () => {
    const document = await saved();
    document.marks.push({ id: 'mark_1', parentId: 'turn_1', kind: 'later', more: [1] });
    for (const { record } of (document as Editable).turns.slice(1)) record.parentId = 'mark_1';
    const session = open(document);
    expect(session.state.turns.map(({ id }) => id)).toEqual(['turn_1', 'turn_3']);
    expect(JSON.parse(JSON.stringify(session.save()))).toEqual(document);
    expect(open({ ...document, head: 'mark_1' }).state).toMatchObject({ headTurnId: 'mark_1' });
  });

  it('keeps the effects of a turn', async () => {
    const document = await saved();
    // The session has no tool that could take it back.
    const step = { step: 1, description: 'Added', data: { id: 7 }, irreversible: false, state: 'lost' };
    const undo = {
      domains: ['board'],
      before: { board: 1 },
      after: { board: 'two' },
      calls: [{ callId: 'call_1', tool: 'board.add', irreversible: false, steps: [step] }],
    };
    (document as Editable).turns[0]!.undo = undo;
    expect(open(document).save().turns[0]?.undo).toEqual(undo);
    (document as Editable).turns[0]!.undo = { ...undo, calls: [{ callId: 'call_1' }] };
    expect(() => open(document)).toThrow(/turns\[0\]\.undo\.calls\[0\]\.tool/);
  });

  it.each<[string, RegExp, (document: Editable) => void]>([
    ['an unknown head', /: head: there is no turn "x"/, (d) => void (d.head = 'x')],
    ['a head of another kind', /: head: it is no text/, (d) => void (d.head = 3 as never)],
    [
      'an unknown parent',
      /turns\[1\]: its parent "x" does not exist/,
      (d) => void (d.turns[1]!.record.parentId = 'x'),
    ],
    ['no parent', /turns\[1\]\.record\.parentId/, (d) => void delete d.turns[1]!.record.parentId],
    [
      'a turn that is its own parent',
      /turns\[2\]: its parents form a cycle/,
      (d) => void (d.turns[2]!.record.parentId = 'turn_3'),
    ],
    [
      'parents that form a cycle',
      /turns\[0\]: its parents form a cycle/,
      (d) => void (d.turns[0]!.record.parentId = 'turn_3'),
    ],
    ['two turns of one id', /turns\[2\]: its id "turn_1"/, (d) => void (d.turns[2]!.record.id = 'turn_1')],
    [
      'a mark with the id of a turn',
      /marks\[0\]: its id "turn_1"/,
      (d) => void d.marks.push({ id: 'turn_1', parentId: null, kind: 'clear' }),
    ],
    ['a mark without a kind', /marks\[0\]\.kind/, (d) => void d.marks.push({ id: 'm', parentId: null })],
    ['turns that are not in order', /turns: they are not in order/, (d) => void d.turns.reverse()],
    ['a negative sequence', /: sequence: /, (d) => void (d.sequence = -1)],
    ['a sequence that is no number', /: sequence: /, (d) => void (d.sequence = '7')],
    ['no list of marks', /: marks: /, (d) => void delete (d as Partial<Editable>).marks],
    [
      'a message with a part that its turn does not have',
      /turns\[0\]\.messages\[1\]\.parts\[0\]: the turn has no such part/,
      (d) => void ((d.turns[0]!.messages[1] as { parts: unknown[] }).parts[0] = [0, 7]),
    ],
    [
      'one message in two turns of a path',
      /turns\[2\]\.messages\[0\]: two messages have its id/,
      (d) => void (d.turns[2]!.record.parentId = 'turn_2'),
    ],
    [
      'options that are none',
      /turns\[1\]\.record\.options\.limits\.maxRounds/,
      (d) => void (d.turns[1]!.record.options = { limits: { maxRounds: {} } }),
    ],
  ])('with %s is refused, naming the place', async (_name, place, damage) => {
    const document = await saved();
    damage(document);
    expect(() => open(document)).toThrow(place);
  });
});
