// The tool of a call that was cut knows whether it ran.
import { describe, expect, it } from 'vitest';
import { callTools, say, settle, type AnswerSource } from '@banister/testing';
import {
  defineGuard,
  defineTool,
  type EffectData,
  type Operation,
  type Recovered,
  type RecoverContext,
  type SessionOptions,
  type Tool,
} from '@banister/session';
import { createWords } from '@banister/session/words';
import { createSession, opened, recordsOf, type OpenedSession } from './opened.js';

/** A server that knows its orders by their keys. */
function orders() {
  const placed = new Map<string, string>();
  const looks: (RecoverContext & { readonly args: unknown })[] = [];
  const runs: string[] = [];
  const domains = (options: Partial<Tool> & { readonly hangs?: boolean } = {}) => {
    const { hangs, ...own } = options;
    const place = defineTool({
      name: 'place',
      description: 'Places an order.',
      parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
      parallel: true,
      undo: { revert: ({ key }: { readonly key: string }) => void placed.delete(key) },
      execute({ what }, context) {
        runs.push(context.idempotencyKey);
        placed.set(context.idempotencyKey, what);
        if (hangs) return new Promise<never>(() => {});
        void context.undo(effectOf(what, context.idempotencyKey));
        return { ordered: what };
      },
      ...(own as object),
    });
    return [{ id: 'shop', tools: [place] }];
  };
  const recover = (args: unknown, context: RecoverContext): Recovered => {
    looks.push({ ...context, args });
    const what = placed.get(context.idempotencyKey);
    return what === undefined
      ? 'not-run'
      : { ran: { ordered: what }, undo: effectOf(what, context.idempotencyKey) };
  };
  return { placed, looks, runs, domains, recover };
}

const effectOf = (what: string, key: string): EffectData<{ readonly key: string }> => ({
  description: `Ordered ${what}`,
  data: { key },
});
const order = (...what: readonly string[]): AnswerSource =>
  callTools(...what.map((one) => ({ tool: 'shop.place', args: { what: one } })));

async function cutLog(options: Partial<SessionOptions>, ...what: readonly string[]) {
  const { session, operations } = createSession([order(...what)], options);
  void session.send('Go');
  await settle();
  const log = operations.map((operation) => [operation]);
  await session.dispose({ turn: 'leave' });
  return log;
}

async function continued(
  log: readonly (readonly Operation[])[],
  options: Partial<SessionOptions>,
): Promise<OpenedSession> {
  const restored = { snapshot: null, records: recordsOf(log) };
  const next = createSession([say('Done.')], { ...options, restored });
  await opened(next.session);
  return next;
}

const callsIn = ({ session }: OpenedSession) =>
  session.turns.value[0]!.rounds[0]!.parts.flatMap((part) => (part.type === 'tool-call' ? part : []));

describe('audit-V6 a call that was cut', () => {
  it.each(['never', 'ask'] as const)(
    'counts as done if its tool finds that it ran, with replay %s: it has the result, the effect and its undo',
    async (replay) => {
      const shop = orders();
      const log = await cutLog({ domains: shop.domains({ hangs: true, replay }) }, 'tea');
      const deny = defineGuard('closed', () => ({ deny: 'Closed.' }));
      const next = await continued(log, {
        domains: shop.domains({ replay, recover: shop.recover }),
        guards: [deny],
      });
      await next.session.resume();
      expect(shop.runs).toHaveLength(1);
      expect(shop.looks).toMatchObject([{ args: { what: 'tea' }, idempotencyKey: shop.runs[0] }]);
      const [call] = callsIn(next);
      expect(call).toMatchObject({
        state: 'settled',
        result: { outcome: 'success', content: [{ type: 'json', value: { ordered: 'tea' } }] },
      });
      expect(createWords({}).call(call!)).toBeNull();
      expect(next.session.turns.value[0]).toMatchObject({ effects: [{ description: 'Ordered tea' }] });
      expect(next.session.turns.value[0]!.unknown).toBeUndefined();
      await next.session.undo();
      expect(shop.placed.size).toBe(0);
      await next.session.dispose();
    },
  );

  it.each(['never', 'ask'] as const)(
    'runs if its tool finds that it did not, with replay %s and the same key, and no question',
    async (replay) => {
      const shop = orders();
      const log = await cutLog({ domains: shop.domains({ hangs: true, replay }) }, 'tea');
      shop.placed.clear();
      const next = await continued(log, { domains: shop.domains({ replay, recover: shop.recover }) });
      await next.session.resume();
      expect(shop.runs).toHaveLength(2);
      expect(new Set(shop.runs).size).toBe(1);
      expect(callsIn(next)).toMatchObject([{ result: { outcome: 'success' } }]);
      await next.session.dispose();
    },
  );

  it('that did not run passes the guards of today before it runs', async () => {
    const shop = orders();
    const log = await cutLog({ domains: shop.domains({ hangs: true }) }, 'tea');
    shop.placed.clear();
    const next = await continued(log, {
      domains: shop.domains({ recover: shop.recover }),
      guards: [defineGuard('closed', () => ({ deny: 'Closed.' }))],
    });
    await next.session.resume();
    expect(shop.runs).toHaveLength(1);
    await next.session.dispose();
  });

  it.each<[string, Tool['recover'], boolean]>([
    ['knows nothing', () => 'unknown', false],
    [
      'throws',
      () => {
        throw new Error('offline');
      },
      true,
    ],
    ['answers with something else', () => ({ done: true }) as never, true],
    ['does not answer in time', () => new Promise<never>(() => {}), true],
  ])('follows `replay` if its tool %s', async (_name, recover, isReported) => {
    for (const replay of ['never', 'ask'] as const) {
      const shop = orders();
      const log = await cutLog({ domains: shop.domains({ hangs: true, replay }) }, 'tea');
      const next = await continued(log, { domains: shop.domains({ replay, recover }) });
      const resumed = next.session.resume();
      await settle();
      await next.clock.advance(30_000);
      await settle();
      const asked = next.session.pendingConfirmation.value;
      expect(asked?.guard).toBe(replay === 'ask' ? 'banister.replay' : undefined);
      await asked?.deny();
      await resumed;
      expect(callsIn(next)).toMatchObject([{ result: { outcome: 'interrupted' } }]);
      expect(next.reported).toHaveLength(isReported ? 1 : 0);
      expect(shop.runs).toHaveLength(1);
      await next.session.dispose();
    }
  });

  it('beside other calls is done or runs in call order', async () => {
    const shop = orders();
    const log = await cutLog({ domains: shop.domains({ hangs: true }) }, 'tea', 'cake', 'milk');
    const [tea, , milk] = [...shop.placed.keys()];
    shop.placed.delete(tea!);
    shop.placed.delete(milk!);
    const next = await continued(log, { domains: shop.domains({ recover: shop.recover }) });
    await next.session.resume();
    expect([...shop.placed.values()].sort()).toEqual(['cake', 'milk', 'tea']);
    expect(shop.runs).toHaveLength(5);
    const started = next.operations.flatMap((one) => (one.type === 'toolStarted' ? one.arguments : []));
    expect(started).toEqual([{ what: 'tea' }, { what: 'cake' }, { what: 'milk' }]);
    await next.session.undo();
    expect(shop.placed.size).toBe(0);
    await next.session.dispose();
  });

  it('effects that the log has are not recorded again', async () => {
    const shop = orders();
    const hanging = shop.domains({
      execute: (({ what }: { what: string }, context: Parameters<Tool['execute']>[1]) => {
        shop.placed.set(context.idempotencyKey, what);
        void context.undo(effectOf(what, context.idempotencyKey));
        return new Promise<never>(() => {});
      }) as never,
    });
    const log = await cutLog({ domains: hanging }, 'tea');
    const next = await continued(log, { domains: shop.domains({ recover: shop.recover }) });
    await next.session.resume();
    expect(next.session.turns.value[0]!.effects).toHaveLength(1);
    await next.session.dispose();
  });

  it('is searched for until a cancel, which fires the signal', async () => {
    const shop = orders();
    const log = await cutLog({ domains: shop.domains({ hangs: true }) }, 'tea');
    let signal: AbortSignal | undefined;
    const recover: Tool['recover'] = (_args, context) => {
      signal = context.signal;
      return new Promise<never>(() => {});
    };
    const next = await continued(log, { domains: shop.domains({ recover }) });
    const resumed = next.session.resume().catch((error: { code?: string }) => error.code);
    await settle();
    void next.session.cancel();
    expect(await resumed).toBe('cancelled');
    expect(signal?.aborted).toBe(true);
    await next.session.dispose();
  });

  it('if a page is killed after any record, the call is done exactly once, and its outcome is known', async () => {
    const shop = orders();
    const log = await cutLog({ domains: shop.domains({ hangs: true }) }, 'tea');
    for (let cut = 1; cut <= log.length; cut++) {
      for (const hasActed of [false, true]) {
        const isStarted = log.slice(0, cut).some(([operation]) => operation!.type === 'toolStarted');
        if (hasActed && !isStarted) continue;
        const again = orders();
        if (hasActed) again.placed.set(shop.runs[0]!, 'tea');
        const restored = { snapshot: null, records: recordsOf(log.slice(0, cut)) };
        const next = createSession([order('tea'), say('Done.')].slice(isAsked(log, cut) ? 1 : 0), {
          domains: again.domains({ recover: again.recover }),
          restored,
        });
        await opened(next.session);
        if (next.session.interrupted.value === null) {
          await next.session.dispose();
          continue;
        }
        await next.session.resume();
        expect([...again.placed.values()], `cut ${cut}`).toEqual(['tea']);
        expect(
          callsIn(next).map(({ result }) => result?.outcome),
          `cut ${cut}`,
        ).toEqual(['success']);
        await next.session.dispose();
      }
    }
  });
});

/** Whether the model has answered before a cut: the whole of it, up to its usage. */
function isAsked(log: readonly (readonly Operation[])[], cut: number): boolean {
  return log.slice(0, cut).some(([operation]) => operation!.type === 'modelCallFinished');
}

it('audit-V6 a tool whose `recover` is not a function is refused', () => {
  const tools = [{ ...orders().domains()[0]!.tools[0]!, recover: true as never }];
  expect(() => createSession([], { domains: [{ id: 'shop', tools }] })).toThrow('recover');
});
