// The log stores each attached content once, and messages refer to it by id; `save()` and the exports include the contents.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkOrder, fail, recordingHistory, say, settle } from '@banister/testing';
import { createMirror, type Operation, type SavedConversation, type SessionLog } from '@banister/session';
import { fold, fromStored, initialState, toStored } from '@banister/session/operations';
import { exportPath, toMarkdown } from '@banister/session/export';
import { fixture, rejection, type Fixture } from './fixture.js';
import { filesLoaded, pdf, pdfFile, png, pngFile, textFile } from './files.js';
import { logWorld } from './log-world.js';

beforeAll(() => Promise.all([filesLoaded(), import('../src/session/log-chunk.js')]));

const jsonCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** How often a text has another one in it. */
const timesIn = (text: string, piece: string) => text.split(piece).length - 1;

/** A chat whose files were sent, sent again after a failure, and sent once more with another message. */
async function lived(): Promise<Fixture> {
  const f = fixture([fail('auth'), say('Seen.'), say('Seen.')]);
  await rejection(f.session.send({ text: 'Look', files: [pngFile(), pdfFile(), textFile('Hello')] }));
  await f.session.retry();
  await f.session.send({ text: 'Once more', files: [pngFile('again.png')] });
  return f;
}

describe('the log', () => {
  it('the log has each content once, and every message refers to it', async () => {
    const world = logWorld();
    const writer = await world.open([say('1'), say('2')]);
    await writer.session.send({ text: 'Look', files: [pngFile()] });
    void writer.session.enqueue({ text: 'Again', files: [pngFile()] });
    await settle();
    await world.clock.advance(1_000);
    const log = JSON.stringify(await world.stored());
    expect(writer.session.turns.value).toHaveLength(2);
    expect(timesIn(log, png.data)).toBe(1);
    expect(timesIn(JSON.stringify(writer.session.state), png.data)).toBe(1);
    await writer.session.dispose();
  });

  it('gives the content back to the session that opens it, and to its next request', async () => {
    const world = logWorld();
    const writer = await world.open([say('1')]);
    await writer.session.send({ text: 'Look', files: [pdfFile()] });
    const { attachments, turns } = writer.session.state;
    await writer.session.dispose();
    const next = await world.open([say('2')]);
    expect(next.session.state).toMatchObject({ attachments, turns });
    await next.session.send('And?');
    expect(next.provider.requests[0]!.messages[0]!.parts[1]).toMatchObject({ type: 'file', data: pdf.data });
    await next.session.dispose();
  });

  it('the stored form of the log folds to the same state, record by record', async () => {
    await using f = await lived();
    const operations = jsonCopy(f.observed.operations) as readonly Operation[];
    let state = initialState();
    for (const operation of operations)
      state = fold(state, fromStored(state, { operations: toStored([operation]) }));
    expect(state).toEqual(f.session.state);
    expect(fold(initialState(), operations)).toEqual(f.session.state);
    expect(operations.filter(({ type }) => type === 'attached')).toHaveLength(3);
  });

  it('the order checker complains about a message whose content is missing, and about a content that occurs twice', async () => {
    await using f = await lived();
    const operations = f.observed.operations;
    expect(checkOrder(operations)).toEqual([]);
    const first = operations.find(({ type }) => type === 'attached')!;
    const withoutFirst = operations.filter((one) => one !== first);
    const renumbered = withoutFirst.map((one, index) => ({ ...one, sequence: index + 1 })) as Operation[];
    expect(checkOrder(renumbered)[0]).toContain('there is no attachment');
    const twice = [first, { ...first, sequence: 2 }] as Operation[];
    expect(checkOrder(twice).join()).toContain('stands before it');
  });
});

describe('other sessions', () => {
  /** Followers that cannot become the writer, so that an idle writer carries their commands out. */
  const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
    channel: (name) => {
      const channel = inner.channel!(name);
      return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
    },
  });

  it('a follower reads its files itself, and the writer has them in the request', async () => {
    const world = logWorld(onlySends);
    const writer = await world.open([say('Seen.'), say('Edited.')]);
    const follower = await world.open();
    const sent = follower.session.send({ text: 'Look', files: [pngFile(), textFile('Hello')] });
    expect(follower.session.isRunning.value).toBe(true);
    expect((await sent).text).toBe('Seen.');
    await world.clock.advance(100);
    expect(follower.session.state).toEqual(writer.session.state);
    expect(writer.provider.requests[0]!.messages[0]!.parts).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image', name: 'photo.png', data: png.data },
      { type: 'text', text: '<file name="notes.txt">\nHello\n</file>' },
    ]);
    const { id, input } = follower.session.turns.value[0]!;
    const files = input.parts.filter((part) => part.type === 'attachment');
    await follower.session.edit(id, { text: 'Look again', files });
    expect(writer.provider.requests[1]!.messages[0]!.parts).toHaveLength(3);
    expect(timesIn(JSON.stringify(await world.stored()), png.data)).toBe(1);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('a follower refuses a file that cannot be attached before it sends anything', async () => {
    const world = logWorld(onlySends);
    const writer = await world.open();
    const follower = await world.open();
    const error = await rejection(follower.session.send({ text: 'Look', files: [textFile('')] }));
    expect(error.code).toBe('unreadable-attachment');
    expect(follower.session.isRunning.value).toBe(false);
    expect(writer.session.turns.value).toEqual([]);
    await follower.session.dispose();
    await writer.session.dispose();
  });

  it('a cancel in a tab that follows ends the reading of its files', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    const world = logWorld(onlySends);
    const writer = await world.open();
    const follower = await world.open();
    const sent = rejection(
      follower.session.send({ text: 'Look', files: [new URL('https://files.test/never')] }),
    );
    await settle();
    expect(follower.session.isRunning.value).toBe(true);
    expect(await follower.session.cancel()).toMatchObject({ cancelled: true });
    expect((await sent).code).toBe('cancelled');
    expect(follower.session.isRunning.value).toBe(false);
    expect(writer.session.turns.value).toEqual([]);
    await follower.session.dispose();
    await writer.session.dispose();
    vi.unstubAllGlobals();
  });

  it('a tab that follows refuses every other command that starts a turn while it reads the files of a message', async () => {
    vi.stubGlobal('fetch', () => new Promise(() => {}));
    const world = logWorld(onlySends);
    const writer = await world.open();
    const follower = await world.open();
    const sent = rejection(
      follower.session.send({ text: 'Look', files: [new URL('https://files.test/never')] }),
    );
    expect((await rejection(follower.session.send('Other'))).code).toBe('already-running');
    expect((await rejection(follower.session.clear())).code).toBe('already-running');
    expect((await rejection(follower.session.retry())).code).toBe('already-running');
    await follower.session.cancel();
    expect((await sent).code).toBe('cancelled');
    await follower.session.dispose();
    await writer.session.dispose();
    vi.unstubAllGlobals();
  });

  it('a follower that becomes the writer starts the turn with its files', async () => {
    const world = logWorld();
    const writer = await world.open([]);
    const follower = await world.open([say('Mine.')]);
    // An idle writer gives the log to the session whose user acts.
    expect((await follower.session.send({ text: 'Look', files: [pdfFile()] })).text).toBe('Mine.');
    expect(follower.provider.requests[0]!.messages[0]!.parts[1]).toMatchObject({ data: pdf.data });
    await writer.session.dispose();
    await follower.session.dispose();
  });

  it('a mirror has the contents', async () => {
    const f = fixture([say('Seen.')]);
    const mirror = createMirror(jsonCopy(f.session.state));
    f.session.operations$.subscribe((operation) => mirror.fold([jsonCopy(operation)]));
    await f.session.send({ text: 'Look', files: [pngFile()] });
    expect(mirror.signals.attachments.value).toEqual(f.session.attachments.value);
    expect(Object.values(mirror.state.attachments)).toEqual([{ mediaType: 'image/png', data: png.data }]);
    await f.session.dispose();
  });
});

describe('a saved conversation', () => {
  it('AK-V7 has each content once, and opens with all of them', async () => {
    await using f = await lived();
    const saved = f.session.save();
    expect(timesIn(JSON.stringify(saved), png.data)).toBe(1);
    await using next = fixture([say('Yes.')], { conversation: jsonCopy(saved) });
    expect(next.session.state.attachments).toEqual(f.session.state.attachments);
    expect(next.session.state.turns).toEqual(f.session.state.turns);
    expect(next.session.save()).toEqual(saved);
    await next.session.send('And?');
    expect(next.provider.requests[0]!.messages[0]!.parts.map(({ type }) => type)).toEqual([
      'text',
      'image',
      'file',
      'text',
    ]);
  });

  it('has the files of a turn whose message is not in the conversation yet, and a retry sends these files', async () => {
    await using f = fixture([], { history: recordingHistory({ begin: 'hang' }), leavesTimers: true });
    const turn = rejection(f.session.send({ text: 'Look', files: [pngFile()] }));
    await settle();
    expect(f.session.conversation.value.messages).toEqual([]);
    const saved = f.session.save();
    expect(toMarkdown(saved)).toContain(png.data);
    await using next = fixture([say('Seen.')], { conversation: jsonCopy(exportPath(saved)) });
    expect((await next.session.retry()).text).toBe('Seen.');
    expect(next.provider.requests[0]!.messages[0]!.parts[1]).toMatchObject({
      type: 'image',
      data: png.data,
    });
    await f.session.cancel({ immediate: true });
    await turn;
  });

  it('has no field `attachments` if it has no attachments', async () => {
    await using f = fixture([say('Hi.')]);
    await f.session.send('Hi');
    expect(f.session.save()).not.toHaveProperty('attachments');
  });

  const damaged: readonly (readonly [string, (saved: SavedConversation) => unknown, RegExp])[] = [
    [
      'whose content is missing',
      (saved) => ({ ...saved, attachments: {} }),
      /turns\[0\]: there is no attachment/,
    ],
    ['whose content is no base64', (saved) => withContent(saved, { data: 'x' }), /it is no base64/],
    ['whose type is missing', (saved) => withContent(saved, { mediaType: 7 }), /mediaType: it is no text/],
  ];
  it.each(damaged)('is refused with the place if an attachment is %s', async (_what, damage, message) => {
    await using f = await lived();
    const saved = damage(jsonCopy(f.session.save())) as SavedConversation;
    expect(() => fixture([], { conversation: saved })).toThrow(message);
  });

  function withContent(saved: SavedConversation, change: object): unknown {
    const [id, content] = Object.entries(saved.attachments!)[0]!;
    return { ...saved, attachments: { ...saved.attachments, [id]: { ...content, ...change } } };
  }
});

describe('an export', () => {
  it('as JSON has only the contents that its path refers to', async () => {
    await using f = fixture([say('1'), say('2')]);
    await f.session.send({ text: 'One', files: [pngFile()] });
    await f.session.edit(f.session.turns.value[0]!.id, { text: 'Two', files: [pdfFile()] });
    const path = exportPath(f.session.save());
    expect(Object.values(path.attachments!)).toEqual([{ mediaType: 'application/pdf', data: pdf.data }]);
    await using next = fixture([], { conversation: path });
    expect(Object.keys(next.session.state.attachments)).toHaveLength(1);
  });

  it('Markdown names each file, and shows images', async () => {
    await using f = await lived();
    const text = toMarkdown(f.session.state);
    expect(text).toContain(`![photo.png](data:image/png;base64,${png.data})`);
    expect(text).toContain('File: report.pdf, application/pdf, 48 B');
    expect(text).toContain('File: notes.txt, text/plain, 5 B');
    expect(toMarkdown(f.session.save())).toBe(text);
    const named = toMarkdown(f.session.state, { images: 'named' });
    expect(named).toContain('Image: photo.png, image/png, 70 B');
    expect(named).not.toContain('data:');
  });
});
