import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Draft, type Change } from '../../src/state/change.js';
import { initialParser, readPartialJson, type JsonParserState } from '../../src/state/partial-json.js';
import { cuts, cutUp, hasInfinity, jsonObjectTexts, jsonTexts, withoutProto } from './json-documents.js';
import { propertyRun } from '../../../../test/kit/property-run.js';

/** Reads a text piece by piece, as the fold does. */
class Reader {
  private parser: JsonParserState = initialParser;
  private readonly draft = new Draft<{ view?: unknown }>({});

  /** @returns how many changes the piece caused */
  read(piece: string): number {
    const changes: Change[] = [];
    this.parser = readPartialJson(this.parser, piece, ['view'], changes);
    this.draft.apply(changes);
    this.draft.take('view');
    return changes.length;
  }

  get view(): unknown {
    return this.draft.current.view;
  }

  get mode(): string {
    return this.parser.mode;
  }
}

/** Whether a view may stand for a value that is still arriving: nothing in it is taken back later. */
function leadsTo(view: unknown, final: unknown): boolean {
  if (typeof view === 'string') return typeof final === 'string' && final.startsWith(view);
  if (Array.isArray(view)) {
    return (
      Array.isArray(final) &&
      view.length <= final.length &&
      view.every((item, index) => leadsTo(item, final[index]))
    );
  }
  if (typeof view === 'object' && view !== null) {
    if (typeof final !== 'object' || final === null || Array.isArray(final)) return false;
    return Object.entries(view).every(
      ([key, inner]) => Object.hasOwn(final, key) && leadsTo(inner, (final as Record<string, unknown>)[key]),
    );
  }
  return Object.is(view, final);
}

const isWhole = (text: string) => !/^[\s]*$/.test(text) && !/[\d.eE+-]$/.test(text.trimEnd());

/** An object that names a key twice replaces the first value, as JSON.parse does. */
function hasTwins(text: string): boolean {
  let twins = false;
  const keys: Set<string>[] = [];
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}]/gs);
  for (const [token] of tokens) {
    if (token === '{') keys.push(new Set());
    else if (token === '}') keys.pop();
    else if (token.endsWith(':')) {
      const key = JSON.parse(token.slice(0, -1)) as string;
      twins ||= keys.at(-1)?.has(key) ?? false;
      keys.at(-1)?.add(key);
    }
  }
  return twins;
}

describe('the view of JSON that is still arriving', { timeout: 60_000 }, () => {
  test('ends with the parsed value, no matter how the text was cut', () => {
    fc.assert(
      fc.property(jsonTexts, cuts, (text, places) => {
        const reader = new Reader();
        for (const piece of cutUp(text, places)) reader.read(piece);
        // A number at the very end could have further digits: the space ends it.
        reader.read(' ');
        expect(reader.mode).toBe('end');
        expectSame(reader.view, withoutProto(JSON.parse(text)));
      }),
      propertyRun('partial JSON, final view', 1_500),
    );
  });

  test('never contradicts the final value', () => {
    fc.assert(
      fc.property(jsonTexts, cuts, (text, places) => {
        fc.pre(!hasTwins(text));
        const final = withoutProto(JSON.parse(text));
        const reader = new Reader();
        for (const piece of cutUp(text, places)) {
          reader.read(piece);
          if (reader.view !== undefined && !leadsTo(reader.view, final))
            throw new Error(`${JSON.stringify(reader.view)} does not lead to ${JSON.stringify(final)}`);
        }
      }),
      propertyRun('partial JSON, views on the way', 1_500),
    );
  });

  test('is the same for any cut into pieces', () => {
    fc.assert(
      fc.property(jsonTexts, fc.nat(500), cuts, (text, length, places) => {
        const start = text.slice(0, length);
        const whole = new Reader();
        whole.read(start);
        const pieces = new Reader();
        for (const piece of cutUp(start, places)) pieces.read(piece);
        expectSame(pieces.view, whole.view);
        expect(pieces.mode).toBe(whole.mode);
      }),
      propertyRun('partial JSON, independent of cuts', 1_000),
    );
  });

  test('costs no more changes than the piece has characters', () => {
    fc.assert(
      fc.property(jsonTexts, cuts, (text, places) => {
        const reader = new Reader();
        const dear = cutUp(text, places).filter((piece) => reader.read(piece) > piece.length + 1);
        expect(dear).toEqual([]);
      }),
      propertyRun('partial JSON, cost', 500),
    );
  });

  test('shows at least 85 per cent of the text of string-heavy arguments', () => {
    const prose = fc.record({
      title: fc.string({ minLength: 10, maxLength: 60 }),
      body: fc.string({ unit: 'grapheme', minLength: 200, maxLength: 800 }),
      items: fc.array(fc.string({ minLength: 20, maxLength: 120 }), { minLength: 1, maxLength: 4 }),
    });
    let received = 0;
    let shown = 0;
    fc.assert(
      fc.property(prose, (value) => {
        const text = JSON.stringify(value);
        const reader = new Reader();
        for (let at = 0; at < text.length; at += 16) {
          reader.read(text.slice(at, at + 16));
          received += Math.min(text.length, at + 16);
          shown += (JSON.stringify(reader.view) ?? '').length;
        }
      }),
      propertyRun('partial JSON, coverage', 300),
    );
    expect(shown / received).toBeGreaterThanOrEqual(0.85);
  });
});

describe('JSON that is broken', { timeout: 60_000 }, () => {
  const broken = fc
    .tuple(
      jsonObjectTexts,
      fc.nat(500),
      fc.constantFrom('', '"', '}', ']', ',', ':', '\\', 'x', '\\u00', '{', '[', '1.'),
    )
    .map(([text, place, noise]) => text.slice(0, place) + noise + text.slice(place + 1));

  test('never throws, never pollutes a prototype, and is complete only if JSON.parse accepts the text', () => {
    fc.assert(
      fc.property(broken, cuts, (text, places) => {
        const reader = new Reader();
        for (const piece of cutUp(text, places)) reader.read(piece);
        reader.read(' ');
        expectCleanPrototypes(reader.view);
        const parsed = parsedOrUndefined(text);
        const whole = reader.mode === 'end';
        // The reader accepts exactly the texts that JSON.parse accepts, but for numbers that JSON cannot hold.
        if (isWhole(text) && parsed !== undefined) expect(whole).toBe(true);
        if (whole && parsed !== undefined) expectSame(reader.view, withoutProto(parsed));
      }),
      propertyRun('partial JSON, broken', 2_000),
    );
  });

  test('reports no change after the fault', () => {
    fc.assert(
      fc.property(broken, fc.string(), (text, more) => {
        const reader = new Reader();
        reader.read(text);
        if (reader.mode !== 'broken') return;
        const { view } = reader;
        expect(reader.read(more)).toBe(0);
        expect(reader.view).toBe(view);
      }),
      propertyRun('partial JSON, after the break', 500),
    );
  });

  test('of any depth is read without recursion', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom('[', '{"a":'), (depth, opening) => {
        const reader = new Reader();
        reader.read(opening.repeat(depth));
        expect(reader.mode === 'broken').toBe(depth > 64);
      }),
      propertyRun('partial JSON, depth', 100),
    );
  });
});

/** Not vitest's equality, which takes a key `constructor` for the class of the object. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`);
}

function parsedOrUndefined(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return hasInfinity(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function expectCleanPrototypes(view: unknown): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as { polluted?: unknown }).polluted).toBe(undefined);
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
    Object.values(value).forEach(visit);
  };
  visit(view);
}
