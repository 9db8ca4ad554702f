import { beforeAll, describe, expect, it, vi } from 'vitest';
import { gate, memoryLog, say, scriptedProvider, settle } from '@banister/testing';
import { createAgentSession, type TurnRecord } from '@banister/session';
import { outputOf } from '@banister/session/view';
import { z } from 'zod';
import { fixture } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(generateLoaded);

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, rows: { type: 'array', items: { type: 'string' } } },
  required: ['title', 'rows'],
} as const;
const other = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;

describe('T4: outputOf', () => {
  it('T4: reads the output of a running `generate` as far as it has arrived, without parts that contradict the schema', async () => {
    const [first, second] = [gate(), gate()];
    await using f = fixture([
      say(['{"title": "Pl', first, 'an", "rows": ["a", 2, "b"', second, ']}']),
      say('{"title": "Plan", "rows": ["a"]}'),
    ]);
    const { liveTurn, partialOutput } = f.session;
    const now = () => outputOf(schema, liveTurn.value, partialOutput.value);
    expect(now()).toBe(null);
    const done = f.session.generate('Go', schema);
    await first.reached;
    expect(now()).toMatchObject({ partial: { title: 'Pl' }, value: undefined });
    expect(now()?.turn).toBe(liveTurn.value);
    expect(outputOf(other, liveTurn.value, partialOutput.value)).toBe(null);
    expect(outputOf(schema, liveTurn.value)?.partial).toBe(undefined);
    first.open();
    await second.reached;
    expect(now()?.partial).toEqual({ title: 'Plan', rows: ['a', 'b'] });
    second.open();
    expect(await done).toEqual({ title: 'Plan', rows: ['a'] });
    expect(now()).toBe(null);
  });

  it('T4: reads the output of a turn that has completed, as the same object each time', async () => {
    await using f = fixture([say('{"title": "Plan", "rows": []}'), say('Hello.')]);
    await f.session.generate('Go', schema);
    await f.session.send('Hello');
    const [turn, plain] = f.session.turns.value;
    const output = outputOf(schema, turn!);
    expect(output?.value).toEqual({ title: 'Plan', rows: [] });
    expect(output?.partial).toBe(output?.value);
    expect(outputOf(schema, turn!)?.value).toBe(output?.value);
    expect(outputOf(other, turn!)).toBe(null);
    expect(outputOf(schema, plain!)).toBe(null);
    expect(outputOf(true, turn!)).toBe(null);
    // The partial output of a session is about its running turn.
    expect(outputOf(schema, { ...turn!, status: 'failed' }, { title: 'Later' })).toMatchObject({
      partial: undefined,
      value: undefined,
    });
  });

  it('T4: reads the output of a library schema as the model wrote it, also in a reopened session', async () => {
    const dated = z.object({ due: z.string().transform((text) => new Date(text)) });
    const log = memoryLog();
    const session = createAgentSession({
      id: 'chat',
      provider: scriptedProvider([say('{"due": "2026-11-23"}')]),
      log,
    });
    await session.generate('When?', dated);
    await session.dispose();
    const again = createAgentSession({ provider: scriptedProvider([]), log, id: 'chat' });
    await vi.waitUntil(() => again.turns.value.length > 0, { timeout: 30_000 });
    // A schema of the same content: the code of another page load.
    const same = z.object({ due: z.string().transform((text) => new Date(text)) });
    expect(outputOf(same, again.turns.value[0]!)?.value?.due).toBe('2026-11-23');
    await again.dispose();
    await settle();
  });

  it('T4: asks a library for its JSON Schema once for each schema', async () => {
    const library = z.object({ title: z.string(), rows: z.array(z.string()) });
    const input = vi.spyOn(library['~standard'].jsonSchema, 'input');
    await using f = fixture([say('{"title": "Plan", "rows": []}')]);
    await f.session.generate('Go', library);
    const asked = input.mock.calls.length;
    const [turn] = f.session.turns.value;
    expect(outputOf(library, turn!)?.value?.title).toBe('Plan');
    expect(outputOf(library, turn!)?.value?.rows).toEqual([]);
    expect([asked, input.mock.calls.length]).toEqual([1, 1]);
  });

  it('T4: has no value if the record has no JSON object', async () => {
    await using f = fixture([say('{"title": "Plan", "rows": []}')]);
    await f.session.generate('Go', schema);
    const turn = f.session.turns.value[0]!;
    const saying = (text: string): TurnRecord => ({
      ...turn,
      rounds: [{ parts: [{ type: 'text', text }] }],
    });
    expect(outputOf(schema, saying('{"title"'))?.value).toBe(undefined);
    expect(outputOf(schema, saying('[1]'))?.value).toBe(undefined);
    expect(outputOf(schema, { ...turn, rounds: [] })?.value).toBe(undefined);
  });
});
