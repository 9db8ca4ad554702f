// Section 13 of the contract: the queue.
import { describe, expect, it } from 'vitest';
import { say, settle } from '@handrail/testing';
import { fixture, outline } from './fixture.js';

describe('enqueue', () => {
  it('starts at once on an idle session with an empty queue, exactly as send', async () => {
    await using f = fixture([say('Hi.')]);
    await settle();
    const queued = f.session.enqueue('Hello');
    await settle();
    expect(await queued).toBe('completed');
    expect(f.observed.types).not.toContain('queued');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Hello', 'assistant: Hi.']);
  });

  it('starts messages in their order, each when the turn before it has ended', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    await settle();
    const sent = f.session.send('A');
    const second = f.session.enqueue('B');
    const third = f.session.enqueue('C');
    await settle(5);
    expect(f.session.queue.value.map(({ input, steering }) => [input, steering])).toEqual([
      ['B', false],
      ['C', false],
    ]);
    await sent;
    await f.clock.advance(0);
    expect(await second).toBe('completed');
    await f.clock.advance(0);
    expect(await third).toBe('completed');
    expect(f.session.queue.value).toEqual([]);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: A',
      'assistant: 1',
      'user: B',
      'assistant: 2',
      'user: C',
      'assistant: 3',
    ]);
  });
});
