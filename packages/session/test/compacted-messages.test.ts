// The messages of a request after the steps that need no model.
import { describe, expect, it } from 'vitest';
import type { Message } from '@banister/session';
import type { MessagePart } from '@banister/provider';
import { validateHistory } from '@banister/testing';
import { callLine, compactedMessages } from '../src/compaction/compacted-messages.js';
import { planCompaction } from '../src/compaction/plan-compaction.js';
import { messagesTokens, tokensOf } from '../src/conversation/context-tokens.js';
import { summaryRequest } from '../src/compaction/summary-request.js';

const long = 'word '.repeat(100);
const text = (words: string): MessagePart => ({ type: 'text', text: words });
const message = (id: string, role: Message['role'], ...parts: MessagePart[]): Message => ({
  id,
  role,
  parts,
});
const call = (id: string, args: Record<string, string>): MessagePart => ({
  type: 'tool-call',
  id,
  tool: 'docs.read',
  argumentsText: JSON.stringify(args),
  arguments: args,
});
const result = (callId: string, words: string): MessagePart => ({
  type: 'tool-result',
  callId,
  outcome: 'success',
  content: [text(words) as { type: 'text'; text: string }],
});
const png = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
const file = {
  type: 'attachment',
  id: 'a1',
  name: 'report.pdf',
  mediaType: 'application/pdf',
  size: 9,
} as const;

/** A turn with thinking, two calls, a message that steers beside their results, and an answer; then the message of another turn. */
const messages: readonly Message[] = [
  message('u1', 'user', text('Read both'), png, file),
  message(
    'a1',
    'assistant',
    { type: 'thinking', text: 'Hm.', signature: 's', signedBy: 'p' },
    text('I read.'),
    call('c1', { name: 'one' }),
    call('c2', { name: 'two' }),
  ),
  message('r1', 'user', result('c1', long), result('c2', 'Short.'), text('And say more')),
  message('a2', 'assistant', call('c3', { name: 'three' })),
  message('r2', 'user', result('c3', 'Three.')),
  message('a3', 'assistant', text('Read.')),
  message('u2', 'user', text('On')),
];
const shorter = (
  steps: { results: string; calls?: string; messages?: string },
  kept: readonly string[] = ['u2'],
) => compactedMessages(messages, [{ id: 'mark', upTo: steps.results, kept, stripped: steps }]);

describe('words of the user after tool results', () => {
  it.each([
    ['calls', { results: 'r1', calls: 'r1' }],
    ['messages', { results: 'r1', calls: 'r1', messages: 'r1' }],
  ])('OP-44 stay without the results if the %s before them are left out', (_step, steps) => {
    const after = shorter(steps, ['r1', 'u2']);
    expect(after).toContainEqual(message('r1', 'user', text('And say more')));
    expect(validateHistory(after)).toEqual([]);
  });

  it('OP-44 stay without the results after a summary, and with the results after results that are left out', () => {
    const summary = compactedMessages(messages, [{ id: 'mark', upTo: 'r1', kept: ['r1'], summary: 'S' }]);
    expect(summary[1]).toEqual(message('r1', 'user', text('And say more')));
    expect(validateHistory(summary)).toEqual([]);
    expect(shorter({ results: 'r2' }, ['r1'])[2]).toBe(messages[2]);
  });
});

describe('the steps of a compaction', () => {
  it('OP-43 DF-42 first leave out long results, images and files, and keep all other parts', () => {
    expect(shorter({ results: 'r1' })).toEqual([
      message(
        'u1',
        'user',
        text('Read both'),
        text('[The image was left out to save space.]'),
        text('[The file "report.pdf" was left out to save space.]'),
      ),
      messages[1],
      {
        ...messages[2],
        parts: [result('c1', '[This result was left out to save space.]'), ...messages[2]!.parts.slice(1)],
      },
      ...messages.slice(3),
    ]);
  });

  it('make the same objects for each request, so that nothing is sent or counted as a new message', () => {
    for (const steps of [{ results: 'r1' }, { results: 'r1', calls: 'r1' }]) {
      const [first, second] = [shorter(steps), shorter(steps)];
      expect(second).toHaveLength(first.length);
      first.forEach((one, index) => expect(second[index]).toBe(one));
    }
  });

  it('OP-43 the second step replaces each call and its result by one line', () => {
    const cutLong = `${long.slice(0, 200).trim()}…`;
    expect(shorter({ results: 'a3', calls: 'a3' })).toEqual([
      message(
        'u1',
        'user',
        text('Read both'),
        text('[The image was left out to save space.]'),
        text('[The file "report.pdf" was left out to save space.]'),
      ),
      message('a1', 'assistant', text('I read.')),
      message(
        'r1',
        'user',
        text(
          `<note>\nEarlier calls of tools, shortened:\n- docs.read {"name":"one"}: success, ${cutLong}\n- docs.read {"name":"two"}: success, Short.\n</note>`,
        ),
        text('And say more'),
      ),
      message(
        'r2',
        'user',
        text(
          '<note>\nEarlier calls of tools, shortened:\n- docs.read {"name":"three"}: success, Three.\n</note>',
        ),
      ),
      messages[5],
      messages[6],
    ]);
  });

  it('OP-43 leave out whole messages last, except the messages that must stay', () => {
    expect(shorter({ results: 'a3', calls: 'a3', messages: 'a3' }, ['u1', 'u2'])).toEqual([
      {
        id: 'mark',
        role: 'user',
        kind: 'summary',
        parts: [text('<note>\nEarlier messages of this conversation were left out to save space.\n</note>')],
      },
      messages[0],
      messages[6],
    ]);
  });

  it('change no message if the messages of a mark do not exist', () => {
    expect(shorter({ results: 'gone', calls: 'gone', messages: 'gone' })).toEqual(messages);
    const summary = { id: 'mark', upTo: 'gone', kept: [], summary: 'S' };
    expect(compactedMessages(messages, [summary])).toBe(messages);
  });

  it('are planned oldest first, and leave out only results if that is enough', () => {
    const plan = (target: number) => planCompaction({ messages, inputId: null, writtenId: 'u2' }, target);
    const after = messagesTokens(shorter({ results: 'r1' }));
    expect(plan(after)).toMatchObject({
      kept: ['u2'],
      stripped: { results: 'r1' },
      upTo: 'r1',
      tokens: after,
    });
    expect(plan(after - 1)).toMatchObject({ stripped: { results: 'a3', calls: expect.any(String) } });
    expect(plan(messagesTokens(messages))).toBeNull();
  });
});

describe('whole messages that are left out', () => {
  it('do not include an earlier summary, unless the rest is too large with it', () => {
    const summary: Message = {
      ...message('s', 'user', text(`<summary>\n${long}\n</summary>`)),
      kind: 'summary',
    };
    const all = [
      summary,
      message('u1', 'user', text(long)),
      message('a1', 'assistant', text(long)),
      messages[6]!,
    ];
    const plan = (target: number) =>
      planCompaction({ messages: all, inputId: null, writtenId: 'u2' }, target);
    expect(plan(messagesTokens([summary]) + 60)?.kept).toEqual(['s', 'u2']);
    expect(plan(60)?.kept).toEqual(['u2']);
  });
});

describe('the line of a call', () => {
  const line = (words: string, length: number) =>
    callLine(undefined, { outcome: 'success', content: [{ type: 'text', text: words }] }, length);

  it('ends after a whole word', () => {
    expect(line('one two', 7)).toBe('- A tool: success, one two');
    expect(line('one two three', 7)).toBe('- A tool: success, one two…');
    expect(line('one two-three', 7)).toBe('- A tool: success, one…');
    expect(line('one,two', 5)).toBe('- A tool: success, one,…');
    expect(line('sk-4711-xyzzy', 5)).toBe('- A tool: success, …');
  });

  it('in a language without spaces, ends between any two characters, and is one line', () => {
    expect(line('日本語の文章', 3)).toBe('- A tool: success, 日本語…');
    expect(line('😀😀😀', 3)).toBe('- A tool: success, 😀\ufffd…');
    expect(line(' one\n\n two ', 20)).toBe('- A tool: success, one two');
  });

  it('has the arguments that ran, each in one form, and says if there is no text', () => {
    const content = [{ type: 'image', mediaType: 'image/png', data: '' }] as const;
    const written = { ...(call('c', { a: 'x' }) as object), argumentsText: '{ "a": "\\u0078" }' } as never;
    expect(callLine(written, { outcome: 'failed', content })).toBe('- docs.read {"a":"x"}: failed, [image]');
    const edited = { ...(written as object), ranWith: { a: 'y' } } as never;
    expect(callLine(edited, { outcome: 'success', content: [] })).toBe(
      '- docs.read {"a":"y"}: success, without a text',
    );
    const broken = { ...(written as object), arguments: null, argumentsText: '{"a":' } as never;
    expect(callLine(broken, { outcome: 'rejected', content: [] })).toBe(
      '- docs.read {"a":: rejected, without a text',
    );
  });
});

describe('the calls that the model has not read', () => {
  const said = [message('u0', 'user', text(long)), message('a0', 'assistant', text('Fine.'))];
  const calls = [
    message('u1', 'user', text('Read')),
    message('a1', 'assistant', call('c1', { name: 'one' })),
    message('r1', 'user', result('c1', long)),
  ];
  const steered = message('s1', 'user', text('And say more'));

  it.each<[string, readonly Message[], string | null, readonly string[]]>([
    ['stay with their results in the running turn', calls, 'u1', ['a1', 'r1']],
    ['stay behind a message that steers', [...calls, steered], 'u1', ['a1', 'r1', 's1']],
    [
      'are none where an answer follows',
      [...calls, message('a2', 'assistant', text('Read.')), steered],
      'u1',
      ['s1'],
    ],
    ['are none between two turns', [...calls, steered], null, ['s1']],
    ['are none of the turn before', [...calls, steered], 's1', ['s1']],
  ])('%s', (_name, list, inputId, kept) => {
    const all = [...said, ...list];
    const plan = planCompaction(
      { messages: all, inputId, writtenId: list.includes(steered) ? 's1' : 'u1' },
      0,
    )!;
    const after = compactedMessages(all, [{ id: 'mark', ...plan }]);
    const input = inputId === 'u1' ? ['u1'] : [];
    expect(after.filter((one) => all.includes(one)).map(({ id }) => id)).toEqual([...input, ...kept]);
  });
});

describe('the transcript for a summary', () => {
  const lines = (room: number, list = messages.slice(0, 6)) => {
    const [only] = summaryRequest({ id: 'mark' }, list, room, 256).messages;
    const part = only!.parts[0]!;
    return part.type === 'text' ? part.text.split('\n').slice(1, -1) : [];
  };

  it('has a line for each text, result, image and file, with its speaker', () => {
    expect(lines(10_000)).toEqual([
      'User: Read both',
      'User: [an image]',
      'User: [the file "report.pdf"]',
      'Assistant: I read.',
      `- docs.read {"name":"one"}: success, ${long.trim()}`,
      '- docs.read {"name":"two"}: success, Short.',
      'User: And say more',
      '- docs.read {"name":"three"}: success, Three.',
      'Assistant: Read.',
    ]);
  });

  it('leaves out the middle of long lines, so that they fill the room exactly', () => {
    const numbers = Array.from({ length: 5_000 }, (_, index) => String(index).padStart(4, '0')).join('');
    const three = ['u1', 'u2', 'u3'].map((id) => message(id, 'user', text(numbers)));
    const note = ' [… the middle was left out …] ';
    for (let room = 1_000; room < 1_012; room++) {
      const some = lines(room, three);
      expect(some).toHaveLength(3);
      for (const line of some) {
        const [start, end] = line.split(note) as [string, string];
        expect(`User: ${numbers}`.startsWith(start)).toBe(true);
        expect(numbers.endsWith(end)).toBe(true);
        expect(Math.abs(start.length - 2 * end.length)).toBeLessThanOrEqual(2);
      }
      const size = some.reduce((sum, line) => sum + tokensOf(line), 0);
      expect(size).toBeLessThanOrEqual(room);
      expect(size).toBeGreaterThan(room - 0.9);
    }
  });

  it('has only the newest lines if there is no room for all', () => {
    const some = lines(120);
    expect(some[0]).toBe('[The beginning was left out.]');
    expect(some.length).toBeGreaterThan(2);
    expect(lines(10_000).slice(1 - some.length)).toEqual(some.slice(1));
    const all = lines(10_000);
    const whole = all.reduce((sum, line) => sum + tokensOf(line), 0);
    expect(lines(whole)).toEqual(all);
    expect(lines(whole - 1)).toEqual(['[The beginning was left out.]', ...all.slice(1)]);
    expect(lines(0)).toEqual(['[The beginning was left out.]']);
  });
});
