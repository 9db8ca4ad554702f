// How full the context window is.
import { describe, expect, it } from 'vitest';
import { callTools, fail, say, scriptedProvider, spyTool, type AnswerSource } from '@banister/testing';
import type { OperationOf } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type Fixture, type FixtureOptions } from './fixture.js';

const answer = (inputTokens: number, outputTokens: number): AnswerSource =>
  say('x', { usage: { inputTokens, outputTokens } });
const windowed = (options: FixtureOptions = {}): FixtureOptions => ({
  scripted: { contextWindow: 1_000 },
  ...options,
});
const rounds = ({ observed }: Fixture) =>
  observed.operations
    .filter((operation): operation is OperationOf<'roundStarted'> => operation.type === 'roundStarted')
    .map(({ contextPressure }) => contextPressure);

describe('contextPressure', () => {
  it('OP-21 DF-46 is the share of the window that the last request and its answer fill, as the provider counts', async () => {
    await using f = fixture([answer(300, 100)], windowed());
    await f.session.send('Go');
    expect(f.session.contextPressure.value).toBe(0.4);
  });

  it('is null if the window is unknown', async () => {
    await using f = fixture([answer(300, 100)]);
    await f.session.send('Go');
    expect([f.session.contextPressure.value, ...rounds(f)]).toEqual([null, null]);
  });

  it('is not estimated if the provider neither counts nor names its window', async () => {
    await using f = fixture([say('Fine.')]);
    await f.session.send('Go');
    const finished = f.observed.operations.find(({ type }) => type === 'modelCallFinished');
    expect(finished).not.toHaveProperty('contextTokens');
  });

  it('is null after the answer of a model whose window is unknown; an earlier measure does not count', async () => {
    await using f = fixture([answer(300, 100), say('y'.repeat(400))], windowed());
    await f.session.send('Go');
    const unknown = scriptedProvider([say('Fine.')]);
    await f.session.send('x', { provider: unknown });
    expect(f.session.contextPressure.value).toBeNull();
    await f.session.send('x'.repeat(400));
    expect(f.session.contextPressure.value).toBeGreaterThan(0.2);
    expect(f.session.contextPressure.value).toBeLessThan(0.3);
  });

  it('C16 is known in the first round of each turn: the last count, plus an estimate for everything after it', async () => {
    await using f = fixture([answer(300, 100), answer(420, 80)], windowed());
    await f.session.send('Go');
    await f.session.send('x'.repeat(80));
    expect(rounds(f)).toEqual([expect.any(Number), expect.closeTo(0.42, 1)]);
    expect(rounds(f)[0]).toBeGreaterThan(0);
    expect(f.session.contextPressure.value).toBe(0.5);
  });

  it('is estimated if the provider counts nothing: it grows with messages, answers and results', async () => {
    const read = spyTool('read', { capabilities: ['readOnly'], execute: () => 'y'.repeat(400) });
    await using f = fixture(
      [callTools({ tool: 'docs.read' }), say('z'.repeat(400))],
      windowed({ domains: [{ id: 'docs', tools: [read] }] }),
    );
    await f.session.send('x'.repeat(400));
    const [first, second] = rounds(f) as [number, number];
    expect(first).toBeGreaterThanOrEqual(0.1);
    expect(second - first).toBeGreaterThanOrEqual(0.1);
    expect(f.session.contextPressure.value! - second).toBeGreaterThanOrEqual(0.1);
  });

  it('estimates more tokens for characters of non-Latin scripts', async () => {
    await using latin = fixture([say('x')], windowed());
    await using greek = fixture([say('x')], windowed());
    await latin.session.send('a'.repeat(100));
    await greek.session.send('λ'.repeat(100));
    expect(rounds(greek)[0]).toBeGreaterThan(1.5 * rounds(latin)[0]!);
  });

  it('does not change if an attempt fails before anything was counted', async () => {
    await using f = fixture([answer(300, 100), fail('auth')], windowed());
    await f.session.send('Go');
    await rejection(f.session.send('x'.repeat(40)));
    expect(f.session.contextPressure.value).toBeCloseTo(0.41, 1);
  });

  it('follows the window of the provider, even if it is known only after the first request', async () => {
    await using f = fixture([answer(300, 100), answer(300, 100)]);
    const capabilities: { images: boolean; contextWindow?: number } = { images: true };
    f.session.configure({
      provider: {
        id: 'late',
        model: 'late-1',
        capabilities,
        async *stream(request, signal) {
          capabilities.contextWindow = 800;
          yield* f.provider.stream(request, signal);
        },
      },
    });
    await f.session.send('Go');
    expect([rounds(f)[0], f.session.contextPressure.value]).toEqual([null, 0.5]);
    f.session.configure({
      provider: { ...f.provider, capabilities: { images: true, contextWindow: 4_000 } },
    });
    await f.session.send('x');
    expect(rounds(f)[1]).toBeCloseTo(0.1, 2);
  });

  it('is the same folded from the log', async () => {
    await using f = fixture(
      [callTools(addCard('A'), { type: 'usage', usage: { inputTokens: 250 } }), say('x')],
      {
        ...windowed({ domains: [createBoard().domain()] }),
      },
    );
    await f.session.send('Go');
    expect(fold(initialState(), f.observed.operations).contextPressure).toBe(f.session.contextPressure.value);
  });

  it('is there after a restore, estimated, before the first request', async () => {
    await using f = fixture([say('y'.repeat(2_000))]);
    await f.session.send('x'.repeat(2_000));
    await using again = fixture([], windowed({ conversation: f.session.save() }));
    expect(again.session.contextPressure.value).toBeCloseTo(1, 1);
  });

  it('goes down when the head moves to a shorter path', async () => {
    await using f = fixture([say('a'), say('b'), say('c'.repeat(2_000))], windowed());
    await f.session.send('Go');
    await f.session.send('On');
    await f.session.regenerate();
    const [, second] = f.session.branches.value[f.session.turns.value[1]!.id]!.ids;
    expect(f.session.contextPressure.value).toBeGreaterThan(0.5);
    const [first] = f.session.branches.value[second!]!.ids;
    await f.session.switchTo(first!);
    expect(f.session.contextPressure.value).toBeLessThan(0.05);
  });
});
