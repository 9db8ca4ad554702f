// The last message that the user wrote stays, whatever its text is.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, fail, say, spyTool } from '@banister/testing';
import { compaction, type Middleware, type TurnRecord } from '@banister/session';
import { compactionLoaded } from './compaction-loaded.js';
import { fixture, type Fixture, type FixtureOptions } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(() => Promise.all([compactionLoaded(), hooksLoaded()]));

const long = (word: string) => `${word} `.repeat(400);
/** Texts of a user in the form in which the library writes its own. */
const typed = [
  ['a note', `<note>\n${long('Remember')}\n</note>`],
  ['a summary', `<summary>\n${long('Remember')}\n</summary>`],
] as const;
const sent = ({ provider }: Fixture) => JSON.stringify(provider.requests.at(-1)!.messages);

/** Continues each turn once, with a note. */
const continues: Middleware = {
  name: 'goal',
  afterTurn: ({ continuations }) => (continuations === 0 ? { continue: long('Onward') } : 'end'),
};

/** Sends a long message; a middleware continues its turn. */
async function continued(options: FixtureOptions = {}): Promise<Fixture> {
  const f = fixture([say(long('first')), say(long('second'))], {
    middleware: [continues],
    scripted: { otherwise: 'S' },
    ...options,
  });
  await f.session.send(long('Remember'));
  return f;
}

describe('the last message of the user', () => {
  it.each(typed)('stays if the user typed it as %s', async (_name, text) => {
    await using f = fixture([say(long('answer')), say('Fine.'), say('S'), say('x')]);
    await f.session.send(long('question'));
    await f.session.send(text);
    await f.session.compact();
    const [mark] = f.session.compactions.value;
    expect(mark!.kept).toEqual([f.session.turns.value[1]!.input.id]);
    await f.session.send('On');
    expect(sent(f)).toContain('Remember');
    expect(sent(f)).not.toContain('question');
  });

  it.each(typed)('stays if it steered a turn, typed as %s', async (_name, text) => {
    const read = spyTool('read', { capabilities: ['readOnly'], execute: () => long('result') });
    const reads = callTools({ tool: 'docs.read' });
    await using f = fixture([reads, reads, fail('context-length')], {
      domains: [{ id: 'docs', tools: [read] }],
      scripted: { otherwise: 'S' },
      compaction: compaction(),
    });
    const turn = f.session.send('Read');
    await f.session.steer(text);
    await turn;
    const [mark] = f.session.compactions.value;
    const { input, rounds } = f.session.turns.value[0]!;
    const steered = rounds[0]!.parts.findLast((part) => part.type === 'steering');
    expect(mark!.kept).toEqual([input.id, steered!.message.id]);
    expect(sent(f)).toContain('Remember');
  });

  it('is not the note with which a middleware continued the turn, even in a reopened conversation', async () => {
    await using f = await continued();
    const input = f.session.turns.value[0]!.input.id;
    const messages = f.session.state.conversation.messages.filter(({ role }) => role === 'user');
    expect(messages.map(({ parts: [part] }) => part?.type === 'text' && part.text.slice(0, 6))).toEqual([
      'Rememb',
      '<note>',
    ]);
    const conversation = f.session.save();
    await using again = fixture([], { conversation, scripted: { otherwise: 'S' } });
    for (const { session } of [f, again]) {
      await session.compact();
      expect(session.compactions.value[0]!.kept).toEqual([input]);
    }
    await again.session.send('On');
    expect(sent(again)).toContain('Remember');
    expect(sent(again)).not.toContain('Onward');
  });

  it('is not the note with which a middleware continued the turn, even if the turn is compacted while it runs', async () => {
    const read = spyTool('read', { capabilities: ['readOnly'], execute: () => long('result') });
    await using f = fixture(
      [
        callTools({ tool: 'docs.read' }),
        say(long('first')),
        callTools({ tool: 'docs.read' }),
        fail('context-length'),
      ],
      {
        domains: [{ id: 'docs', tools: [read] }],
        middleware: [continues],
        scripted: { otherwise: 'S' },
        compaction: compaction(),
      },
    );
    await f.session.send(long('Remember'));
    const [{ input, compactions, messageIds }] = f.session.turns.value as [TurnRecord];
    expect(compactions).toHaveLength(1);
    expect(messageIds.length).toBeGreaterThan(5);
    expect(f.session.compactions.value[0]!.kept).toEqual([input.id]);
  });
});
