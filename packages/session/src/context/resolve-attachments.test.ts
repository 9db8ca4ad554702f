import type { Message, MessagePart, Provider, ProviderCapabilities } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import { resolveAttachments } from './resolve-attachments.js';

const image = { type: 'image', mediaType: 'image/png', data: 'AAAA', name: 'a.png' } as const;
const file = { type: 'file', mediaType: 'application/pdf', data: 'AAAA', name: 'a.pdf' } as const;
const attachment = {
  type: 'attachment',
  id: 'one',
  name: 'a.txt',
  mediaType: 'text/plain',
  size: 5,
} as const;
const result = { type: 'tool-result', callId: 'c', outcome: 'success', content: [image] } as const;
const attachments = { one: { mediaType: 'text/plain', data: btoa('Hello') } };

/** Returns the only part of a message, as a provider with these capabilities gets it. */
function resolved(part: MessagePart, capabilities?: Partial<ProviderCapabilities>) {
  const messages: Message[] = [{ id: 'm', role: 'user', parts: [part] }];
  const provider = { model: 'small', capabilities } as Provider;
  const { messages: after, diagnostics } = resolveAttachments(messages, attachments, provider);
  const [message] = after;
  return { isSame: message === messages[0], part: message!.parts[0]!, diagnostics };
}

describe('an attachment that is the only part of its message', () => {
  it.each<[string, MessagePart, string]>([
    ['an image', image, 'the image "a.png" (image/png, 3 B)'],
    ['a PDF', file, 'the file "a.pdf" (application/pdf, 3 B)'],
    ['an image in a result', result, 'the image "a.png" (image/png, 3 B) in the result of a tool'],
  ])('%s is replaced for a provider that declares no capabilities', (_name, part, what) => {
    for (const capabilities of [undefined, {}, { images: false, pdfs: false }]) {
      const { part: after, diagnostics } = resolved(part, capabilities);
      expect(JSON.stringify(after)).not.toContain('AAAA');
      expect(diagnostics).toEqual([
        {
          source: 'attachments',
          message: `The model small does not accept ${what}: a text stands in its place.`,
        },
      ]);
    }
  });

  it.each<[string, MessagePart, Partial<ProviderCapabilities>]>([
    ['an image', image, { images: true }],
    ['a PDF', file, { pdfs: true }],
    ['an image in a result', result, { images: true }],
    ['a text', { type: 'text', text: 'Hello' }, {}],
  ])('%s stays for a provider that accepts it', (_name, part, capabilities) => {
    expect(resolved(part, capabilities)).toEqual({ isSame: true, part, diagnostics: [] });
  });

  it('an image in a tool result is replaced for a provider that accepts images only elsewhere', () => {
    const { part, diagnostics } = resolved(result, { images: true, imagesInResults: false });
    expect(part).toMatchObject({ ...result, content: [{ type: 'text' }] });
    expect(diagnostics).toHaveLength(1);
  });

  it('an attachment is replaced by its content, or by a text if the content is gone', () => {
    expect(resolved(attachment).part).toEqual({
      type: 'text',
      text: '<file name="a.txt">\nHello\n</file>',
    });
    const { part } = resolved({ ...attachment, id: 'gone' });
    expect(part).toMatchObject({ type: 'text', text: expect.stringContaining('the file "a.txt"') });
  });
});
