// What a turn spends is what was granted.
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { type AnswerSource, callTools, checkOrder, finishWith, say, settle } from '@banister/testing';
import type { ExtendableLimit, ExtensionDecision, Limits, Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { dataBoard } from '../data-board.js';
import { createSession, opened, recordsOf, type OpenedSession } from '../opened.js';

beforeAll(() => import('../../src/session/log-chunk.js'));

/** The user's answer to a request, and whether the page is reloaded before. */
interface Answer {
  readonly kind: 'suggested' | 'amount' | 'wrong' | 'end' | 'leave';
  readonly amount: number;
  readonly reload: boolean;
}

interface Life {
  /** The number of calls and the tokens of each round; the last one has no call. */
  readonly rounds: readonly { readonly calls: number; readonly tokens: number }[];
  readonly limits: Pick<Limits, 'maxRounds' | 'maxToolCalls' | 'maxTokens'>;
  readonly answers: readonly Answer[];
}

const lives: fc.Arbitrary<Life> = fc.record({
  rounds: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 3 }), tokens: fc.constantFrom(0, 4, 30) }), {
    minLength: 1,
    maxLength: 4,
  }),
  limits: fc.record({
    maxRounds: fc.constantFrom(1, 2, 8),
    maxToolCalls: fc.constantFrom(0, 1, 3, 12),
    maxTokens: fc.constantFrom(5, 20, Infinity),
  }),
  answers: fc.array(
    fc.record({
      kind: fc.constantFrom('suggested', 'suggested', 'amount', 'amount', 'wrong', 'end', 'leave'),
      amount: fc.integer({ min: 1, max: 3 }),
      reload: fc.constantFrom(false, false, true),
    }),
    { minLength: 30, maxLength: 30 },
  ),
});

function scriptOf({ rounds }: Life): readonly AnswerSource[] {
  const calls = (round: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ tool: 'board.add', args: { title: `${round} ${n}` } }));
  return [
    ...rounds.map(({ calls: count, tokens }, round) => {
      const usage = { type: 'usage', usage: { inputTokens: tokens } } as const;
      return tokens === 0
        ? callTools(...calls(round, count))
        : finishWith('tool-calls', usage, ...calls(round, count));
    }),
    say('Done.'),
  ];
}

function decisionOf({ kind, amount }: Answer, limit: ExtendableLimit): ExtensionDecision | null {
  if (kind === 'leave') return null;
  if (kind === 'end') return { end: true };
  if (kind === 'suggested') return { extend: {} };
  return { extend: { [limit]: kind === 'wrong' ? -amount : amount } };
}

/** Plays a life to the end of its turn, and returns all operations. */
async function play(life: Life): Promise<{ operations: readonly Operation[]; last: OpenedSession }> {
  const board = dataBoard();
  const script = scriptOf(life);
  const options = { domains: [board.domain()] };
  const log: Operation[] = [];
  let stage = createSession(script, { ...options, limits: { onTrip: 'ask', ...life.limits } });
  void stage.session.send('Go').catch(() => {});
  for (const answer of life.answers) {
    await settle();
    const request = stage.session.pendingExtension.value;
    if (request === null) break;
    if (answer.reload) {
      log.push(...stage.operations);
      const answered = stage.session.budget.value.rounds.spent;
      await stage.session.dispose({ turn: 'leave' });
      stage = createSession(script.slice(answered), {
        ...options,
        restored: { snapshot: null, records: recordsOf([log]) },
      });
      await opened(stage.session);
      void stage.session.resume().catch(() => {});
      await settle();
    }
    const decision = decisionOf(answer, request.limit);
    if (decision === null) await stage.clock.advance(45_000);
    else {
      const outcome = await stage.session.respond(request.id, decision);
      expect(typeof outcome === 'object').toBe(answer.kind === 'wrong');
    }
  }
  await settle();
  return { operations: [...log, ...stage.operations], last: stage };
}

/** Returns the problems of what a turn spent, by its operations alone. */
function spendingProblems({ limits }: Life, operations: readonly Operation[]): readonly string[] {
  const granted: Partial<Record<ExtendableLimit, number>> = { ...limits };
  const problems: string[] = [];
  const spent = { rounds: 0, calls: 0, tokens: 0 };
  let asked: { readonly id: string; readonly limit: ExtendableLimit } | null = null;
  let isRefused = false;
  for (const operation of operations) {
    const { type } = operation;
    if (type === 'roundStarted') spent.rounds++;
    if (type === 'toolStarted') spent.calls++;
    if (type === 'usage') spent.tokens = operation.report.inputTokens ?? 0;
    if (type === 'roundStarted' || type === 'toolStarted' || type === 'modelCallStarted') {
      if (asked !== null) problems.push(`${type} while the user is asked`);
      if (spent.rounds > granted.maxRounds!) problems.push(`${spent.rounds} rounds`);
      if (spent.calls > granted.maxToolCalls!) problems.push(`${spent.calls} calls`);
      if (spent.tokens > granted.maxTokens!) problems.push(`${type} at ${spent.tokens} tokens`);
    }
    if (type === 'extensionRequested') {
      const { id, limit } = operation.request;
      if (isRefused) problems.push('it asks after a refusal');
      if (asked !== null && asked.id !== id) problems.push(`it asks twice for ${limit}`);
      asked = { id, limit };
    }
    if (type === 'extensionResolved') {
      asked = null;
      if (operation.decision === 'extended') granted[operation.limit] = operation.allowed;
      else isRefused = true;
    }
  }
  return problems;
}

test('a turn never spends beyond what was granted, and asks once for each extension, under random trips, answers and reloads', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      const { operations, last } = await play(life);
      const { session, clock, reported } = last;
      expect(spendingProblems(life, operations)).toEqual([]);
      expect(checkOrder(operations)).toEqual([]);
      expect(session.state).toEqual(fold(initialState(), operations));
      if (session.pendingExtension.value === null) {
        const refused = operations.some(
          (operation) => operation.type === 'extensionResolved' && operation.decision !== 'extended',
        );
        expect(session.lastOutcome.value?.status).toBe(refused ? 'stopped' : 'completed');
      }
      await session.dispose();
      expect(reported).toEqual([]);
      expect(clock.pending).toBe(0);
    }),
    propertyRun('extensions', 600),
  );
});
