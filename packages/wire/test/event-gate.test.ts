import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { EventGate } from '../src/event-gate.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Short texts full of line ends, cut anywhere. */
const lineEnds = fc.constantFrom('\n', '\r\n', '\r');
const texts = fc
  .tuple(
    fc.constantFrom('plain', 'mixed'),
    fc.array(fc.tuple(fc.constantFrom('', 'a', 'bc'), lineEnds), { maxLength: 12 }),
  )
  .map(([kind, lines]) => lines.map(([text, end]) => text + (kind === 'plain' ? '\n' : end)).join(''));
const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 40 });

function chunksOf(text: string, lengths: readonly number[]): Uint8Array[] {
  const bytes = encoder.encode(text);
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    chunks.push(bytes.slice(at, at + length));
    at += length;
  }
  return chunks;
}

/**
 * Returns the places at which an event may end: after two line ends in a row. Half of a CR LF counts too,
 * because the other half is an empty line.
 */
function endsOf(text: string): ReadonlySet<number> {
  const ends = new Set<number>();
  let at = 0;
  let lineEnds = 0;
  for (const [token] of text.matchAll(/\r\n|\r|\n|[^\r\n]+/g)) {
    at += token.length;
    lineEnds = /[\r\n]/.test(token) ? lineEnds + 1 : 0;
    if (lineEnds >= 2) ends.add(at).add(token === '\r\n' ? at - 1 : at);
  }
  return ends;
}

describe('the event gate', () => {
  test('passes everything in order, cuts only after empty lines, and holds back no complete event', () => {
    fc.assert(
      fc.property(texts, cuts, (text, lengths) => {
        const gate = new EventGate();
        const ends = endsOf(text);
        let passed = '';
        let received = '';
        for (const chunk of chunksOf(text, lengths)) {
          received += decoder.decode(chunk);
          const events = gate.push(chunk);
          if (events) {
            passed += decoder.decode(events);
            expect(ends).toContain(passed.length);
          }
          // After a CR that may become CR LF, an event waits for the next byte.
          const due = [...ends].filter((end) => end <= received.length && text[end - 1] === '\n');
          expect(passed.length).toBeGreaterThanOrEqual(Math.max(0, ...due));
        }
        expect(passed + decoder.decode(gate.rest())).toBe(text);
      }),
      propertyRun('event gate, order', 2_000),
    );
  });

  test('measures the longest event, complete or not, however it is divided', () => {
    fc.assert(
      fc.property(
        fc.integer({ max: 30, min: 1 }),
        fc.boolean(),
        cuts,
        fc.constantFrom('\n', '\r\n'),
        (length, isWhole, lengths, end) => {
          const first = `a${end}${end}`;
          const second = 'x'.repeat(length) + (isWhole ? end + end : '');
          const gate = new EventGate();
          for (const chunk of chunksOf(first + second, lengths)) gate.push(chunk);
          expect(gate.longest).toBe(Math.max(first.length, second.length));
        },
      ),
      propertyRun('event gate, longest event', 500),
    );
  });
});
