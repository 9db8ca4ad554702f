// Role, live context, images in the request.
import { describe, expect, it, vi } from 'vitest';
import { callTools, say, settle, spyTool } from '@banister/testing';
import type { ContextSource } from '@banister/session';
import { readImage } from '@banister/session/view';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';

const source = (id: string, summary: () => string | Promise<string>): ContextSource => ({
  id,
  policy: 'always',
  summary,
});

describe('the system prompt', () => {
  it('AK-R1 AK-R4 the system prompt is the role, then one line for each source', async () => {
    await using f = fixture([say('x')], {
      role: 'You help with a board.',
      context: [source('selection', () => 'card 3'), source('time', () => Promise.resolve('noon'))],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe(
      'You help with a board.\n\n[selection]: card 3\n[time]: noon',
    );
  });

  it('has the lines in the order of the sources, no matter which is read first', async () => {
    const after = (id: string, steps: number) =>
      source(id, async () => {
        await settle(steps);
        return id;
      });
    await using f = fixture([say('x')], {
      context: [after('a', 4), after('b', 6), after('c', 2), source('d', () => 'd')],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('[a]: a\n[b]: b\n[c]: c\n[d]: d');
  });

  it('is empty without a role and without sources', async () => {
    await using f = fixture([say('x')]);
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('');
  });

  it('has one line for each source, even if its text has several lines', async () => {
    await using f = fixture([say('x')], { context: [source('a', () => ' one \n\n two ')] });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system.split('\n')).toHaveLength(1);
  });
});

describe('sources', () => {
  it('are read before every request, so that later rounds see fresh state', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), callTools(addCard('B')), say('x')], {
      domains: [board.domain()],
      context: [source('cards', () => board.titles.join())],
    });
    await f.session.send('Go');
    expect(f.provider.requests.map((request) => request.system)).toEqual([
      '[cards]: ',
      '[cards]: A',
      '[cards]: A,B',
    ]);
    expect(f.observed.types.filter((type) => type === 'contextRefreshed')).toHaveLength(3);
  });

  it('a diagnostic disappears when its problem is gone; sources without a problem leave the diagnostics unchanged', async () => {
    let isOffline = false;
    const summary = () => {
      if (isOffline) throw new Error('offline');
      return 'online';
    };
    const cut = spyTool('cut', { execute: () => void (isOffline = !isOffline) });
    const again = { tool: 'net.again' };
    await using f = fixture(
      [
        callTools(again),
        callTools({ tool: 'net.cut' }),
        callTools({ tool: 'net.cut', args: { n: 2 } }),
        say('x'),
      ],
      {
        domains: [{ id: 'net', tools: [cut, spyTool('again')] }],
        context: [source('net', summary)],
      },
    );
    const lists: unknown[] = [];
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'contextRefreshed') lists.push(f.session.lastContextDiagnostics.value);
    });
    await f.session.send('Go');
    expect(lists).toEqual([[], [], [expect.anything()], []]);
    expect(lists[1]).toBe(lists[0]);
  });

  it('are never stored in the conversation', async () => {
    await using f = fixture([say('x')], { context: [source('secret', () => 'only live')] });
    await f.session.send('Go');
    expect(JSON.stringify(f.session.save())).not.toContain('only live');
  });

  it.each<[string, () => string | Promise<string>, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('offline');
      },
      /offline/,
    ],
    ['rejects', () => Promise.reject(new Error('offline')), /offline/],
    [
      'throws no Error',
      () => {
        throw null;
      },
      /./,
    ],
  ])(
    'AK-R7 a source that %s gives a diagnostic; the other sources are read, and the turn continues',
    async (_name, summary, message) => {
      await using f = fixture([say('x')], {
        context: [source('broken', summary), source('fine', () => 'yes')],
      });
      expect((await f.session.send('Go')).status).toBe('completed');
      expect(f.provider.requests[0]?.system).toBe('[fine]: yes');
      expect(f.session.lastContextDiagnostics.value).toEqual([
        { source: 'broken', message: expect.stringMatching(message) },
      ]);
    },
  );

  it('a source whose value cannot be converted to text gives a diagnostic', async () => {
    await using f = fixture([say('x')], {
      context: [source('strange', () => Object.create(null) as string), source('fine', () => 'yes')],
    });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.system).toBe('[fine]: yes');
    expect(f.session.lastContextDiagnostics.value).toMatchObject([{ source: 'strange' }]);
  });

  it('a slow source gives a diagnostic, and its late value is dropped', async () => {
    let answer: (text: string) => void = () => {};
    await using f = fixture([say('x')], {
      context: [
        source('slow', () => new Promise((resolve) => (answer = resolve))),
        source('fine', () => 'yes'),
      ],
    });
    const turn = f.session.send('Go');
    await f.clock.advance(1_999);
    expect(f.session.phase.value).toBe('preparing');
    expect(f.provider.requests).toEqual([]);
    await f.clock.advance(1);
    await turn;
    answer('late');
    await settle();
    expect(f.provider.requests[0]?.system).toBe('[fine]: yes');
    expect(f.session.lastContextDiagnostics.value).toMatchObject([
      { source: 'slow', message: expect.stringContaining('2000 ms') },
    ]);
  });

  it('are read side by side: several slow ones cost 2 s together', async () => {
    const hang = () => new Promise<string>(() => {});
    await using f = fixture([say('x')], {
      context: [source('a', hang), source('b', hang), source('c', hang)],
    });
    const turn = f.session.send('Go');
    await f.clock.advance(2_000);
    await turn;
    expect(f.session.lastContextDiagnostics.value).toHaveLength(3);
  });

  it('a diagnostic of an earlier round is replaced by the later one', async () => {
    let reads = 0;
    await using f = fixture([callTools(addCard('A')), say('x')], {
      domains: [createBoard().domain()],
      context: [source('flaky', () => (++reads === 1 ? Promise.reject(new Error('offline')) : 'fine'))],
    });
    await f.session.send('Go');
    expect(f.session.lastContextDiagnostics.value).toEqual([]);
    expect(f.provider.requests[1]?.system).toBe('[flaky]: fine');
  });

  it('are not read before a turn, nor after it', async () => {
    const summary = vi.fn(() => 'x');
    await using f = fixture([say('x')], { context: [source('a', summary)] });
    await settle();
    expect(summary).not.toHaveBeenCalled();
    await f.session.send('Go');
    await settle();
    expect(summary).toHaveBeenCalledTimes(1);
  });

  it('AK-R8 can be changed by `configure`', async () => {
    await using f = fixture([say('x'), say('y')], { context: [source('a', () => '1')] });
    await f.session.send('Go');
    f.session.configure({ context: [source('b', () => '2')] });
    await f.session.send('Go');
    expect(f.provider.requests.map((request) => request.system)).toEqual(['[a]: 1', '[b]: 2']);
  });
});

describe('images', () => {
  const png = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };

  it('follow the text, in order', async () => {
    await using f = fixture([say('x')]);
    await f.session.send({ text: 'Look', images: [png, { ...png, mediaType: 'image/gif' }] });
    expect(f.session.conversation.value.messages[0]?.parts).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image', ...png },
      { type: 'image', ...png, mediaType: 'image/gif' },
    ]);
  });

  it('may come without text', async () => {
    await using f = fixture([say('x')]);
    await f.session.send({ text: '', images: [png] });
    expect(f.session.conversation.value.messages[0]?.parts).toEqual([{ type: 'image', ...png }]);
  });

  it('readImage reads a file, of any size', async () => {
    const bytes = new Uint8Array(100_000).map((_, i) => i % 256);
    const { mediaType, data } = await readImage(new Blob([bytes], { type: 'image/png' }));
    expect(mediaType).toBe('image/png');
    expect(Buffer.from(data, 'base64').equals(bytes)).toBe(true);
  });

  it('`readImage` refuses a file that is not an image or cannot be read', async () => {
    expect((await rejection(readImage(new Blob(['x'], { type: 'text/plain' })))).code).toBe(
      'unreadable-attachment',
    );
    const broken = Object.assign(new Blob(['x'], { type: 'image/png' }), {
      arrayBuffer: () => Promise.reject(new Error('gone')),
    });
    expect((await rejection(readImage(broken))).code).toBe('unreadable-attachment');
  });
});
