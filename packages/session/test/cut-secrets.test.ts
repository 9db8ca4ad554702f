// If a string is cut for a request, no piece of a pattern that a filter looks for is left.
import { beforeAll, describe, expect, it } from 'vitest';
import { compaction, defineGuard, success, type Middleware } from '@banister/session';
import { contentFilter } from '@banister/session/filters';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { callTools, say, spyTool } from '@banister/testing';
import { compactionLoaded } from './compaction-loaded.js';
import { filesLoaded, pngFile } from './files.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(() => Promise.all([hooksLoaded(), compactionLoaded(), filesLoaded()]));

const secrets = {
  key: 'sk-canary4711xyzzy',
  words: 'correct horse\nbattery staple',
  pattern: '4111 2222 3333 4444',
};
const filter = contentFilter({ redact: [secrets.key, secrets.words, /\d{4} \d{4} \d{4} \d{4}/] });

/** Returns the pieces of six characters of a secret, white space of any kind as a space. */
function piecesOf(secret: string): readonly string[] {
  const line = secret.replace(/\s/g, ' ');
  return [...line].slice(5).map((_, index) => line.slice(index, index + 6));
}

/** Returns a piece of the secret that is in a request, with what is around it. */
function leakIn({ provider }: Fixture, secret: string): string | null {
  const sent = JSON.stringify(provider.requests.map(({ messages }) => messages)).replace(/\\+n|\s/g, ' ');
  const piece = piecesOf(secret).find((one) => sent.includes(one));
  return piece === undefined ? null : sent.slice(Math.max(0, sent.indexOf(piece) - 30)).slice(0, 80);
}

/** Offsets of the secret around a cut; in the quick tier some of them. */
const around = (cut: number) => Array.from({ length: 36 }, (_, index) => cut - 32 + index);
const some = (offsets: readonly number[]) => {
  const count = sampleSize(offsets.length);
  return Array.from({ length: count }, (_, index) => offsets[Math.floor((index * offsets.length) / count)]!);
};

interface Place {
  readonly name: string;
  readonly offsets: readonly number[];
  /** A part of what the request has where it was cut. */
  readonly words: string;
  /** @param text returns the text with the secret, and what follows it */
  readonly run: (text: (after: string) => string) => Promise<Fixture>;
}

const options: FixtureOptions = { looseScript: true, middleware: [filter] };

/** A session with a result and a message that a compaction shortens. */
async function compacted(result: string, summary: boolean): Promise<Fixture> {
  const read = spyTool('read', { execute: () => success(result) });
  const call = callTools({ tool: 'docs.read', args: { text: result } });
  const f = fixture([call, say('Read.'), say(result), say('Short.'), say('On.')], {
    ...options,
    domains: [{ id: 'docs', tools: [read] }],
    compaction: compaction({ summary, to: summary ? 0.01 : 0.55 }),
  });
  await f.session.send('Read');
  await f.session.send('Say');
  await f.session.compact();
  await f.session.send('On');
  return f;
}

/** The beginning that is kept of the long message ends in here. */
const middle = Array.from({ length: 80 }, (_, index) => 3_910 + index);

const places: readonly Place[] = [
  {
    name: 'the line of a call',
    offsets: some([...around(190), ...around(200)]),
    words: 'shortened',
    run: (text) => compacted(text(' word'.repeat(400)), false),
  },
  {
    name: 'the line of a call, where a turn meets the window',
    offsets: some([...around(190), ...around(200)]),
    words: 'shortened',
    run: async (text) => {
      const result = text(' word'.repeat(400));
      const read = spyTool('read', { execute: () => success(result) });
      const call = callTools({ tool: 'docs.read', args: { text: result } });
      const f = fixture([call, say('Read.'), say('On.')], {
        ...options,
        domains: [{ id: 'docs', tools: [read] }],
        scripted: { contextWindow: 2_000 },
        compaction: compaction({ summary: false, at: 0.65, to: 0.4 }),
      });
      await f.session.send('Read');
      await f.session.send(' on'.repeat(600));
      expect(f.observed.operations.filter(({ type }) => type === 'contextCompacted')).toMatchObject([
        { turnId: 'turn_2' },
      ]);
      return f;
    },
  },
  {
    name: 'a call in the transcript for a summary',
    offsets: some([...around(990), ...around(1_000)]),
    words: '<transcript>',
    run: (text) => compacted(text(' word'.repeat(400)), true),
  },
  {
    name: 'the middle of a long message in the transcript for a summary',
    offsets: some(middle),
    words: 'the middle was left out',
    run: async (text) => {
      const f = fixture([say('a'), say('b'), say('S'), say('x')], {
        ...options,
        scripted: { contextWindow: 2_000 },
        compaction: compaction({ at: 0.99 }),
      });
      await f.session.send(text(' word'.repeat(1_500))).catch(() => {});
      await f.session.send('and then').catch(() => {});
      await f.session.compact();
      return f;
    },
  },
  {
    name: 'the error of a tool',
    offsets: around(500),
    words: 'The tool failed with an error',
    run: async (text) => {
      const read = spyTool('read', {
        execute: () => {
          throw new Error(text(' word'.repeat(40)));
        },
      });
      const f = fixture([callTools({ tool: 'docs.read' }), say('a')], {
        ...options,
        domains: [{ id: 'docs', tools: [read] }],
      });
      await f.session.send('Read');
      return f;
    },
  },
  {
    name: 'the name of a file',
    offsets: [...around(200), ...around(255)],
    words: '"name":',
    run: async (text) => {
      const f = fixture([say('a')], options);
      await f.session.send({ text: 'Look', files: [pngFile(text('.png'))] });
      return f;
    },
  },
];

describe('a text that is cut for a request', () => {
  const table = places.flatMap((place) =>
    Object.entries(secrets).map(([kind, secret]) => [place.name, kind, place, secret] as const),
  );
  it.each(table)(
    'contains no piece of a secret: %s, %s',
    async (_name, _kind, { offsets, run, words }, secret) => {
      const leaks: string[] = [];
      let cut = 0;
      for (const offset of offsets) {
        const before = `${'w '.repeat(offset / 2)}${offset % 2 === 0 ? '' : '.'}`;
        const f = await run((after) => `${before}${secret}${after}`);
        const leak = leakIn(f, secret);
        if (leak !== null) leaks.push(`${offset}: ${leak}`);
        if (JSON.stringify(f.provider.requests).includes(words)) cut++;
        await f.session.dispose();
      }
      expect(leaks).toEqual([]);
      expect(cut).toBeGreaterThan(0);
    },
  );
});

/** A text with a key where the first 500 characters of it end. */
const long = `${'w '.repeat(245)}${secrets.key} end`;
const refuses = () => {
  throw new Error(long);
};
const write = spyTool('write');

describe('an error thrown by code of the app', () => {
  const domains = [{ id: 'docs', tools: [write] }];
  const unusable = spyTool('write', {
    execute: () => ({
      toJSON: refuses,
    }),
  });
  const rows: readonly [string, FixtureOptions][] = [
    ['a guard', { domains, guards: [defineGuard('no', refuses)] }],
    [
      'the handler of a question',
      { domains, guards: [defineGuard('ask', () => ({ confirm: 'Sure?' }))], confirm: refuses },
    ],
    ['a hook', { domains, middleware: [filter, { name: 'fails', beforeToolCalls: refuses }] }],
    ['a result that cannot be read', { domains: [{ id: 'docs', tools: [unusable] }] }],
  ];
  it.each(rows)('is redacted before it is cut for the model: %s', async (_name, given) => {
    await using f = fixture([callTools({ tool: 'docs.write' }), say('a')], {
      ...options,
      reportsErrors: true,
      ...given,
    });
    await f.session.send('Write');
    expect(JSON.stringify(f.provider.requests.at(-1)!.messages)).toContain('w w w');
    expect(leakIn(f, secrets.key)).toBeNull();
  });

  it('is in the conversation if it is not cut', async () => {
    const read = spyTool('write', {
      execute: () => {
        throw new Error(`No ${secrets.key} here`);
      },
    });
    await using f = fixture([callTools({ tool: 'docs.write' }), say('a')], {
      ...options,
      domains: [{ id: 'docs', tools: [read] }],
    });
    await f.session.send('Write');
    expect(JSON.stringify(f.session.conversation.value)).toContain(secrets.key);
    expect(leakIn(f, secrets.key)).toBeNull();
  });
});

describe('invalid JSON of the model', () => {
  const lengths = Array.from({ length: 14 }, (_, index) => index);
  const faulty = (spaces: number) => `{"key":${' '.repeat(spaces)}${secrets.key}}`;

  it.each(lengths)(
    'is quoted without a piece of the key: arguments, %i spaces before the key',
    async (spaces) => {
      await using f = fixture([callTools({ tool: 'docs.write', argumentsText: faulty(spaces) }), say('a')], {
        ...options,
        domains: [{ id: 'docs', tools: [write] }],
      });
      await f.session.send('Write');
      expect(JSON.stringify(f.provider.requests.at(-1)!.messages)).toContain(
        'Not valid JSON: Unexpected token',
      );
      expect(leakIn(f, secrets.key)).toBeNull();
    },
  );

  it.each(lengths)(
    'is quoted without a piece of the key: an output, %i spaces before the key',
    async (spaces) => {
      await using f = fixture([say(faulty(spaces)), say('{"key":"a"}')], options);
      const schema = { type: 'object', properties: { key: { type: 'string' } } } as const;
      expect(await f.session.generate('Write', schema)).toEqual({ key: 'a' });
      expect(JSON.stringify(f.provider.requests.at(-1)!.messages)).toContain(
        'Not valid JSON: Unexpected token',
      );
      expect(leakIn(f, secrets.key)).toBeNull();
    },
  );
});

describe('a summary from before the filter was added', () => {
  it.each(Array.from({ length: 16 }, (_, index) => 530 + 2 * index))(
    'is redacted before it is cut in the transcript for the next summary: %i characters before the key',
    async (count) => {
      const summary = `${'w '.repeat(count / 2)}${secrets.key}${' word'.repeat(900)}`;
      const long = say(' word'.repeat(900));
      await using f = fixture([long, long, say(summary), say('On.'), say('S'), say('x')], {
        looseScript: true,
        scripted: { contextWindow: 8_000 },
      });
      await f.session.send(' word'.repeat(900));
      await f.session.send(' word'.repeat(900));
      await f.session.compact();
      expect(f.session.compactions.value[0]?.summary).toContain(secrets.key);
      const before = f.provider.requests.length;
      const small = Object.assign(Object.create(f.provider) as typeof f.provider, {
        capabilities: { ...f.provider.capabilities, contextWindow: 900 },
      });
      f.session.configure({ middleware: [filter], provider: small });
      await f.session.send('On').catch(() => {});
      await f.session.compact();
      const sent = JSON.stringify(f.provider.requests.slice(before));
      expect(sent).toContain('the middle was left out');
      expect(piecesOf(secrets.key).filter((piece) => sent.includes(piece))).toEqual([]);
    },
  );
});

describe('the name of a tool that the model made up', () => {
  it.each([20, 180, 190, 195])(
    'is redacted, and included completely or not at all: %i characters before it',
    async (count) => {
      await using f = fixture(
        [callTools({ tool: `docs.${'n'.repeat(count - 5)}${secrets.key}` }), say('a')],
        options,
      );
      await f.session.send('Write');
      expect(f.provider.requests).toHaveLength(2);
      expect(leakIn(f, secrets.key)).toBeNull();
    },
  );
});

describe('redact of a middleware', () => {
  const shortens: FixtureOptions = { ...options, compaction: compaction({ summary: false, to: 0.55 }) };
  const result = `${'w '.repeat(95)}${secrets.words}${' word'.repeat(400)}`;
  const run = async (middleware: readonly Middleware[]) => {
    const read = spyTool('read', { execute: () => success(result) });
    const f = fixture(
      [callTools({ tool: 'docs.read' }), say('Read.'), say(result), say('Short.'), say('On.')],
      {
        ...shortens,
        domains: [{ id: 'docs', tools: [read] }],
        middleware,
      },
    );
    await f.session.send('Read');
    await f.session.send('Say');
    await f.session.compact();
    return f;
  };

  it('keeps unchanged messages the same objects in each request', async () => {
    await using f = await run([filter]);
    await f.session.send('On');
    await f.session.send('On').catch(() => {});
    const [before, after] = f.provider.requests.slice(-2);
    expect(before!.messages.every((message, index) => message === after!.messages[index])).toBe(true);
  });

  it('sends nothing if it throws', async () => {
    let isBroken = false;
    const broken: Middleware = {
      name: 'broken',
      beforeRequest: () => {},
      redact: (message) => {
        if (isBroken) throw new Error('Not now.');
        return message;
      },
    };
    await using f = await run([broken]);
    isBroken = true;
    const { length } = f.provider.requests;
    expect(await rejection(f.session.send('On'))).toMatchObject({ code: 'egress-refused' });
    expect(f.provider.requests).toHaveLength(length);
  });
});
