// Confirmation by a handler of the app.
import { describe, expect, it, vi } from 'vitest';
import { callTools, forcedGuard, say, settle, spyTool } from '@banister/testing';
import type { ConfirmationRequest, ConfirmHandler, Decision, Limits } from '@banister/session';
import { fixture, resultTexts } from './fixture.js';

const work = (title: string) => ({ tool: 'board.work', args: { title } });

function handled(confirm: ConfirmHandler, calls = [work('A')], limits: Partial<Limits> = {}) {
  const tool = spyTool('work', { execute: ({ title }) => `did ${String(title)}` });
  const f = fixture([callTools(...calls), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
    guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    confirm,
    limits,
  });
  return { f, tool };
}

const titles = (tool: { runs: readonly { args: { readonly [key: string]: unknown } }[] }) =>
  tool.runs.map((run) => run.args.title);

describe('a handler', () => {
  it('a handler is asked one question at a time, in call order', async () => {
    const asked: ConfirmationRequest[] = [];
    let open = 0;
    const { f, tool } = handled(
      async (request) => {
        asked.push(request);
        expect(++open).toBe(1);
        expect(f.session.pendingConfirmations.value).toHaveLength(1);
        expect(f.session.pendingConfirmations.value[0]).toMatchObject({
          id: request.id,
          answeredBy: 'handler',
        });
        await Promise.resolve();
        open--;
        return { approve: request.call.arguments.title !== 'B', reason: 'not B' } as Decision;
      },
      [work('A'), work('B'), work('C')],
    );
    await using _ = f;
    await f.session.send('Go');
    expect(asked.map((request) => request.call.arguments.title)).toEqual(['A', 'B', 'C']);
    expect(titles(tool)).toEqual(['A', 'C']);
    expect(resultTexts(f.provider.requests[1]!)[1]).toMatch(/declined.*not B/);
    const resolved = f.observed.operations.flatMap((op) =>
      op.type === 'confirmationResolved' ? [op.by] : [],
    );
    expect(resolved).toEqual(['handler', 'handler', 'handler']);
  });

  it('may edit arguments; the guards and the schema see them', async () => {
    const { f, tool } = handled(() => ({ approve: true, arguments: { title: 'Z' } }));
    await using _ = f;
    await f.session.send('Go');
    expect(titles(tool)).toEqual(['Z']);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/^The user changed/);
  });

  it('that edits to invalid arguments runs nothing; the model reads the errors', async () => {
    const tool = spyTool('work', {
      parameters: { type: 'object', properties: { title: { type: 'string' } } },
    });
    await using f = fixture([callTools(work('A')), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: () => ({ approve: true, arguments: { title: 1 } }),
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(tool.runs).toEqual([]);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([expect.stringContaining('must be of type string')]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', () => Promise.reject(new Error('boom'))],
    ['answers true', () => true as never],
    ['answers nothing', () => undefined as never],
    ['answers a truthy approve', () => ({ approve: 'yes' }) as never],
  ] as const)('C6 that %s denies, and the turn goes on', async (_name, confirm) => {
    const { f, tool } = handled(confirm);
    await using _ = f;
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(tool.runs).toEqual([]);
  });

  it('C6 a handler that never answers denies after 45 s', async () => {
    const aborted = vi.fn();
    const { f, tool } = handled((_request, { signal }) => {
      signal.addEventListener('abort', aborted);
      return new Promise(() => {});
    });
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.expiresAt).toBe(f.clock.now() + 45_000);
    await f.clock.advance(45_000);
    expect((await turn).status).toBe('completed');
    expect(aborted).toHaveBeenCalledTimes(1);
    expect(tool.runs).toEqual([]);
    expect(resultTexts(f.provider.requests[1]!)).toEqual([expect.stringMatching(/did not answer in time/)]);
  });

  it('waits for ever with Infinity', async () => {
    let answer: (decision: Decision) => void = () => {};
    const { f, tool } = handled(() => new Promise((resolve) => (answer = resolve)), undefined, {
      confirmationTimeoutMs: Infinity,
    });
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.expiresAt).toBeNull();
    await f.clock.advance(86_400_000);
    answer({ approve: true });
    await turn;
    expect(titles(tool)).toEqual(['A']);
  });

  it('a late answer after the timeout is ignored', async () => {
    let answer: (decision: Decision) => void = () => {};
    const { f, tool } = handled(() => new Promise((resolve) => (answer = resolve)));
    await using _ = f;
    const turn = f.session.send('Go');
    await f.clock.advance(45_000);
    await turn;
    answer({ approve: true });
    await settle();
    expect(tool.runs).toEqual([]);
  });

  it('a view cannot answer its requests', async () => {
    let answer: (decision: Decision) => void = () => {};
    const { f, tool } = handled(() => new Promise((resolve) => (answer = resolve)));
    await using _ = f;
    const turn = f.session.send('Go');
    await settle();
    expect(await f.session.pendingConfirmation.value?.approve()).toBe('already-settled');
    answer({ approve: false });
    await turn;
    expect(tool.runs).toEqual([]);
  });

  it("the turn's clock stops while it decides", async () => {
    let answer: (decision: Decision) => void = () => {};
    const { f } = handled(() => new Promise((resolve) => (answer = resolve)), undefined, {
      timeoutMs: 1_000,
      confirmationTimeoutMs: Infinity,
    });
    await using _ = f;
    const turn = f.session.send('Go');
    await f.clock.advance(3_600_000);
    answer({ approve: true });
    expect((await turn).status).toBe('completed');
  });

  it('that throws an error whose message is no text denies at once', async () => {
    const { f, tool } = handled(() => {
      throw Object.assign(new Error('x'), { message: { status: 500 } });
    });
    await using _ = f;
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(tool.runs).toEqual([]);
  });
});
