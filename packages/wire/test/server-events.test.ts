import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { eventsIn, type ServerEvent } from '../src/index.js';

const fields = fc.constantFrom('data', 'event', 'id', 'retry', '', 'what', 'database', 'events');
const lines = fc
  .tuple(
    fields,
    fc.constantFrom(':', ': ', ':  ', ''),
    fc.constantFrom('', 'a', 'b:c', ' d ', 'é', '{"x": 1}'),
  )
  .map(([field, colon, value]) => field + colon + (colon === '' ? '' : value));
const texts = fc
  .tuple(
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.array(fc.oneof({ weight: 4, arbitrary: lines }, { weight: 2, arbitrary: fc.constant('') })),
  )
  .map(([end, all]) => [...all, '', ''].join(end));

/** Reads the events with another implementation. An event without data, or with empty data, is left out. */
function readElsewhere(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }) => void (data !== '' && events.push({ name: event, data })),
  });
  parser.feed(text);
  return events;
}

test('W3 W4 W5 W6 complete events are read like by an independent reader of the standard', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(eventsIn(text)).toEqual(readElsewhere(text));
    }),
    propertyRun('events, read as another reader does', 2_000),
  );
});
