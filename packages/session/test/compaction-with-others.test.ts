// Compaction in a session with staged discovery, and in a turn with structured output.
import { beforeAll, describe, expect, it } from 'vitest';
import { callTools, finishWith, say, spyTool, type AnswerSource } from '@banister/testing';
import { compaction, stagedDiscovery, type Domain } from '@banister/session';
import type { ProviderRequest } from '@banister/provider';
import { compactionLoaded } from './compaction-loaded.js';
import { discoveryLoaded } from './discovery-loaded.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';

beforeAll(() => Promise.all([compactionLoaded(), discoveryLoaded(), generateLoaded()]));

const long = (word: string, count = 300) => `${word} `.repeat(count);
const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] } as const;
const keys = ({ provider }: Fixture) => provider.requests.map(({ idempotencyKey }) => idempotencyKey);
const lastRequest = ({ provider }: Fixture): ProviderRequest => provider.requests.at(-1)!;

describe('compaction and staged discovery', () => {
  /** 3,000 tools: some 80,000 estimated tokens, of which a request has a few. */
  const domains: readonly Domain[] = Array.from({ length: 300 }, (_one, index) => ({
    id: `domain${index}`,
    tools: Array.from({ length: 10 }, (_two, place) =>
      spyTool(`tool${place}`, { description: 'Does one of many things.', capabilities: ['readOnly'] }),
    ),
  }));
  const many: FixtureOptions = {
    domains,
    discovery: stagedDiscovery(),
    scripted: { maxTools: 20, contextWindow: 50_000, structuredOutput: true },
  };
  const answers = (count: number): AnswerSource[] => Array.from({ length: count }, () => say(long('answer')));

  async function talked(): Promise<Fixture> {
    const f = fixture(answers(4), many);
    for (let index = 0; index < 4; index++) await f.session.send(long('question'));
    return f;
  }

  it('`compact` measures the tools of a request, not all tools of the session', async () => {
    await using before = await talked();
    const conversation = before.session.save();
    await using f = fixture([say('S'), say('x')], { ...many, conversation });
    const pressure = f.session.contextPressure.value!;
    await f.session.compact();
    const [mark] = f.session.compactions.value;
    expect(mark!.tokens.before).toBeLessThan(10_000);
    expect(mark!.tokens.after).toBeGreaterThan(mark!.tokens.before / 4);
    expect(f.session.contextPressure.value).toBeLessThan(pressure);
    await f.session.send('On');
    expect(keys(f)).toHaveLength(2);
  });

  it('a turn of generate measures the tools that its request has', async () => {
    await using before = await talked();
    const conversation = before.session.save();
    await using f = fixture([say('{"title":"A"}')], { ...many, conversation, compaction: compaction() });
    await f.session.generate('Name it', schema);
    expect(f.session.compactions.value).toEqual([]);
    const { contextPressure } = f.observed.operations.find(({ type }) => type === 'roundStarted') as {
      readonly contextPressure?: number;
    };
    expect(contextPressure).toBeLessThan(0.2);
  });

  it('a domain stays active, and its tools callable, after a compaction that left out the activating call', async () => {
    const use = callTools({ tool: 'banister.use_domain', args: { ids: ['domain7'] } });
    await using f = fixture(
      [use, ...answers(3), say('S'), callTools({ tool: 'domain7.tool1' }), say('x')],
      many,
    );
    for (let index = 0; index < 3; index++) await f.session.send(long('question'));
    await f.session.compact();
    await f.session.send('On');
    const [, after] = f.provider.requests.slice(-2);
    expect(JSON.stringify(after!.messages)).not.toContain('use_domain');
    expect(after!.tools.map(({ name }) => name)).toContain('domain7.tool1');
    expect(JSON.stringify(after!.messages.at(-1))).toContain('success');
  });
});

describe('compaction and generate', () => {
  const small: FixtureOptions = {
    scripted: { contextWindow: 4_200, structuredOutput: true },
    compaction: compaction(),
  };
  /** A conversation that the next message fills up. */
  async function filled(more: readonly AnswerSource[]): Promise<Fixture> {
    const f = fixture([...Array.from({ length: 3 }, () => say(long('answer'))), ...more], small);
    for (let index = 0; index < 3; index++) await f.session.send(long('question', 250));
    expect(f.session.compactions.value).toEqual([]);
    return f;
  }

  it('a turn of generate compacts before its request, and its mark is in its record', async () => {
    await using f = await filled([say('S'), say('{"title":"A"}'), say('x')]);
    expect(await f.session.generate(long('Name it', 250), schema)).toEqual({ title: 'A' });
    expect(f.session.compactions.value).toMatchObject([{ turnId: 'turn_4', round: 1, summary: 'S' }]);
    expect(keys(f).slice(-2)).toEqual(['mark_1-summary', 'turn_4-1']);
    expect(lastRequest(f).output).toEqual({ schema });
    await f.session.send('On');
    expect(lastRequest(f).messages[0]?.kind).toBe('summary');
  });

  it('a turn of generate that fails leaves conversation, head, marks and contextPressure as they were', async () => {
    await using f = await filled([say('S'), say('no'), say('no'), say('x')]);
    const { conversation, headTurnId, contextPressure } = f.session.state;
    const error = await rejection(f.session.generate(long('Name it', 250), schema));
    expect(error.code).toBe('structured-output-invalid');
    expect(keys(f)).toContain('mark_1-summary');
    expect(f.session.state).toMatchObject({ conversation, headTurnId, compactions: [] });
    expect(f.session.contextPressure.value).toBeCloseTo(contextPressure!, 2);
    await f.session.send('On');
    expect(lastRequest(f).messages).toHaveLength(7);
  });

  it('`compact` leaves out a prompt of `generate` like any other message', async () => {
    await using f = fixture(
      [say('{"title":"A"}'), ...Array.from({ length: 2 }, () => say(long('answer'))), say('S'), say('x')],
      { scripted: { structuredOutput: true } },
    );
    await f.session.generate(long('Name it'), schema);
    for (let index = 0; index < 2; index++) await f.session.send(long('question'));
    await f.session.compact();
    expect(JSON.stringify(lastRequest(f).messages)).toContain('Assistant: {\\"title\\":\\"A\\"}');
    await f.session.send('On');
    expect(JSON.stringify(lastRequest(f).messages)).not.toContain('Name it');
  });

  it('`generate` does not define provider-hosted tools that the conversation names', async () => {
    const hosted = { tool: 'server.create', hosted: true } as const;
    await using f = fixture([finishWith('approval', hosted), say('{"title":"A"}')], {
      scripted: { structuredOutput: true },
    });
    await f.session.send('Create it');
    await f.session.generate('Name it', schema);
    expect(lastRequest(f).tools).toEqual([]);
  });
});
