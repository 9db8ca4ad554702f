// The change that a call is going to make, at its question.
import { describe, expect, it, vi } from 'vitest';
import { callTools, forcedGuard, gate, say, settle, type ScriptedCall } from '@banister/testing';
import {
  confirmTools,
  type CallPreview,
  type Confirmation,
  type JsonObject,
  type SessionOptions,
  type Tool,
} from '@banister/session';
import {
  atOperation,
  fixture,
  rejection,
  resultTexts,
  type Fixture,
  type FixtureOptions,
} from './fixture.js';
import { createTitles, rename, type Titles } from './titles.js';

const guards = [forcedGuard('ask', { confirm: 'Rename?' })];

function asking(
  titles: Titles,
  calls: readonly ScriptedCall[],
  { tool, ...options }: FixtureOptions & { readonly tool?: Partial<Tool> } = {},
): Fixture {
  const answers = [callTools(...calls), say('Done.')];
  return fixture(answers, { domains: [titles.domain(tool)], guards, looseScript: true, ...options });
}

async function question(f: Fixture): Promise<Confirmation> {
  await settle();
  return f.session.pendingConfirmation.value!;
}

const typesOf = ({ observed }: Fixture) => observed.operations.map(({ type }) => type);
const requests = ({ observed }: Fixture) =>
  observed.operations.flatMap((one) => (one.type === 'confirmationRequested' ? [one.request] : []));

describe('the preview of a call', () => {
  it.each<[string, unknown, CallPreview]>([
    ['a text', 'Renames "One".', { kind: 'text', text: 'Renames "One".' }],
    ['values before and after', { before: 'One', after: 'A' }, { kind: 'change', before: 'One', after: 'A' }],
    ['a value after alone', { before: undefined, after: [1] }, { kind: 'change', before: null, after: [1] }],
    ['other JSON', { renamed: 1 }, { kind: 'json', value: { renamed: 1 } }],
    ['a list', ['before', 'after'], { kind: 'json', value: ['before', 'after'] }],
    ['an empty object', {}, { kind: 'json', value: {} }],
    ['false', false, { kind: 'json', value: false }],
  ])('is a part of its request, with a digest: %s', async (_name, returned, preview) => {
    await using f = asking(createTitles(), [rename('1', 'A')], { tool: { preview: () => returned } });
    const turn = f.session.send('Go');
    const request = await question(f);
    expect(request.preview).toEqual(preview);
    expect(request.digest).toEqual(expect.any(String));
    expect(f.session.state.pendingConfirmations[0]).toMatchObject({ preview, digest: request.digest! });
    await request.approve();
    await turn;
  });

  it('is made for each call of a large batch, without a listener warning of the runtime', async () => {
    const warning = vi.spyOn(process, 'emitWarning').mockReturnValue();
    const calls = Array.from({ length: 20 }, (_, index) => rename('1', `Title ${index}`));
    await using f = asking(createTitles(), calls, {
      tool: { preview: () => 'Renames it.' },
      limits: { maxToolCalls: 20 },
    });
    const turn = f.session.send('Go');
    await settle(2_000);
    expect(requests(f)).toHaveLength(20);
    await f.session.cancel();
    await turn.catch(() => {});
    expect(warning.mock.calls).toEqual([]);
    warning.mockRestore();
  });

  it('is absent for a tool without previews, and so is the digest', async () => {
    await using f = asking(createTitles(), [rename('1', 'A')], { tool: { preview: undefined } });
    void f.session.send('Go');
    const request = await question(f);
    expect(Object.keys(request)).not.toContain('preview');
    expect(Object.keys(request)).not.toContain('digest');
    expect(await f.session.respond(request.id, { approve: true, digest: 'x' })).toEqual({
      errors: ['The preview of this call has changed since.'],
    });
    expect(await request.approve()).toBe('accepted');
  });

  it('no preview is made for a call without a question', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')], { guards: [] });
    await f.session.send('Go');
    expect(titles.previews).toEqual([]);
    expect(titles.all.get('1')).toBe('A');
  });

  it('all previews of a batch are made in parallel, and the questions open together', async () => {
    const held = gate();
    await using f = asking(createTitles(), [rename('1', 'A'), rename('2', 'B')], {
      tool: { preview: ({ id }: JsonObject) => (id === '2' ? held.pass().then(() => 'Two') : 'One') },
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmations.value).toEqual([]);
    held.open();
    await settle();
    expect(f.session.pendingConfirmations.value.map(({ preview }) => preview)).toEqual([
      { kind: 'text', text: 'One' },
      { kind: 'text', text: 'Two' },
    ]);
    for (const one of f.session.pendingConfirmations.value) void one.approve();
    await turn;
  });

  it('is ended by a cancel while it is made: the question never opens', async () => {
    const held = gate();
    let signal: AbortSignal | undefined;
    await using f = asking(createTitles(), [rename('1', 'A')], {
      tool: {
        preview: (_args: unknown, context: { signal: AbortSignal }) => {
          ({ signal } = context);
          return held.pass();
        },
      },
    });
    const turn = rejection(f.session.send('Go'));
    await held.reached;
    await f.session.cancel();
    expect((await turn).code).toBe('cancelled');
    expect(signal?.aborted).toBe(true);
    expect(requests(f)).toEqual([]);
    held.open();
    await settle();
  });

  it("waiting for it does not count toward the turn's time", async () => {
    await using f = asking(createTitles(), [rename('1', 'A')], {
      limits: { timeoutMs: 1_000 },
      tool: { preview: () => new Promise(() => {}) },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(3_000);
    await (await question(f)).approve();
    expect((await turn).status).toBe('completed');
  });
});

describe('a preview that fails says so and never approves', () => {
  const hang = () => new Promise(() => {});
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  it.each<[string, () => unknown, string | RegExp, string?]>([
    [
      'it throws',
      () => {
        throw new Error('No board.');
      },
      'No board.',
    ],
    [
      'it throws nothing',
      () => {
        throw undefined;
      },
      'unknown error',
    ],
    ['it rejects', () => Promise.reject(new Error('Offline.')), 'Offline.'],
    ['it hangs', hang, 'The preview took longer than 3 seconds.', 'too-slow'],
    ['it returns nothing', () => undefined, 'The preview is empty.', 'empty'],
    ['it returns null', () => null, 'The preview is empty.', 'empty'],
    ['it returns an empty text', () => '', 'The preview is empty.', 'empty'],
    ['it returns a function', () => () => {}, 'The preview is not JSON: it is a function.', 'no-json'],
    ['it returns a number that JSON cannot hold', () => ({ after: NaN }), /field after is NaN/, 'no-json'],
    [
      'it returns an instance',
      () => new Map(),
      'The preview is not JSON: it is a Map, not plain data.',
      'no-json',
    ],
    ['it returns a cycle', () => cycle, /refers?ence to something that contains it/, 'no-json'],
    [
      'it returns a text that is too long',
      () => 'x'.repeat(10_000),
      /longer than 10000 characters/,
      'too-long',
    ],
    ['it returns too many values', () => Array.from({ length: 10_001 }, () => 0), /too large/, 'no-json'],
    [
      'its value has a getter that throws',
      () => ({
        get before() {
          throw new Error('Gone.');
        },
      }),
      /Gone/,
      'no-json',
    ],
  ])('%s', async (_name, preview, reason, code) => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')], { tool: { preview } });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(3_000);
    const request = await question(f);
    expect(request.preview).toEqual({
      kind: 'failed',
      reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
      ...(code === undefined ? {} : { because: expect.objectContaining({ code }) }),
    });
    expect(titles.runs).toEqual([]);
    expect(await request.approve()).toBe('accepted');
    await turn;
    expect(titles.runs).toHaveLength(1);
  });

  it('a preview that answers after its timeout changes nothing', async () => {
    const held = gate();
    await using f = asking(createTitles(), [rename('1', 'A')], {
      tool: { preview: () => held.pass().then(() => 'Late') },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(3_000);
    held.open();
    const request = await question(f);
    expect(request.preview).toMatchObject({ kind: 'failed' });
    await request.deny();
    await turn;
  });

  it('a preview that changes its arguments does not affect other functions', async () => {
    const titles = createTitles();
    await using f = asking(titles, [rename('1', 'A')], {
      tool: {
        preview: (args: Record<string, unknown>) => {
          args['title'] = 'Mine';
          args['extra'] = {};
          return 'Renames it.';
        },
      },
    });
    const turn = f.session.send('Go');
    const request = await question(f);
    expect(request.call.arguments).toEqual({ id: '1', title: 'A' });
    await request.approve();
    await turn;
    expect(titles.runs).toEqual([{ id: '1', title: 'A' }]);
  });

  it('if a preview failed because its domain changed before the call, the user is asked once more', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')], {
      tool: {
        preview: () => {
          throw new Error('No.');
        },
      },
    });
    const turn = f.session.send('Go');
    const first = await question(f);
    atOperation(f.session, 'confirmationResolved', () => titles.set('2', 'Mine'));
    await first.approve();
    const second = await question(f);
    expect(second).toMatchObject({ changed: true, preview: { kind: 'failed' } });
    await second.approve();
    await turn;
    expect(titles.runs).toHaveLength(1);
  });
});

describe('while a question is open', () => {
  it.each([
    ['reports', 'subscribe', 0],
    ['moves its revision', 'revision', 500],
  ] as const)(
    'a change of a domain that %s renews its preview under the same id',
    async (_name, part, ms) => {
      const titles = createTitles(part);
      await using f = asking(titles, [rename('1', 'A')]);
      const turn = f.session.send('Go');
      const before = await question(f);
      titles.set('1', 'Mine');
      await f.clock.advance(ms);
      const now = await question(f);
      expect(now).toMatchObject({
        id: before.id,
        changed: true,
        preview: { kind: 'change', before: 'Mine', after: 'A' },
      });
      expect(now.digest).not.toBe(before.digest);
      expect(now.expiresAt).toBe(before.expiresAt);
      expect(typesOf(f).filter((type) => type === 'previewRenewed')).toHaveLength(1);
      expect(await before.approve()).toEqual({ errors: ['The preview of this call has changed since.'] });
      expect(f.session.pendingConfirmations.value).toEqual([now]);
      expect(await now.approve()).toBe('accepted');
      await turn;
      expect(titles.all.get('1')).toBe('A');
    },
  );

  it('`session.touch` renews its preview if the domain does not report changes', async () => {
    const titles = createTitles();
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    await question(f);
    titles.all.set('1', 'Mine');
    f.session.touch('titles');
    const now = await question(f);
    expect(now.preview).toMatchObject({ before: 'Mine' });
    await now.approve();
    await turn;
  });

  it('a change that does not affect the preview does not affect the question', async () => {
    const titles = createTitles('revision', 'subscribe');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const before = await question(f);
    titles.set('2', 'Mine');
    await settle();
    expect(titles.previews).toHaveLength(2);
    expect(await question(f)).toBe(before);
    expect(typesOf(f)).not.toContain('previewRenewed');
    await before.approve();
    await turn;
    expect(requests(f)).toHaveLength(1);
  });

  it('without a change the preview is made only once, no matter how long the question is open', async () => {
    const titles = createTitles('revision', 'subscribe');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    await question(f);
    await f.clock.advance(40_000);
    await (await question(f)).approve();
    await turn;
    expect(titles.previews).toHaveLength(1);
  });

  it('a decision without a digest applies to the current preview', async () => {
    const titles = createTitles('subscribe');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const { id } = await question(f);
    titles.set('1', 'Mine');
    await settle();
    expect(await f.session.respond(id, { approve: true })).toBe('accepted');
    await turn;
    expect(requests(f)).toHaveLength(1);
    expect(titles.all.get('1')).toBe('A');
  });

  it('a digest that is not a string is refused, and the question stays open', async () => {
    await using f = asking(createTitles(), [rename('1', 'A')]);
    void f.session.send('Go');
    const { id } = await question(f);
    const decision = { approve: true, digest: 7 } as unknown as { approve: true };
    expect(await f.session.respond(id, decision)).toEqual({ errors: ['The digest of a preview is a text.'] });
    expect(await f.session.respond(id, { approve: false })).toBe('accepted');
  });

  it('if a preview itself changes the domain, or the revision differs at each reading, the preview is renewed at most twice a second', async () => {
    const titles = createTitles('subscribe');
    let made = 0;
    await using f = asking(titles, [rename('1', 'A')], {
      tool: {
        preview: () => {
          if (made++ < 100) titles.set('2', String(made));
          return String(made);
        },
      },
    });
    const turn = f.session.send('Go');
    await question(f);
    const before = made;
    await f.clock.advance(5_000);
    expect(made - before).toBeLessThanOrEqual(10);
    await (await question(f)).deny();
    await turn;
  });
});

describe('a preview that has changed when its call starts', () => {
  it('if the user changed it before the call starts, the user is asked once more', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')]);
    atOperation(f.session, 'confirmationResolved', () => titles.set('1', 'Mine'));
    const turn = f.session.send('Go');
    const first = await question(f);
    await first.approve();
    const second = await question(f);
    expect(titles.runs).toEqual([]);
    expect(second).toMatchObject({
      call: first.call,
      changed: true,
      reason: first.reason,
      preview: { before: 'Mine', after: 'A' },
    });
    expect(second.id).not.toBe(first.id);
    await second.approve();
    await turn;
    expect(titles.all.get('1')).toBe('A');
  });

  it('a second difference is a conflict, which the model reads', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A'), rename('2', 'B')]);
    let changes = 0;
    f.session.operations$.subscribe((operation) => {
      if (operation.type !== 'confirmationResolved' || operation.callId !== 'call_1') return;
      titles.set('1', `Mine ${++changes}`);
    });
    const turn = f.session.send('Go');
    await settle();
    for (const one of f.session.pendingConfirmations.value) void one.approve();
    await (await question(f)).approve();
    await turn;
    expect(requests(f)).toHaveLength(3);
    expect(titles.runs).toEqual([{ id: '2', title: 'B' }]);
    const rejected = f.observed.operations.filter(({ type }) => type === 'toolsRejected');
    expect(rejected).toMatchObject([{ calls: [{ reason: 'conflict', result: { outcome: 'conflict' } }] }]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/changed again since the user approved it/);
    expect(f.session.turns.value[0]!.rounds[0]!.parts).toMatchObject([
      { type: 'tool-call', rejection: 'conflict', result: { outcome: 'conflict' } },
      { type: 'tool-call', result: { outcome: 'success' } },
    ]);
  });

  it('the answer to the second question may be a denial', async () => {
    const titles = createTitles('subscribe');
    await using f = asking(titles, [rename('1', 'A')]);
    atOperation(f.session, 'confirmationResolved', () => titles.set('1', 'Mine'));
    const turn = f.session.send('Go');
    await (await question(f)).approve();
    await (await question(f)).deny('Keep mine.');
    await turn;
    expect(titles.all.get('1')).toBe('Mine');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/declined this call.*Keep mine/);
  });

  it('changed by an earlier call of the batch: that call keeps its effect, and only the later call is asked about', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A'), rename('1', 'B'), rename('2', 'C')]);
    const turn = f.session.send('Go');
    await settle();
    for (const one of f.session.pendingConfirmations.value) void one.approve();
    const again = await question(f);
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    expect(again).toMatchObject({ changed: true, preview: { before: 'A', after: 'B' } });
    expect(titles.runs).toEqual([{ id: '1', title: 'A' }]);
    await again.approve();
    await turn;
    expect([...titles.all.values()]).toEqual(['B', 'C']);
    expect(requests(f)).toHaveLength(4);
  });

  it('earlier calls of the batch on other resources do not affect the preview, nor does a revision that only they changed', async () => {
    const titles = createTitles('revision');
    const resources = ({ id }: JsonObject) => [id as string];
    await using f = asking(titles, [rename('1', 'A'), rename('2', 'B')], { tool: { resources } });
    const turn = f.session.send('Go');
    await settle();
    for (const one of f.session.pendingConfirmations.value) void one.approve();
    await turn;
    expect(titles.previews).toHaveLength(2);
  });

  it('parallel calls and `readOnly` calls do not affect the preview', async () => {
    const parallel = createTitles();
    await using beside = asking(parallel, [rename('1', 'A'), rename('2', 'B')], { tool: { parallel: true } });
    const reading = createTitles();
    const read: Tool = {
      name: 'read',
      description: 'Reads the cards.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: () => 'Two cards.',
    };
    const { tools, ...domain } = reading.domain();
    await using behind = asking(reading, [{ tool: 'titles.read' }, rename('1', 'A')], {
      domains: [{ ...domain, tools: [...(tools as readonly Tool[]), read] }],
      guards: [confirmTools('titles.rename')],
    });
    for (const f of [beside, behind]) {
      const turn = f.session.send('Go');
      await settle();
      for (const one of f.session.pendingConfirmations.value) void one.approve();
      await turn;
    }
    expect([parallel.previews.length, reading.previews.length]).toEqual([2, 1]);
  });

  it('a change during the comparison is compared too', async () => {
    const titles = createTitles('revision');
    let makes = 0;
    await using f = asking(titles, [rename('1', 'A')], {
      tool: {
        preview: async () => {
          const before = titles.all.get('1');
          // The second one is made when the call starts.
          if (++makes === 2) titles.set('1', 'Mine');
          return { before, after: 'A' };
        },
      },
    });
    atOperation(f.session, 'confirmationResolved', () => titles.set('2', 'Other'));
    const turn = f.session.send('Go');
    await (await question(f)).approve();
    const again = await question(f);
    expect(again).toMatchObject({ changed: true, preview: { before: 'Mine' } });
    expect(titles.runs).toEqual([]);
    await again.deny();
    await turn;
  });

  it('a change by the user between two calls of the batch is noticed beside the changes of the first', async () => {
    const titles = createTitles('revision');
    const resources = ({ id }: JsonObject) => [id as string];
    await using f = asking(titles, [rename('1', 'A'), rename('2', 'B')], { tool: { resources } });
    atOperation(f.session, 'toolCompleted', () => titles.set('2', 'Mine'));
    const turn = f.session.send('Go');
    await settle();
    for (const one of f.session.pendingConfirmations.value) void one.approve();
    const again = await question(f);
    expect(again).toMatchObject({ changed: true, preview: { before: 'Mine', after: 'B' } });
    await again.deny();
    await turn;
    expect([...titles.all.values()]).toEqual(['A', 'Mine']);
  });

  it('nothing is compared if nothing changed; a domain that reports nothing has not changed', async () => {
    for (const titles of [createTitles('revision'), createTitles('subscribe'), createTitles()]) {
      await using f = asking(titles, [rename('1', 'A')]);
      const turn = f.session.send('Go');
      await (await question(f)).approve();
      await turn;
      expect(titles.previews).toHaveLength(1);
    }
  });

  it('if the app changed the domain and the preview is the same, the call runs without a question', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')]);
    atOperation(f.session, 'confirmationResolved', () => titles.set('2', 'Mine'));
    const turn = f.session.send('Go');
    await (await question(f)).approve();
    await turn;
    expect(titles.previews).toHaveLength(2);
    expect(requests(f)).toHaveLength(1);
  });

  it('a revision that differs at each reading does not block a call', async () => {
    const titles = createTitles();
    let readings = 0;
    await using f = asking(titles, [rename('1', 'A')], {
      domains: [titles.domain({}, { revision: () => readings++ })],
    });
    const turn = f.session.send('Go');
    await (await question(f)).approve();
    await turn;
    expect(titles.runs).toHaveLength(1);
    expect(requests(f)).toHaveLength(1);
  });

  it('a preview that hangs when its call starts counts as changed, and a cancel ends the wait', async () => {
    const titles = createTitles('revision');
    let hangs = false;
    await using f = asking(titles, [rename('1', 'A')], {
      tool: { preview: () => (hangs ? new Promise(() => {}) : 'Renames it.') },
    });
    atOperation(f.session, 'confirmationResolved', () => {
      hangs = true;
      titles.set('2', 'Mine');
    });
    const turn = rejection(f.session.send('Go'));
    await (await question(f)).approve();
    await settle();
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await f.session.cancel();
    expect((await turn).code).toBe('cancelled');
    expect(titles.runs).toEqual([]);
  });

  it('a remembered approval allows later calls; for this call the preview is compared', async () => {
    const titles = createTitles('revision');
    await using f = fixture([callTools(rename('1', 'A')), callTools(rename('1', 'A')), say('Done.')], {
      domains: [titles.domain()],
      guards,
    });
    atOperation(f.session, 'confirmationResolved', () => titles.set('1', 'Mine'));
    const turn = f.session.send('Go');
    await (await question(f)).approve({ remember: 'session' });
    const again = await question(f);
    expect(again.changed).toBe(true);
    await again.approve();
    await turn;
    expect(requests(f)).toHaveLength(2);
    expect(titles.runs).toHaveLength(2);
  });
});

describe('edited arguments', () => {
  const edited = { id: '2', title: 'B' };

  it('have their own preview, with a digest', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const ask = await question(f);
    const made = await f.session.previewOf(ask.id, edited);
    expect(made).toMatchObject({ preview: { kind: 'change', before: 'Two', after: 'B' } });
    expect(await question(f)).toBe(ask);
    if (made === 'already-settled' || 'errors' in made) throw new Error('It has a preview.');
    const { digest } = made;
    expect(await ask.approve({ arguments: { id: '1', title: 'B' }, digest })).toHaveProperty('errors');
    expect(await ask.approve({ digest })).toHaveProperty('errors');
    expect(await ask.approve({ arguments: edited, digest })).toBe('accepted');
    await turn;
    expect(f.observed.operations.find(({ type }) => type === 'confirmationResolved')).toMatchObject({
      preview: made.preview,
    });
    expect(titles.previews).toHaveLength(2);
    expect(titles.runs).toEqual([edited]);
  });

  it('the previews of several edits may be approved, each with its arguments', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const ask = await question(f);
    const made = await f.session.previewOf(ask.id, edited);
    await f.session.previewOf(ask.id, { id: '1', title: 'C' });
    const { digest } = made as { digest: string };
    expect(await ask.approve({ arguments: edited, digest })).toBe('accepted');
    await turn;
    expect(titles.runs).toEqual([edited]);
  });

  it('`previewOf` answers with a message for invalid arguments, other questions and tools without previews', async () => {
    await using f = asking(createTitles(), [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const ask = await question(f);
    expect(await f.session.previewOf(ask.id, { id: '1' })).toEqual({
      errors: [expect.stringMatching(/title/)],
    });
    expect(await f.session.previewOf(ask.id, 'A' as never)).toEqual({
      errors: ['The arguments cannot be used: they are no JSON object.'],
    });
    expect(await f.session.previewOf('other', edited)).toBe('already-settled');
    await ask.deny();
    expect(await f.session.previewOf(ask.id, edited)).toBe('already-settled');
    await turn;
    await using plain = asking(createTitles(), [rename('1', 'A')], { tool: { preview: undefined } });
    void plain.session.send('Go');
    const { id } = await question(plain);
    expect(await plain.session.previewOf(id, edited)).toEqual({
      errors: ['The tool of this call has no preview.'],
    });
  });

  it('their preview is outdated when the domain has changed', async () => {
    const titles = createTitles('subscribe');
    await using f = asking(titles, [rename('1', 'A')]);
    const turn = f.session.send('Go');
    const ask = await question(f);
    const made = await f.session.previewOf(ask.id, edited);
    titles.set('2', 'Mine');
    await settle();
    const digest = (made as { digest: string }).digest;
    expect(await ask.approve({ arguments: edited, digest })).toHaveProperty('errors');
    await ask.deny();
    await turn;
  });

  it('if they have no preview, it is made after the approval, and compared before the call', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('2', 'C'), rename('1', 'A')]);
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.pendingConfirmations.value;
    void first!.approve();
    void second!.approve({ arguments: edited });
    const again = await question(f);
    expect(again).toMatchObject({
      changed: true,
      call: { arguments: edited },
      preview: { before: 'C', after: 'B' },
    });
    await again.approve();
    await turn;
    expect(titles.runs).toEqual([{ id: '2', title: 'C' }, edited]);
    expect(f.observed.operations.findLast(({ type }) => type === 'toolStarted')).toMatchObject({
      edited: true,
    });
    expect(resultTexts(f.provider.requests[1]!)[1]).toMatch(/id from "1" to "2", title from "A" to "B"/);
  });

  it('may be edited again when the user is asked once more', async () => {
    const titles = createTitles('revision');
    await using f = asking(titles, [rename('1', 'A')]);
    atOperation(f.session, 'confirmationResolved', () => titles.set('1', 'Mine'));
    const turn = f.session.send('Go');
    await (await question(f)).approve();
    await (await question(f)).approve({ arguments: edited });
    await turn;
    expect(titles.runs).toEqual([edited]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/id from "1" to "2"/);
  });
});

describe('the option confirm', () => {
  const handled = (
    titles: Titles,
    confirm: NonNullable<SessionOptions['confirm']>,
    calls = [rename('1', 'A')],
  ) => asking(titles, calls, { confirm });

  it('gets the preview and its digest, and may return the digest', async () => {
    const titles = createTitles('revision');
    await using f = handled(titles, ({ digest, preview }) =>
      preview?.kind === 'change' ? { approve: true, digest } : { approve: false },
    );
    await f.session.send('Go');
    expect(titles.runs).toHaveLength(1);
  });

  it('an approval with a different digest counts as a denial', async () => {
    const titles = createTitles('revision');
    await using f = handled(titles, () => ({ approve: true, digest: 'other' }));
    await f.session.send('Go');
    expect(titles.runs).toEqual([]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/preview of this call has changed/);
  });

  it('is called once more if the preview changed', async () => {
    const titles = createTitles('revision');
    const seen: unknown[] = [];
    await using f = handled(titles, ({ preview, changed }) => {
      seen.push([preview, changed]);
      if (seen.length === 1) titles.set('1', 'Mine');
      return { approve: true };
    });
    await f.session.send('Go');
    expect(seen).toEqual([
      [{ kind: 'change', before: 'One', after: 'A' }, undefined],
      [{ kind: 'change', before: 'Mine', after: 'A' }, true],
    ]);
    expect(titles.runs).toHaveLength(1);
  });

  it('a cancel ends the wait for a preview before it is called', async () => {
    const held = gate();
    const titles = createTitles();
    let called = 0;
    await using f = asking(titles, [rename('1', 'A')], {
      tool: { preview: () => held.pass() },
      confirm: () => {
        called++;
        return { approve: true };
      },
    });
    const turn = rejection(f.session.send('Go'));
    await held.reached;
    await f.session.cancel();
    expect((await turn).code).toBe('cancelled');
    expect(called).toBe(0);
    held.open();
  });
});
