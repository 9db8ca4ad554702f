// The marks of clears and compactions on branches: in saved conversations, in logs and in sessions elsewhere.
import { describe, expect, it } from 'vitest';
import { callTools, say, type AnswerSource } from '@banister/testing';
import { compaction, createMirror, type SessionLog } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { exportPath, toMarkdown } from '@banister/session/export';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { logWorld } from './log-world.js';
import { createSession, opened, recordsOf } from './opened.js';

const long = (word: string) => `${word} `.repeat(400);
const answers = (count: number): AnswerSource[] => Array.from({ length: count }, () => say(long('answer')));
const ask = async ({ session }: Pick<Fixture, 'session'>, count: number) => {
  for (let index = 0; index < count; index++) await session.send(long('question'));
};
const firstOfRequest = ({ provider }: Pick<Fixture, 'provider'>) =>
  outline(provider.requests.at(-1)!.messages)[0]!;
const isShort = (f: Pick<Fixture, 'provider'>) => firstOfRequest(f).includes('<summary>');

/** Four turns, then a mark behind the last one. */
async function marked(more: readonly AnswerSource[], options: FixtureOptions = {}) {
  const f = fixture([...answers(4), say('S'), ...more], options);
  await ask(f, 4);
  await f.session.compact();
  return f;
}

describe('a branch', () => {
  it('a branch that starts before a compaction shows the original messages; a branch that starts after it is compacted', async () => {
    await using f = await marked([say('behind'), say('beside'), say('before')]);
    await f.session.send('On');
    const last = f.session.turns.value.at(-1)!;
    await f.session.regenerate({ turnId: last.id });
    expect(isShort(f)).toBe(true);
    await f.session.regenerate({ turnId: 'turn_3' });
    expect(isShort(f)).toBe(false);
    expect(f.session.compactions.value).toEqual([]);
    await f.session.switchTo(last.id);
    expect(f.session.compactions.value).toHaveLength(1);
  });

  it('has the mark after its last turn, even after `switchTo` to another branch and back', async () => {
    await using f = await marked([say('other'), say('x')]);
    const mark = f.session.headTurnId.value;
    await f.session.edit('turn_1', 'Something else');
    expect(f.session.compactions.value).toEqual([]);
    await f.session.switchTo('turn_2');
    expect(f.session.headTurnId.value).toBe(mark);
    await f.session.send('On');
    expect(isShort(f)).toBe(true);
  });

  it('has the `contextPressure` of the requests of its own path', async () => {
    await using f = await marked([say('x')], { scripted: { contextWindow: 8_000 } });
    const low = f.session.contextPressure.value!;
    await f.session.edit('turn_4', 'x');
    await f.session.switchTo('turn_1');
    const high = f.session.contextPressure.value!;
    await f.session.switchTo('mark_1');
    expect(f.session.contextPressure.value).toBe(low);
    expect(high).not.toBe(low);
  });

  it('that starts after a clear has no earlier compaction', async () => {
    await using f = await marked([say('x')]);
    await f.session.clear();
    expect(f.session.compactions.value).toEqual([]);
    await f.session.send('On');
    expect(firstOfRequest(f)).toBe('user: On');
  });
});

describe('undo', () => {
  it('never reverts a compaction, and a compaction changes no effects', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), ...answers(4), say('S')], {
      domains: [board.domain()],
    });
    await f.session.send('Add A');
    await ask(f, 3);
    await f.session.compact();
    expect(f.session.canUndo.value).toBe(true);
    await f.session.undo();
    expect(board.titles).toEqual([]);
    expect(f.session.compactions.value).toHaveLength(1);
  });

  it('is noted in the summary message if its turn is left out', async () => {
    const board = createBoard();
    const adding = (title: string) => [callTools(addCard(title)), ...answers(1)];
    await using f = fixture([...adding('A'), ...adding('B'), ...answers(3), say('S'), say('x')], {
      domains: [board.domain()],
    });
    for (const title of ['A', 'B']) {
      await f.session.send(`Add ${title}`);
      await f.session.undo();
    }
    await ask(f, 3);
    await f.session.compact();
    await f.session.send('On');
    expect(firstOfRequest(f)).toMatch(
      /<summary>\nS\n<\/summary> \| <note>[^]*undid these effects: "Added A"[^]*undid these effects: "Added B"/,
    );
  });
});

describe('a compaction', () => {
  it('is the same after a fold of the log, in a mirror, and after saving and opening', async () => {
    await using f = await marked([say('x')]);
    await f.session.send('On');
    const { compactions, conversation, turns, headTurnId } = f.session.state;
    const expected = { compactions, conversation, turns, headTurnId };
    expect(fold(initialState(), f.observed.operations)).toMatchObject(expected);
    const mirror = createMirror(initialState());
    mirror.fold(f.observed.operations);
    expect(mirror.signals.compactions.value).toEqual(compactions);
    const saved = f.session.save();
    await using again = fixture([say('y')], { conversation: saved });
    expect(again.session.state).toMatchObject(expected);
    expect(again.session.save()).toEqual(saved);
    await again.session.send('Further');
    expect(isShort(again)).toBe(true);
  });

  it('inside a turn is kept in the record of the turn when it is saved and undone', async () => {
    const options = { scripted: { contextWindow: 7_000 }, compaction: compaction() };
    await using f = fixture([...answers(3), say('S'), ...answers(1)], options);
    await ask(f, 4);
    await using again = fixture([], { conversation: f.session.save() });
    const [mark] = again.session.compactions.value;
    expect(mark).toEqual(f.session.compactions.value[0]);
    await again.session.uncompact(mark!.id);
    await using third = fixture([say('y')], { conversation: again.session.save() });
    expect(third.session.compactions.value).toEqual([]);
    expect(third.session.turns.value.at(-1)?.compactions).toMatchObject([{ id: mark!.id, takenBack: true }]);
    await third.session.send('On');
    expect(isShort(third)).toBe(false);
  });

  it('that was reverted stays reverted on every branch and after a reload', async () => {
    await using f = await marked([say('x')]);
    await f.session.uncompact('mark_1');
    await f.session.send('On');
    await using again = fixture([], { conversation: f.session.save() });
    expect(again.session.compactions.value).toEqual([]);
    expect(f.session.save().marks).toMatchObject([{ id: 'mark_1', kind: 'compaction', takenBack: true }]);
  });

  it('is kept in an export of its path; Markdown has the whole conversation', async () => {
    await using f = await marked([]);
    const saved = f.session.save();
    expect(exportPath(saved).marks).toMatchObject([{ id: 'mark_1', kind: 'compaction', summary: 'S' }]);
    expect(exportPath(saved, 'turn_2').marks).toEqual([]);
    expect(toMarkdown(f.session.state)).toContain('question question');
  });

  it.each([
    ['upTo', 7],
    ['kept', 'm'],
    ['tokens', { before: 1 }],
    ['stripped', { results: 1 }],
    ['summary', 1],
  ])('of a saved conversation is refused with another %s', async (field, value) => {
    await using f = await marked([]);
    const saved = structuredClone(f.session.save());
    Object.assign(saved.marks[0]!, { [field]: value });
    expect(() => createSession([], { conversation: saved })).toThrow(new RegExp(`marks\\[0\\]\\.${field}`));
  });

  it('abandons an interrupted turn first', async () => {
    await using f = fixture([...answers(5)]);
    await ask(f, 5);
    const cut = f.observed.operations.findLastIndex(({ type }) => type === 'roundStarted') + 1;
    const records = recordsOf([f.observed.operations.slice(0, cut)]);
    const again = createSession([say('S')], { restored: { snapshot: null, records } });
    await opened(again.session);
    expect(again.session.interrupted.value).not.toBeNull();
    await again.session.compact();
    expect(again.session.interrupted.value).toBeNull();
    expect(again.operations.map(({ type }) => type).slice(-3)).toEqual([
      'failed',
      'contextCompacted',
      'contextCompacted',
    ]);
    await again.session.dispose();
  });
});

/** A log whose sessions never become the writer for a command. */
const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
  channel: (name) => {
    const channel = inner.channel!(name);
    return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
  },
});

describe('a session that follows another one', () => {
  it('compacts, and reverts the compaction, in the session that writes', async () => {
    const { clock, open } = logWorld(onlySends);
    const writer = await open([...answers(4), say('S')]);
    const follower = await open();
    await ask(follower, 4);
    await follower.session.compact();
    await clock.advance(100);
    expect(follower.session.compactions.value).toMatchObject([{ summary: 'S' }]);
    expect(follower.session.state).toEqual(writer.session.state);
    await follower.session.uncompact(follower.session.compactions.value[0]!.id);
    await clock.advance(100);
    expect(follower.session.compactions.value).toEqual([]);
    expect((await rejection(follower.session.uncompact('x'))).code).toBe('invalid-input');
    await follower.session.dispose();
    await writer.session.dispose();
  });
});
