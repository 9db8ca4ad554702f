import fc from 'fast-check';
import type { Message } from '@banister/provider';
import { describe, expect, test } from 'vitest';
import { wireCallIds } from '../src/port/wire-call-ids.js';
import { createWireNames } from '../src/port/wire-names.js';
import { propertyRun } from '../../../test/kit/property-run.js';

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
/** Registered ids: a dot in the middle, often so that plain replacement would make two of them the same. */
const toolId = fc.oneof(
  fc.tuple(word, word).map(([domain, tool]) => `${domain}.${tool}`),
  fc.constantFrom('a.b_c', 'a_b.c', 'a-b.c', 'a.b-c', 'a_b.c_d', 'a.b_c_d'),
  fc.integer({ min: 30, max: 40 }).map((length) => `${'d'.repeat(length)}.${'t'.repeat(length)}`),
);
const toolIds = fc.uniqueArray(toolId, { maxLength: 40 });
const accepted = /^[a-zA-Z0-9_-]{1,64}$/;

describe('wire names', { timeout: 60_000 }, () => {
  test('are accepted by every API, differ for different tools, and map back to their ids', () => {
    fc.assert(
      fc.property(toolIds, (ids) => {
        const names = createWireNames(ids);
        const wires = ids.map((id) => names.toWire(id));
        expect(wires.filter((wire) => !accepted.test(wire))).toEqual([]);
        expect(new Set(wires).size).toBe(ids.length);
        expect(wires.map((wire) => names.fromWire(wire))).toEqual(ids);
      }),
      propertyRun('wire names, registered', 1_000),
    );
  });

  test('differ between tools and other ids in a history', () => {
    const anyName = fc.oneof(toolId, fc.string({ unit: 'binary', maxLength: 30 }));
    fc.assert(
      fc.property(toolIds, fc.uniqueArray(anyName, { maxLength: 20 }), (ids, others) => {
        const names = createWireNames(ids);
        const all = [...new Set([...ids, ...others])];
        const wires = all.map((id) => names.toWire(id));
        expect(wires.filter((wire) => !accepted.test(wire))).toEqual([]);
        expect(new Set(wires).size).toBe(all.length);
        expect(ids.map((id) => names.fromWire(names.toWire(id)))).toEqual(ids);
      }),
      propertyRun('wire names, histories', 500),
    );
  });

  test('wire names of the same ids are the same each time', () => {
    fc.assert(
      fc.property(toolIds, (ids) => {
        const wires = (names: ReturnType<typeof createWireNames>) => ids.map((id) => names.toWire(id));
        expect(wires(createWireNames(ids))).toEqual(wires(createWireNames(ids)));
      }),
      propertyRun('wire names, deterministic', 200),
    );
  });
});

describe('wire call ids', { timeout: 60_000 }, () => {
  const providerId = fc.oneof(
    fc.constantFrom('call_1', 'call_2', 'same', '', 'c1', 'c3'),
    fc.string({ maxLength: 6 }),
  );
  const histories = fc.array(fc.option(providerId, { nil: undefined }), { maxLength: 20 }).map((given) =>
    given.map((providerCallId, index): Message => ({
      id: `message-${index}`,
      role: 'assistant',
      parts: [
        {
          type: 'tool-call',
          id: `c${index}`,
          ...(providerCallId === undefined ? {} : { providerCallId }),
          tool: 'board.add',
          argumentsText: '{}',
          arguments: {},
        },
      ],
    })),
  );

  test('differ for different calls', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const ids = wireCallIds(messages);
        expect(ids.size).toBe(messages.length);
        expect(new Set(ids.values()).size).toBe(messages.length);
        expect([...ids.values()]).not.toContain('');
      }),
      propertyRun('wire call ids, unique', 500),
    );
  });

  test('do not change when the history grows', () => {
    fc.assert(
      fc.property(histories, fc.nat(20), (messages, length) => {
        const earlier = wireCallIds(messages.slice(0, length));
        const later = wireCallIds(messages);
        for (const [id, wire] of earlier) expect(later.get(id)).toBe(wire);
      }),
      propertyRun('wire call ids, stable', 300),
    );
  });
});
