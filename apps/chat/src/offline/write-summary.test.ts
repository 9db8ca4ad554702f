import type { ProviderRequest } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { summaryStep } from './write-summary.js';

function requestOf(transcript: string, maxOutputTokens = 256): ProviderRequest {
  const text = `<transcript>\n${transcript}\n</transcript>`;
  return {
    system: '',
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    maxOutputTokens,
    idempotencyKey: 'k',
  };
}

describe('the summary of the offline model', () => {
  test("has the user's messages in order, and what was done", () => {
    const transcript = [
      'User: Add a card "Tea" to Todo',
      '- board.add_card {"title":"Tea"}: success, done',
      '- board.add_card {"title":"Milk"}: error, no such column',
      'Assistant: Added “Tea”.',
      'User: <note>',
      'User: Hello',
    ].join('\n');
    expect(summaryStep(requestOf(transcript))?.text).toBe(
      'The user asked, in this order:\n- Add a card "Tea" to Todo\n- Hello\nWhat was done: 1 × add card.',
    );
  });

  test('includes the earlier summary', () => {
    const before = summaryStep(requestOf('User: One\n- board.add_card {}: success, done'))!.text;
    const transcript = `Before: <summary>\n${before}\n</summary>\nUser: Two\n- board.add_card {}: success, done`;
    expect(summaryStep(requestOf(transcript))?.text).toBe(
      'The user asked, in this order:\n- One\n- Two\nWhat was done: 2 × add card.',
    );
  });

  test('leaves out the oldest messages if there is no room, and cuts long messages', () => {
    const asks = Array.from({ length: 20 }, (_, at) => `User: ${at} ${'word '.repeat(40)}`);
    const text = summaryStep(requestOf(asks.join('\n'), 100))!.text;
    expect(text.length).toBeLessThanOrEqual(300);
    expect(text).not.toContain('- 0 ');
    expect(text).toContain('- 19 word');
  });

  test('is not given for any other request', () => {
    const request = requestOf('User: One');
    const other = {
      ...request,
      messages: [{ ...request.messages[0]!, parts: [{ type: 'text', text: 'One' }] }],
    } as const;
    expect(summaryStep(other)).toBeNull();
  });
});
