// The files of a message, from the page to the request.
import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, fail, gate, scriptedProvider, say, settle, stall } from '@banister/testing';
import { defineDomain, defineTool, success, type AttachedInput, type FileInput } from '@banister/session';
import type { MessagePart } from '@banister/provider';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { answerFetch, filesLoaded, pdf, pdfFile, png, pngFile, textFile } from './files.js';

beforeAll(filesLoaded);

const partsOf = ({ provider }: Fixture, request = 0): readonly MessagePart[] =>
  provider.requests[request]!.messages.flatMap(({ parts }) => parts);

const typesOf = ({ observed }: Fixture) => observed.operations.map(({ type }) => type);

describe('a message with files', () => {
  it('AK-I1 a message has its text first, then its files in order, each with the type of its content', async () => {
    await using f = fixture([say('Seen.')]);
    // The names and the given types are wrong, or there are none.
    const misnamed = new File([png.bytes], 'photo.pdf', { type: 'application/pdf' });
    const files: FileInput[] = [misnamed, new Blob([pdf.bytes]), new TextEncoder().encode('Füße')];
    await f.session.send({ text: 'What is this?', files });
    expect(f.session.state.turns[0]!.input.parts).toMatchObject([
      { type: 'text', text: 'What is this?' },
      { type: 'attachment', mediaType: 'image/png', name: 'photo.pdf', size: png.bytes.length },
      { type: 'attachment', mediaType: 'application/pdf', name: 'file.pdf', size: pdf.bytes.length },
      { type: 'attachment', mediaType: 'text/plain', name: 'file.txt', size: 6 },
    ]);
    expect(partsOf(f)).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', name: 'photo.pdf', data: png.data },
      { type: 'file', mediaType: 'application/pdf', name: 'file.pdf', data: pdf.data },
      { type: 'text', text: '<file name="file.txt">\nFüße\n</file>' },
    ]);
  });

  it('a file that the session knows has the type and the size of its content, whatever the app says', async () => {
    await using f = fixture([say('Seen.'), say('Again.')]);
    await f.session.send({ text: 'Look', files: [pngFile('a.png'), pngFile('b.png')] });
    expect(Object.keys(f.session.attachments.value)).toHaveLength(1);
    const [id] = Object.keys(f.session.attachments.value);
    const forged = { id: id!, name: '', mediaType: 'text/plain', size: 0 };
    await f.session.send({ text: 'Again', files: [forged] });
    expect(f.session.state.turns[1]!.input.parts[1]).toEqual({
      type: 'attachment',
      id,
      name: 'image.png',
      mediaType: 'image/png',
      size: png.bytes.length,
    });
  });

  it('file names are one line of at most 255 characters; a longer name is replaced by the default name of its type', async () => {
    await using f = fixture([say('Seen.')]);
    await f.session.send({
      text: 'Look',
      files: [
        pngFile(' a\n\u202eb\u0000.png '),
        pngFile('n'.repeat(255)),
        pngFile('n'.repeat(256)),
        pngFile('\u2028'),
      ],
    });
    const names = f.session.state.turns[0]!.input.parts.map((part) => 'name' in part && part.name);
    expect(names.slice(1)).toEqual(['a b.png', 'n'.repeat(255), 'image.png', 'image.png']);
  });

  it.each([
    ['invalid-configuration', 'an image', pngFile, 'the file "photo.png" (image/png,'],
    ['refused', 'an image', pngFile, 'the file "photo.png" (image/png,'],
    ['context-length', 'a PDF', pdfFile, 'the file "report.pdf" (application/pdf,'],
    ['invalid-configuration', 'a text', () => textFile('Hi'), '(text/plain,'],
  ] as const)(
    'audit-R6 a file is not sent again if a request failed as %s with %s',
    async (code, _what, file, name) => {
      await using f = fixture([say('Hi.'), fail(code), say('Two.'), say('Four.')]);
      await f.session.send('Hello');
      await rejection(f.session.send({ text: 'What is this?', files: [file()] }));
      expect(partsOf(f, 1).at(-1)).not.toMatchObject({ text: expect.stringContaining('left out') });
      await f.session.send('Never mind. What is 1+1?');
      const parts = partsOf(f, 2);
      expect(parts.filter(({ type }) => type !== 'text')).toEqual([]);
      const words = JSON.stringify(parts.map((part) => 'text' in part && part.text));
      expect(words).toContain('was left out: a request with it was refused');
      expect(JSON.parse(words).join()).toContain(name);
      expect(f.session.lastContextDiagnostics.value).toMatchObject([
        { source: 'attachments', message: expect.stringContaining('A request was refused with') },
      ]);
      await f.session.send('And 2+2?');
      expect(partsOf(f, 3).slice(0, parts.length)).toEqual(parts);
    },
  );

  it('audit-R6 a file is sent again by a retry, and after a failure that does not concern the request', async () => {
    await using f = fixture([fail('invalid-configuration'), fail('auth'), say('A cat.')]);
    await rejection(f.session.send({ text: 'What is this?', files: [pngFile()] }));
    await rejection(f.session.retry());
    expect(partsOf(f, 1).at(-1)).toMatchObject({ type: 'image' });
    await f.session.send('And now?');
    expect(partsOf(f, 2)).toMatchObject([{}, { type: 'image' }, {}, {}]);
  });

  it('may have no text', async () => {
    await using f = fixture([say('Seen.')]);
    await f.session.send({ text: '', files: [pngFile()] });
    expect(partsOf(f)).toMatchObject([{ type: 'image' }]);
  });

  it('is shown as a turn that starts when send returns, and other commands are refused meanwhile', async () => {
    await using f = fixture([say('Seen.')]);
    const sent = f.session.send({ text: 'Look', files: [pngFile()] });
    expect(f.session.isRunning.value).toBe(true);
    expect(f.session.phase.value).toBe('preparing');
    expect((await rejection(f.session.send('Other'))).code).toBe('already-running');
    expect((await sent).text).toBe('Seen.');
  });

  it('a cancel while its files are read ends it before any operation', async () => {
    await using f = fixture([]);
    const sent = rejection(f.session.send({ text: 'Look', files: [new URL('https://files.test/never')] }));
    await settle();
    expect(await f.session.cancel()).toMatchObject({ cancelled: true, landed: 'preparing' });
    expect((await sent).code).toBe('cancelled');
    expect(f.session.isRunning.value).toBe(false);
    expect(f.observed.operations).toEqual([]);
  });

  it('its signal ends the reading of its files', async () => {
    await using f = fixture([]);
    const { signal, abort } = abortable();
    const files = [new URL('https://files.test/never')];
    const sent = rejection(f.session.send({ text: 'Look', files }, { signal }));
    await settle();
    abort();
    expect((await sent).code).toBe('cancelled');
  });

  it('a cancel in the same tick, and a signal that has already fired, fetch nothing', async () => {
    await using f = fixture([]);
    const message = { text: 'Look', files: [new URL('https://files.test/unread')] };
    const sent = rejection(f.session.send(message));
    await f.session.cancel();
    expect((await sent).code).toBe('cancelled');
    const late = rejection(f.session.send(message, { signal: AbortSignal.abort() }));
    expect((await late).code).toBe('cancelled');
    await settle();
    expect(addresses.filter((url) => url.includes('unread'))).toEqual([]);
  });

  it('a dispose stops reading files for the queue, and the commands after it reject `disposed`', async () => {
    const f = fixture([stall('a')]);
    const turn = rejection(f.session.send('Go'));
    await settle();
    const files = [new URL('https://files.test/queued/never')];
    const read = rejection(f.session.enqueue({ text: 'Look', files }));
    const behind = rejection(f.session.enqueue('Plain'));
    await settle();
    await f.session.dispose();
    expect([(await read).code, (await behind).code]).toEqual(['disposed', 'disposed']);
    expect((await turn).code).toBe('cancelled');
    expect(aborted).toContain('https://files.test/queued/never');
  });

  it('a signal that has already fired ends the turn at once', async () => {
    await using f = fixture([]);
    const hangs = pngFile();
    hangs.arrayBuffer = () => new Promise(() => {});
    let code: string | undefined;
    const sent = f.session.send({ text: 'Look', files: [hangs] }, { signal: AbortSignal.abort() });
    void rejection(sent).then((error) => (code = error.code));
    await settle();
    expect(code).toBe('cancelled');
    expect(f.session.isRunning.value).toBe(false);
  });

  it('leaves no listener at the signal of its turn, whether its files were read or refused', async () => {
    await using f = fixture([say('Seen.')]);
    const { signal } = abortable();
    await f.session.send({ text: 'Look', files: [pngFile()] }, { signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await rejection(f.session.send({ text: 'Look', files: [textFile('')] }, { signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('`turn$` accepts files too, and unsubscribing stops the reading', async () => {
    await using f = fixture([say('Seen.')]);
    const types: string[] = [];
    const left = f.session.turn$({ text: 'Look', files: [new URL('https://files.test/never')] }).subscribe();
    await settle();
    left.unsubscribe();
    await settle();
    expect(f.session.isRunning.value).toBe(false);
    await new Promise<void>((resolve, reject) =>
      f.session.turn$({ text: 'Look', files: [pngFile()] }).subscribe({
        next: ({ type }) => types.push(type),
        error: reject,
        complete: resolve,
      }),
    );
    expect(types[0]).toBe('turnStarted');
    expect(types.at(-1)).toBe('completed');
  });

  const addresses: string[] = [];
  const aborted: string[] = [];
  answerFetch((url, { signal }) => {
    addresses.push(url);
    if (url.endsWith('never'))
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => {
          aborted.push(url);
          reject(new Error('aborted'));
        }),
      );
    if (url.endsWith('unread')) return Promise.reject(new Error('no connection'));
    return Promise.resolve(
      url.includes('photo.png') || /^(blob|data):/.test(url)
        ? new Response(png.bytes)
        : new Response('', { status: 404 }),
    );
  });

  it('AK-I2 an address is read once, in the page', async () => {
    await using f = fixture([say('Seen.'), say('Still seen.')]);
    await f.session.send({ text: 'Look', files: [new URL('https://files.test/a/photo.png?size=2')] });
    await f.session.send('And now?');
    expect(partsOf(f, 1)[1]).toMatchObject({ type: 'image', name: 'photo.png', data: png.data });
    expect(addresses.filter((url) => url.includes('photo.png'))).toHaveLength(1);
  });

  it('a data or blob URL gives no file name; the file gets the default name of its type', async () => {
    await using f = fixture([say('Seen.')]);
    const files = [
      new URL(`data:image/png;base64,${png.data}`),
      new URL('blob:https://app.test/0b3c9d52-0000-4000-8000-000000000000'),
    ];
    await f.session.send({ text: 'Look', files });
    expect(partsOf(f).slice(1)).toMatchObject([{ name: 'image.png' }, { name: 'image.png' }]);
  });
});

function abortable() {
  const aborter = new AbortController();
  return { signal: aborter.signal, abort: () => aborter.abort() };
}

describe('a file that cannot be attached is refused before anything happens', () => {
  const left: boolean[] = [];
  answerFetch((url, { signal }) => {
    signal?.addEventListener('abort', () => left.push(true));
    if (url.endsWith('broken')) return Promise.reject(new TypeError('Failed to fetch'));
    if (url.endsWith('exact')) return Promise.resolve(new Response(png.bytes));
    if (url.endsWith('slow'))
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    if (url.endsWith('endless'))
      return Promise.resolve(
        new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(1_000_000)) })),
      );
    return Promise.resolve(new Response('', { status: 404 }));
  });

  const unreadable = new File(['x'], 'gone.txt');
  unreadable.arrayBuffer = () => Promise.reject(new Error('The file was moved.'));

  type Refused = readonly [
    what: string,
    file: FileInput,
    code: string,
    message: RegExp,
    options?: FixtureOptions,
  ];
  const refused: readonly Refused[] = [
    ['a file that cannot be read', unreadable, 'unreadable-attachment', /"gone\.txt" cannot be attached/],
    ['an empty file', textFile(''), 'unreadable-attachment', /"notes\.txt" cannot be attached. It is empty/],
    [
      'an address that answers 404',
      new URL('https://files.test/x.png'),
      'unreadable-attachment',
      /"x\.png".*404/,
    ],
    ['no file', 7 as unknown as FileInput, 'unreadable-attachment', /no File, Blob/],
    ['null', null as unknown as FileInput, 'unreadable-attachment', /no File, Blob/],
    [
      'an attachment whose id is no text',
      { id: 7, name: 'x', mediaType: 'image/png', size: 1 } as unknown as FileInput,
      'unreadable-attachment',
      /"x" cannot be attached. It is no File, Blob/,
    ],
    [
      'an address that cannot be reached',
      new URL('https://files.test/broken'),
      'unreadable-attachment',
      /"broken" cannot be attached. https:\/\/files.test\/broken could not be read/,
    ],
    [
      'a data URL that cannot be read',
      new URL('data:text/plain,broken'),
      'unreadable-attachment',
      /^The file cannot be attached. It could not be read/,
    ],
    ['data that is no base64', { name: 'a.txt', data: '%%' }, 'unreadable-attachment', /not base64/],
    [
      'a type that no model reads',
      new File([new Uint8Array([80, 75, 3, 4, 0])], 'a.zip'),
      'unsupported',
      /"a\.zip"/,
    ],
    [
      'an attachment of another session',
      { id: 'other', name: 'x', mediaType: 'image/png', size: 1 },
      'invalid-input',
      /no attachment "other"/,
    ],
    [
      'an image, by a model without eyes',
      pngFile(),
      'unsupported',
      /does not accept images/,
      { scripted: { images: false } },
    ],
    [
      'a PDF, by a model that reads none',
      pdfFile(),
      'unsupported',
      /does not accept PDFs/,
      { scripted: { pdfs: false } },
    ],
    [
      'a large text',
      textFile('x'.repeat(500_001), 'log.txt'),
      'invalid-input',
      /"log\.txt" has 501 kB, and it may have 500 kB/,
    ],
    [
      'a large image',
      new File([png.bytes, new Uint8Array(4_000_000)], 'big.png'),
      'invalid-input',
      /"big\.png" has 4 MB, and it may have 3.93 MB/,
    ],
    [
      'a large PDF',
      new File([pdf.bytes, new Uint8Array(20_000_000)], 'big.pdf'),
      'invalid-input',
      /"big\.pdf".* the files of a message may have 20 MB together/,
    ],
    [
      'an address without end',
      new URL('https://files.test/endless'),
      'invalid-input',
      /"endless" has at least 20 MB|21 MB/,
    ],
    [
      'a bound of the app',
      textFile('12345678901'),
      'invalid-input',
      /"notes\.txt" has 11 B, and it may have 10 B/,
      { limits: { maxTextFileBytes: 10 } },
    ],
  ];
  it.each(refused.map((one) => [one[0], one] as const))('%s', async (_what, one) => {
    const [, file, code, message, options = {}] = one;
    await using f = fixture([], options);
    const before = f.session.state;
    const error = await rejection(f.session.send({ text: 'Look', files: [file] }));
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(f.observed.operations).toEqual([]);
    expect({ ...f.session.state }).toEqual({ ...before });
  });

  it.each<[string, () => FileInput, FixtureOptions['limits']]>([
    ['an image', () => pngFile(), { maxImageBytes: png.bytes.length }],
    ['a text', () => textFile('1234567890'), { maxTextFileBytes: 10 }],
    ['the files of a message', () => pdfFile(), { maxFilesBytes: pdf.bytes.length }],
    ['an address', () => new URL('https://files.test/exact'), { maxFilesBytes: png.bytes.length }],
  ])('%s of exactly the limit is accepted', async (_what, file, limits) => {
    await using f = fixture([say('Seen.')], { limits });
    expect((await f.session.send({ text: 'Look', files: [file()] })).text).toBe('Seen.');
  });

  it('if the answer of an address is refused, the rest of it is not read', async () => {
    await using f = fixture([]);
    left.length = 0;
    await rejection(f.session.send({ text: 'Look', files: [new URL('https://files.test/endless')] }));
    expect(left).toEqual([true]);
  });

  it('an attachment whose id is a name that every object has is unknown', async () => {
    await using f = fixture([]);
    const file = { id: 'constructor', name: 'x', mediaType: 'image/png', size: 1 };
    const error = await rejection(f.session.send({ text: 'Look', files: [file] }));
    expect(error.message).toBe('The session has no attachment "constructor".');
  });

  it('the error about a size names the file, its size, the limit and its value', async () => {
    await using f = fixture([], { limits: { maxFilesBytes: 100 } });
    const error = await rejection(
      f.session.send({
        text: '',
        files: [textFile('x'.repeat(60), 'a.txt'), textFile('y'.repeat(60), 'b.txt')],
      }),
    );
    expect(error.details).toEqual({ name: 'b.txt', size: 60, limit: 'maxFilesBytes', bound: 100 });
  });

  it.each<[string, FileInput, object, boolean]>([
    ['a file that cannot be read', unreadable, { name: 'gone.txt' }, true],
    ['an empty file', textFile(''), { name: 'notes.txt' }, false],
    ['an empty file without a name', new Uint8Array(), {}, false],
    ['a type that no model reads', new File([new Uint8Array([0])], 'a.bin'), { name: 'a.bin' }, false],
    ['such a type without a name', new Uint8Array([0]), {}, false],
  ])(
    'the error has the name of the file, and the cause if there is one: %s',
    async (_what, file, details, isCaused) => {
      await using f = fixture([]);
      const error = await rejection(f.session.send({ text: 'Look', files: [file] }));
      expect(error.details).toEqual(details);
      expect(error.cause !== undefined).toBe(isCaused);
    },
  );

  it('a file on disk that is too large is not read', async () => {
    let isRead = false;
    const large = textFile('x'.repeat(11));
    large.arrayBuffer = () => {
      isRead = true;
      return Promise.resolve(new ArrayBuffer(11));
    };
    await using f = fixture([], { limits: { maxFilesBytes: 10 } });
    expect((await rejection(f.session.send({ text: '', files: [large] }))).code).toBe('invalid-input');
    expect(isRead).toBe(false);
  });

  it("an attachment that the session already has counts toward the size of a message's files", async () => {
    const limits = { maxFilesBytes: png.bytes.length + 10 };
    await using f = fixture([say('Seen.'), say('Seen again.')], { limits });
    await f.session.send({ text: 'Look', files: [pngFile()] });
    const known = f.session.state.turns[0]!.input.parts.filter((part) => part.type === 'attachment');
    const send = (size: number) =>
      f.session.send({ text: 'Again', files: [...known, textFile('x'.repeat(size), 'b.txt')] });
    expect((await rejection(send(11))).details).toMatchObject({ name: 'b.txt', limit: 'maxFilesBytes' });
    const last = f.session.send({ text: 'Again', files: [textFile('x'.repeat(11)), ...known] });
    expect((await rejection(last)).details).toMatchObject({ name: 'photo.png', limit: 'maxFilesBytes' });
    expect((await send(10)).text).toBe('Seen again.');
  });

  it('an address that does not answer is given up after 30 seconds', async () => {
    await using f = fixture([]);
    const sent = rejection(f.session.send({ text: 'Look', files: [new URL('https://files.test/slow')] }));
    await settle();
    await f.clock.advance(30_000);
    expect((await sent).code).toBe('unreadable-attachment');
  });

  it('a list of files in a wrong form is refused', async () => {
    await using f = fixture([]);
    const error = await rejection(f.session.send({ text: 'Look', files: 'all' as unknown as FileInput[] }));
    expect(error.code).toBe('invalid-input');
  });
});

describe('an attachment in the history', () => {
  const chart = defineDomain({
    id: 'lab',
    tools: [
      defineTool({
        name: 'chart',
        description: 'Draws a chart.',
        parameters: { type: 'object' },
        capabilities: ['readOnly'],
        execute: () => success({ type: 'image', mediaType: 'image/png', data: png.data }),
      }),
    ],
  });

  it('C17 AK-I3 OP-54 in the history, an attachment that the model does not accept is replaced by a text, with a diagnostic', async () => {
    await using f = fixture([say('Seen.')]);
    const files = [pngFile(), pdfFile(), textFile('Hello')];
    await f.session.send({ text: 'Look', files });
    const blind = scriptedProvider([say('Hm.')], { images: false, pdfs: false, model: 'blind-1' });
    f.session.configure({ provider: blind });
    await f.session.send('And?');
    expect(blind.requests[0]!.messages[0]!.parts).toEqual([
      { type: 'text', text: 'Look' },
      {
        type: 'text',
        text: '[the image "photo.png" (image/png, 70 B) was left out: this model does not accept images]',
      },
      {
        type: 'text',
        text: '[the file "report.pdf" (application/pdf, 48 B) was left out: this model does not accept PDFs]',
      },
      { type: 'text', text: '<file name="notes.txt">\nHello\n</file>' },
    ]);
    expect(f.session.lastContextDiagnostics.value).toEqual([
      {
        source: 'attachments',
        message:
          'The model blind-1 does not accept the image "photo.png" (image/png, 70 B): a text stands in its place.',
      },
      {
        source: 'attachments',
        message:
          'The model blind-1 does not accept the file "report.pdf" (application/pdf, 48 B): a text stands in its place.',
      },
    ]);
    // The conversation has it still, for the next provider.
    expect(f.session.conversation.value.messages[0]!.parts).toMatchObject([
      {},
      { type: 'attachment' },
      {},
      {},
    ]);
  });

  it('an image with which images of the option `images` are sent is replaced too', async () => {
    await using f = fixture([say('Seen.')]);
    await f.session.send({ text: 'Look', images: [{ mediaType: 'image/png', data: png.data }] });
    const blind = scriptedProvider([say('Hm.')], { images: false });
    f.session.configure({ provider: blind });
    await f.session.send('And?');
    expect(blind.requests[0]!.messages[0]!.parts[1]).toMatchObject({ type: 'text' });
  });

  it.each([
    ['a model without eyes', { images: false }],
    ['an API whose results are text', { imagesInResults: false }],
  ])('AK-I4 an image in the result of a tool is replaced for %s', async (_what, scripted) => {
    await using f = fixture([callTools({ tool: 'lab.chart' }), say('Nice.')], { domains: [chart], scripted });
    await f.session.send('Draw');
    const result = f.provider.requests[1]!.messages.at(-1)!.parts[0]!;
    expect(JSON.stringify(result)).toContain(
      'was left out: this model does not accept images in results of tools',
    );
    expect(f.session.lastContextDiagnostics.value).toHaveLength(1);
    // The record and the conversation keep it.
    expect(JSON.stringify(f.session.turns.value)).toContain(png.data);
  });

  it('audit-R6 a file that the model has answered to stays, even if a later request of the turn is refused', async () => {
    await using f = fixture([callTools({ tool: 'lab.chart' }), fail('invalid-configuration'), say('Ok.')], {
      domains: [chart],
    });
    await rejection(f.session.send({ text: 'What is this?', files: [pngFile()] }));
    await f.session.send('Never mind');
    const parts = partsOf(f, 2);
    expect(parts.filter(({ type }) => type === 'image')).toHaveLength(1);
    expect(JSON.stringify(parts.find(({ type }) => type === 'tool-result'))).toContain(
      'a request with it was refused',
    );
  });

  it('a retry, a regenerated turn and an edit use the files again, and nothing is stored twice', async () => {
    await using f = fixture([stall('No'), say('Seen.'), say('Again.'), say('Edited.')]);
    const sent = rejection(f.session.send({ text: 'Look', files: [pngFile()] }));
    await settle();
    await f.session.cancel();
    await sent;
    await f.session.retry();
    await f.session.regenerate();
    const { id, input } = f.session.turns.value[0]!;
    const files = input.parts.filter((part) => part.type === 'attachment');
    await f.session.edit(id, { text: 'Look closely', files: [...files, pngFile('same.png'), pdfFile()] });
    expect(f.provider.requests.map((_one, index) => partsOf(f, index)[1])).toMatchObject([
      { type: 'image' },
      { type: 'image' },
      { type: 'image' },
      { type: 'image' },
    ]);
    expect(partsOf(f, 3).map(({ type }) => type)).toEqual(['text', 'image', 'image', 'file']);
    expect(typesOf(f).filter((type) => type === 'attached')).toHaveLength(2);
    expect(Object.keys(f.session.attachments.value)).toHaveLength(2);
  });

  it('messages that are read at the same time store a content once, too', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    const waits = f.session.enqueue({ text: 'One', files: [pngFile()] });
    const sent = f.session.send({ text: 'Two', files: [pngFile('same.png'), pngFile('again.png')] });
    const more = f.session.enqueue({ text: 'Three', files: [pngFile()] });
    await settle();
    await f.clock.advance(1_000);
    await Promise.all([waits, sent, more]);
    expect(typesOf(f).filter((type) => type === 'attached')).toHaveLength(1);
    expect(f.provider.requests.map((_one, index) => partsOf(f, index)[1])).toMatchObject([
      { type: 'image' },
      { type: 'image' },
      { type: 'image' },
    ]);
  });

  it.each(['send', 'enqueue'] as const)(
    'the content of a refused message is not kept: the same file is a new attachment later (%s)',
    async (command) => {
      const ids: string[] = [];
      const next = (kind: string) => {
        const id = `${kind}_${ids.length}`;
        ids.push(id);
        return id;
      };
      await using f = fixture([say('Seen.')], { ports: { ids: { next } } });
      f.session.configure({ provider: scriptedProvider([], { images: false }) });
      const refused = rejection(f.session[command]({ text: 'Look', files: [pngFile()] }));
      expect((await refused).code).toBe('unsupported');
      f.session.configure({ provider: f.provider });
      await f.session.send({ text: 'Look', files: [pngFile()] });
      const made = ids.filter((id) => id.startsWith('attachment'));
      expect(made).toHaveLength(2);
      expect(Object.keys(f.session.attachments.value)).toEqual(made.slice(1));
    },
  );

  it('an unchanged message is the same object in each request', async () => {
    await using f = fixture([say('Seen.'), say('Yes.'), say('Yes.')]);
    await f.session.send({ text: 'Look', files: [pngFile()] });
    await f.session.send('And?');
    await f.session.send('And?');
    expect(f.provider.requests[2]!.messages[0]).toBe(f.provider.requests[1]!.messages[0]);
  });
});

describe('the queue and steering', () => {
  const late = gate();
  answerFetch(() => late.pass().then(() => new Response(png.bytes)));

  const ranInOrder = async ({ session }: Fixture, sent: readonly Promise<unknown>[]) => {
    expect(await Promise.all(sent)).toEqual(['completed', 'completed', 'completed']);
    expect(session.turns.value.map(({ input }) => input.parts[0])).toMatchObject([
      { text: 'One' },
      { text: 'Two' },
      { text: 'Three' },
    ]);
  };

  it('messages with files begin in the order of the calls', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    const first = f.session.enqueue({ text: 'One', files: [pngFile()] });
    const second = f.session.enqueue('Two');
    const third = f.session.enqueue({ text: 'Three', files: [pdfFile()] });
    await settle();
    await f.clock.advance(1_000);
    await ranInOrder(f, [first, second, third]);
  });

  it('a message without files does not overtake a message whose files are being read, even if earlier messages have begun', async () => {
    await using f = fixture([say('1'), say('2'), say('3')]);
    const first = f.session.enqueue({ text: 'One', files: [pngFile()] });
    const second = f.session.enqueue({ text: 'Two', files: [new URL('https://files.test/late')] });
    await late.reached;
    await settle();
    expect(f.session.turns.value).toHaveLength(1);
    const third = f.session.enqueue('Three');
    await settle();
    late.open();
    await settle();
    await f.clock.advance(1_000);
    await ranInOrder(f, [first, second, third]);
  });

  it('a waiting message keeps or loses its files when it is changed', async () => {
    await using f = fixture([stall('Hm'), say('Done.')], { looseScript: true });
    void f.session.send('Go').catch(() => {});
    await settle();
    void f.session.enqueue({ text: 'Next', files: [pngFile()] }, { id: 'q' });
    await settle();
    const [item] = f.session.queue.value;
    expect(item!.input).toMatchObject({
      text: 'Next',
      files: [{ name: 'photo.png', mediaType: 'image/png' }],
    });
    expect(JSON.stringify(item)).not.toContain(png.data);
    const { files = [] } = item!.input as Exclude<AttachedInput, string>;
    expect(await f.session.requeue('q', { input: { text: 'Changed', files: [...files, pdfFile()] } })).toBe(
      true,
    );
    expect(f.session.queue.value[0]!.input).toMatchObject({
      text: 'Changed',
      files: [{}, { name: 'report.pdf' }],
    });
    expect(await f.session.requeue('q', { input: 'Bare' })).toBe(true);
    expect(f.session.queue.value[0]!.input).toBe('Bare');
    await f.session.cancel();
  });

  it('a message that steers has its files in the next request of the turn', async () => {
    await using f = fixture([callTools({ tool: 'lab.wait' }), say('Done.')], {
      domains: [
        defineDomain({
          id: 'lab',
          tools: [
            defineTool({
              name: 'wait',
              description: 'Waits.',
              parameters: { type: 'object' },
              capabilities: ['readOnly'],
              execute: async () => {
                void f.session.steer({ text: 'Use this', files: [pdfFile()] });
                await settle(20);
                return 'ok';
              },
            }),
          ],
        }),
      ],
    });
    await f.session.send('Go');
    expect(partsOf(f, 1).slice(-2)).toMatchObject([{ text: 'Use this' }, { type: 'file', data: pdf.data }]);
  });

  it('new files of a waiting message, and of an edit, are read within the limits of its turn', async () => {
    await using f = fixture([say('1'), stall('Hm')], {
      limits: { maxTextFileBytes: 10 },
      looseScript: true,
    });
    const limits = { maxTextFileBytes: 100 };
    const file = () => textFile('x'.repeat(50));
    await f.session.send('One', { limits });
    const { id } = f.session.turns.value[0]!;
    void f.session.edit(id, { text: 'Two', files: [file()] }).catch(() => {});
    await settle();
    expect(f.session.liveTurn.value?.input.parts).toMatchObject([{ text: 'Two' }, { size: 50 }]);
    void f.session.enqueue('Next', { id: 'q', limits });
    expect(await f.session.requeue('q', { input: { text: 'Changed', files: [file()] } })).toBe(true);
    void f.session.enqueue('Last', { id: 'r' });
    const refused = await rejection(f.session.requeue('r', { input: { text: 'No', files: [file()] } }));
    expect(refused.code).toBe('invalid-input');
    await f.session.cancel();
  });

  it('the model of the running turn decides about the files of a message that steers', async () => {
    await using f = fixture([], { scripted: { images: false } });
    const seeing = scriptedProvider([stall('Hm')], { images: true });
    void f.session.send('Go', { provider: seeing }).catch(() => {});
    await settle();
    void f.session.steer({ text: 'This', files: [pngFile()] });
    await settle();
    expect(f.session.queue.value).toMatchObject([{ steering: true, input: { text: 'This', files: [{}] } }]);
    await f.session.cancel();
  });

  it("a queued message can be moved even if the session's model no longer accepts its files", async () => {
    await using f = fixture([stall('Hm')], { looseScript: true });
    void f.session.send('Go').catch(() => {});
    await settle();
    void f.session.enqueue({ text: 'Seen', files: [pngFile()] }, { id: 'a' });
    void f.session.enqueue('Next', { id: 'b' });
    await settle();
    f.session.configure({ provider: scriptedProvider([], { images: false }) });
    expect(await f.session.requeue('a', { before: null })).toBe(true);
    expect(f.session.queue.value.map(({ id }) => id)).toEqual(['b', 'a']);
    await f.session.cancel();
  });

  it('a file that cannot be attached rejects the command, and the queue does not change', async () => {
    await using f = fixture([say('1')]);
    const bad = rejection(f.session.enqueue({ text: 'Bad', files: [textFile('')] }));
    const good = f.session.enqueue('Good');
    expect((await bad).code).toBe('unreadable-attachment');
    await f.clock.advance(1_000);
    expect(await good).toBe('completed');
    expect(f.session.queue.value).toEqual([]);
  });
});
