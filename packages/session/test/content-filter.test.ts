// `contentFilter` redacts patterns in requests, and stops on secrets.
import { beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import {
  compaction,
  createAgentSession,
  defineTool,
  success,
  type Message,
  type SavedConversation,
} from '@banister/session';
import { contentFilter } from '@banister/session/filters';
import type { ProviderRequest } from '@banister/provider';
import { callInside, callTools, finishWith, say, scriptedProvider, spyTool } from '@banister/testing';
import { propertyRun } from '../../../test/kit/property-run.js';
import { redactMessage } from '../src/middleware/redact.js';
import { compactionLoaded } from './compaction-loaded.js';
import { filesLoaded, pdf, pdfFile, png, pngFile, textFile } from './files.js';
import { fixture, outline, rejection } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(() => Promise.all([hooksLoaded(), compactionLoaded(), filesLoaded(), generateLoaded()]));

const secret = 'sk-canary-4711';
const filter = contentFilter({ secrets: [secret], redact: [/[\w.]+@[\w.]+/] });
const sent = (requests: readonly ProviderRequest[]) =>
  JSON.stringify(requests.map(({ tools: _tools, ...request }) => request));

describe('contentFilter', () => {
  it('row 109, OP-31 removes matches from every text of a request, and the conversation keeps them', async () => {
    const work = spyTool('work', {
      execute: () => ({ mail: 'ada@example.org', deep: [{ [secret]: secret }] }),
    });
    const call = { tool: 'board.work', args: { to: 'bob@example.org', note: { inner: `x ${secret}` } } };
    await using f = fixture([callTools('Write to ada@example.org.', call), say('Done.')], {
      domains: [{ id: 'board', tools: [work] }],
      context: [{ id: 'user', policy: 'always', summary: () => 'mail eve@example.org' }],
      role: `Never say ${secret}.`,
      middleware: [contentFilter({ redact: [secret, /[\w.]+@[\w.]+/] })],
    });
    await f.session.send(`I am ada@example.org and ${secret}`);
    expect(sent(f.provider.requests)).not.toContain(secret);
    expect(sent(f.provider.requests)).not.toContain('@');
    expect(outline(f.provider.requests[0]!.messages)).toEqual(['user: I am [redacted] and [redacted]']);
    const kept = JSON.stringify(f.session.conversation.value);
    expect(kept).toContain(secret);
    expect(kept).toContain('bob@example.org');
    expect(work.runs[0]!.args).toMatchObject({ to: 'bob@example.org' });
  });

  it('SA-15 stops the turn at an answer with a secret in its text, its thinking or the arguments of a call', async () => {
    const answers = [
      say(['The key is sk-can', 'ary-4711.']),
      say('Fine.', { thinking: `Hm, ${secret}` }),
      callTools('Fine.', { tool: 'board.work', args: { deep: { key: secret } } }),
      callTools('Fine.', { tool: 'board.work', argumentsText: '{"key":"sk-canary\\u002d4711"}' }),
    ];
    for (const answer of answers) {
      const work = spyTool('work');
      await using f = fixture([answer], { domains: [{ id: 'board', tools: [work] }], middleware: [filter] });
      expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', stop: { kind: 'withheld' } });
      expect(work.runs).toHaveLength(0);
      expect(JSON.stringify(f.session.conversation.value)).not.toContain('canary');
    }
  });

  it('stops the turn at a secret in the arguments of a call inside an answer, although the call has run', async () => {
    const work = spyTool('work');
    const leak = callInside({ tool: 'board.work', args: { key: secret } });
    for (const [answer, status] of [
      [finishWith('stop', 'Fine. ', leak, 'Done.'), 'stopped'],
      [finishWith('stop', callInside({ tool: 'board.work', args: { key: 'a' } }), 'Done.'), 'completed'],
    ] as const) {
      await using f = fixture([answer], { domains: [{ id: 'board', tools: [work] }], middleware: [filter] });
      expect((await f.session.send('Go')).status).toBe(status);
    }
    expect(work.runs).toHaveLength(2);
  });

  it('lets an answer pass if its matches are only redacted', async () => {
    await using f = fixture([say('Ask ada@example.org.')], { middleware: [filter] });
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed', text: 'Ask ada@example.org.' });
  });

  it('finds a pattern everywhere, even if it is sticky or global', async () => {
    const redacts = contentFilter({ redact: [/canary/y, /4711/gy] });
    await using f = fixture([say(secret), say(`And ${secret}`), say('Done.')], { middleware: [redacts] });
    for (const words of [secret, `The ${secret}`, 'On']) await f.session.send(words);
    expect(sent(f.provider.requests)).not.toMatch(/canary|4711/);
  });

  it('removes matches from unsigned thinking, and keeps the rest', async () => {
    const redacts = contentFilter({ redact: [secret] });
    const thinks = { type: 'thinking', delta: `Hm ${secret}, so.` } as const;
    await using f = fixture([finishWith('stop', thinks, 'Hello.'), say('Done.')], { middleware: [redacts] });
    await f.session.send('Go');
    await f.session.send('More');
    expect(f.provider.requests[1]!.messages[1]!.parts).toMatchObject([
      { type: 'thinking', text: 'Hm [redacted], so.' },
      { type: 'text', text: 'Hello.' },
    ]);
  });

  it('leaves out signed thinking and opaque parts that contain a match', async () => {
    const redacts = contentFilter({ redact: [secret] });
    const steps = [
      { type: 'thinking', delta: `Hm ${secret}`, signature: 'sig' },
      { type: 'opaque', data: { deep: [secret] } },
    ] as const;
    await using f = fixture([finishWith('stop', ...steps, 'Hello.'), say('Done.')], {
      middleware: [redacts],
    });
    await f.session.send('Go');
    await f.session.send('More');
    expect(outline(f.provider.requests[1]!.messages)).toEqual([
      'user: Go',
      'assistant: Hello.',
      'user: More',
    ]);
    expect(f.session.conversation.value.messages[1]!.parts).toHaveLength(3);
  });

  it("keeps messages without a match the same objects, so that the provider's cache works", async () => {
    await using f = fixture([say('Hello.'), say('Done.')], { middleware: [filter] });
    await f.session.send('Go');
    await f.session.send('Write to ada@example.org');
    const { messages } = f.session.conversation.value;
    expect(f.provider.requests[1]!.messages[0]).toBe(messages[0]);
    expect(f.provider.requests[1]!.messages[1]).toBe(messages[1]);
  });

  it('removes matches from file names, but sends the data of the files', async () => {
    await using f = fixture([say('Done.')], {
      scripted: { images: true, pdfs: true },
      middleware: [contentFilter({ redact: [secret] })],
    });
    const files = [pdfFile(`${secret}.pdf`), pngFile(`${secret}.png`), textFile('Hello', `${secret}.txt`)];
    await f.session.send({ text: 'Go', files });
    expect(sent(f.provider.requests)).not.toContain('canary');
    expect(f.provider.requests[0]!.messages[0]!.parts).toMatchObject([
      { text: 'Go' },
      { type: 'file', name: '[redacted].pdf', data: pdf.data },
      { type: 'image', name: '[redacted].png', data: png.data },
      { text: '<file name="[redacted].txt">\nHello\n</file>' },
    ]);
  });

  it('a text is found as JSON writes it, and if line breaks became spaces', async () => {
    const key = 'begin "canary"\nsk\\4711\tend';
    const work = spyTool('work', { execute: () => success({ key }, JSON.stringify({ key })) });
    const answers = [
      callTools({ tool: 'board.work', args: { key } }),
      callTools({
        tool: 'board.work',
        argumentsText: JSON.stringify({ key }).replace('canary', '\\u0063anary'),
      }),
      say('Done.'),
    ];
    await using f = fixture([...answers, say('{"title":7}'), say('{"title":"A"}')], {
      domains: [{ id: 'board', tools: [work] }],
      context: [{ id: 'key', policy: 'always', summary: () => key }],
      scripted: { structuredOutput: true },
      middleware: [
        {
          name: 'notes',
          beforeToolCalls: (calls) =>
            Object.fromEntries(calls.map(({ id }) => [id, { arguments: { more: key } }])),
        },
        contentFilter({ redact: [key] }),
      ],
    });
    await f.session.send({ text: 'Go', files: [textFile(JSON.stringify([key]))] });
    const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
    await f.session.generate(`Name it ${JSON.stringify(key)}`, schema);
    expect(f.provider.requests).toHaveLength(5);
    expect(sent(f.provider.requests)).not.toMatch(/canary|4711/);
    expect(JSON.stringify(f.session.conversation.value)).toContain('4711');
  });

  it('keeps the text around a match, even if JSON escapes the match', () => {
    const { beforeRequest } = contentFilter({ redact: ['sk"4711"'], replacement: '#' });
    const system = 'Say sk"4711", or {"key":"sk\\"4711\\""}.';
    const request = { system, messages: [], tools: [], idempotencyKey: 'key' };
    const context = { turnId: 'turn', round: 1, signal: new AbortController().signal };
    expect(beforeRequest!(request, context)).toEqual({ ...request, system: 'Say #, or {"key":"#"}.' });
  });

  it('stops the turn at a secret in the JSON of an answer', async () => {
    const key = 'sk"4711';
    await using f = fixture([say(JSON.stringify({ title: key }))], {
      scripted: { structuredOutput: true },
      middleware: [contentFilter({ secrets: [key] })],
    });
    const schema = { type: 'object', properties: { title: { type: 'string' } } } as const;
    expect(await rejection(f.session.generate('Name it', schema))).toMatchObject({
      code: 'structured-output-invalid',
      details: { reason: 'withheld' },
    });
  });

  it.each([
    ['the steps of a compaction', false, 'Earlier calls of tools, shortened'],
    ['the request for a summary', true, '<transcript>'],
  ])('leaves no half of a key, no matter where a line is cut: %s', async (_name, summary, words) => {
    const key = 'sk-canary_4711.xyzzy+/=';
    for (const before of [176, 190, 195, 199, 976, 985, 998]) {
      const result = `${'word '.repeat(before / 5)}${'.'.repeat(before % 5)}${key} ${'word '.repeat(400)}`;
      const argumentsText = JSON.stringify({ text: result }).replace('canary', '\\u0063anary');
      const read = spyTool('read', { execute: () => success(result) });
      const call = { tool: 'docs.read', argumentsText };
      await using f = fixture([callTools(call), say('Read.'), say(result), say('Short.'), say('On.')], {
        domains: [{ id: 'docs', tools: [read] }],
        compaction: compaction({ summary, to: summary ? 0.01 : 0.55 }),
        middleware: [contentFilter({ redact: [key] })],
        looseScript: true,
      });
      await f.session.send('Read');
      await f.session.send('Say');
      await f.session.compact();
      expect(f.session.compactions.value).toHaveLength(1);
      await f.session.send('On');
      expect(sent(f.provider.requests)).toContain(words);
      expect(sent(f.provider.requests)).not.toMatch(/sk-|canary|4711|xyzzy/);
    }
  });

  it('filters a restored conversation', async () => {
    await using first = fixture([callTools({ tool: 'board.work', args: { key: secret } }), say(secret)], {
      domains: [{ id: 'board', tools: [spyTool('work')] }],
    });
    await first.session.send(secret);
    const conversation = JSON.parse(JSON.stringify(first.session.save())) as SavedConversation;
    await using f = fixture([say('Done.')], {
      conversation,
      domains: [{ id: 'board', tools: [spyTool('work')] }],
      middleware: [filter],
    });
    await f.session.send('More');
    expect(sent(f.provider.requests)).not.toContain('canary');
  });

  it.each([
    ['nothing to filter', {}],
    ['an empty text', { redact: [''] }],
    ['a pattern that matches the empty text', { redact: [/x*/] }],
    ['a replacement that is filtered', { redact: ['red'], replacement: 'redacted' }],
    ['something else than texts and patterns', { secrets: [5 as never] }],
  ])('refuses %s', (_name, options) => {
    expect(() => contentFilter(options)).toThrow(/contentFilter/);
  });

  it('after the filter no message contains a match, and the arguments of a call equal their text', () => {
    const redact = (text: string) => text.replaceAll('ab', '#');
    const text = fc
      .array(fc.constantFrom('a', 'b', '"', '\\', '1', ' '), { maxLength: 8 })
      .map((one) => one.join(''));
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const args = fc.dictionary(text, json, { maxKeys: 3 });
    fc.assert(
      fc.property(text, args, json, (written, given, value) => {
        const message = {
          id: 'm',
          role: 'assistant',
          parts: [
            { type: 'text', text: written },
            { type: 'thinking', text: written },
            { type: 'opaque', provider: 'p', data: value },
            { type: 'tool-call', id: 'c', tool: 't', argumentsText: JSON.stringify(given), arguments: given },
            { type: 'tool-result', callId: 'c', outcome: 'success', content: [{ type: 'json', value }] },
          ],
        } as unknown as Message;
        const before = JSON.stringify(message);
        const redacted = redactMessage(message, redact);
        expect(JSON.stringify(message)).toBe(before);
        expect(JSON.stringify(redacted)).not.toMatch(/ab/);
        const call = redacted.parts.find((part) => part.type === 'tool-call')!;
        expect(JSON.parse(call.argumentsText)).toEqual(call.arguments);
        if (redacted !== message) expect(before).toMatch(/ab/);
      }),
      propertyRun('content-filter', 300),
    );
  });
});

describe('a text in a note of the library', () => {
  it('audit-X3 `contentFilter` finds a text if a note escapes characters of it', async () => {
    const secret = 'p<a>"ss\u200b"';
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      parameters: { type: 'object' },
      execute: (_args, context) => context.undo({ description: `Set ${secret} now`, revert: () => {} }),
    });
    const provider = scriptedProvider([callTools({ tool: 'board.add' }), say('x'), say('y')]);
    const session = createAgentSession({
      provider,
      domains: [{ id: 'board', tools: [add] }],
      middleware: [contentFilter({ redact: [secret] })],
    });
    await session.send('Go');
    await session.undo();
    await session.send('Next');
    const note = JSON.stringify(provider.requests.at(-1)!.messages.at(-1));
    expect(note).toContain('Set [redacted] now');
  });
});
