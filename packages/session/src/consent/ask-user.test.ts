// The desk of questions, without a session: several agents of a turn may ask at the same time.
import { createVirtualClock, type VirtualClock } from '@banister/testing';
import { describe, expect, test } from 'vitest';
import { ownQuestions } from '../state/round-calls.js';
import type { FoldState } from '../state/session-state.js';
import { QuestionDesk } from '../turn/question-desk.js';
import { askUser, type Question } from './ask-user.js';
import type { ConfirmationOperation } from './confirmation-operations.js';
import type { MadePreview } from './turn-previews.js';

const TIMEOUT = 60_000;

const requestOf = (id: string): Question['request'] => ({
  id,
  call: { id: `call-${id}`, tool: 'board.add', arguments: {} },
  guard: 'ask',
  reason: 'Sure?',
  irreversible: false,
});

const questionOf = (id: string, previews: Question['previews'] = null): Question => ({
  request: requestOf(id),
  previews,
  validate: () => [],
  remember: () => [],
  resolved: () => {},
});

/** A preview whose text counts how often it was made. */
function counted(): NonNullable<Question['previews']> & { times: number } {
  const made = (times: number): MadePreview => ({
    preview: { kind: 'text', text: `${times}` },
    digest: `${times}`,
    arguments: {},
    point: { changes: 0, started: 0 },
  });
  const counter = {
    times: 0,
    shown: made(0),
    isOld: () => true,
    make: () => Promise.resolve(made(++counter.times)),
  };
  return counter;
}

/** The members of a turn that its questions need. */
function turnOf(desk: QuestionDesk, clock: VirtualClock) {
  const settings = { limits: { confirmationTimeoutMs: TIMEOUT } };
  return { host: { desk }, ports: { clock }, settings } as unknown as Parameters<typeof askUser>[0];
}

function setUp() {
  const clock = createVirtualClock();
  const desk = new QuestionDesk();
  const ask = (...questions: readonly Question[]) => {
    const facts: ConfirmationOperation[] = [];
    const batch = { facts, ended: false };
    const running = askUser(turnOf(desk, clock), questions).subscribe({
      next: (fact) => facts.push(fact),
      complete: () => (batch.ended = true),
    });
    return Object.assign(batch, { stop: () => running.unsubscribe() });
  };
  return { clock, desk, ask };
}

/** The decisions in the facts of a batch. */
const decisions = ({ facts }: { readonly facts: readonly ConfirmationOperation[] }) =>
  facts.flatMap((fact) => (fact.type === 'confirmationResolved' ? [[fact.requestId, fact.decision]] : []));

/** The deadlines in the last fact of a batch. */
const deadlines = ({ facts }: { readonly facts: readonly ConfirmationOperation[] }) => {
  const fact = facts.at(-1);
  return fact?.type === 'confirmationResolved' ? fact.deadlines : undefined;
};

describe('two batches of questions on a desk', () => {
  test('the last answer of a batch ends the batch, and leaves the questions of the other batch open', () => {
    const { desk, ask } = setUp();
    const first = ask(questionOf('1'), questionOf('2'));
    const second = ask(questionOf('3'));
    desk.respond('1', { approve: true });
    expect(first.ended).toBe(false);
    desk.respond('2', { approve: false });
    expect([first.ended, second.ended]).toEqual([true, false]);
    expect(desk.respond('2', { approve: true })).toBe('already-settled');
    expect(desk.respond('3', { approve: true })).toBe('accepted');
    expect(decisions(first)).toEqual([
      ['1', 'approved'],
      ['2', 'denied'],
    ]);
    expect(decisions(second)).toEqual([['3', 'approved']]);
  });

  test('a batch that is stopped closes its own questions alone', async () => {
    const { clock, desk, ask } = setUp();
    const first = ask(questionOf('1'));
    const second = ask(questionOf('2'));
    first.stop();
    expect(desk.respond('1', { approve: true })).toBe('already-settled');
    await clock.advance(TIMEOUT);
    expect(decisions(first)).toEqual([]);
    expect(decisions(second)).toEqual([['2', 'timed-out']]);
  });

  test('an answer of the user restarts the timers of both batches', async () => {
    const { clock, desk, ask } = setUp();
    const first = ask(questionOf('1'), questionOf('2'));
    const second = ask(questionOf('3'));
    await clock.advance(TIMEOUT - 1);
    desk.respond('1', { approve: true });
    const expected = 2 * TIMEOUT - 1;
    expect(deadlines(first)).toEqual({ '2': expected, '3': expected });
    await clock.advance(TIMEOUT - 1);
    expect([first.ended, second.ended]).toEqual([false, false]);
    await clock.advance(1);
    expect([first.ended, second.ended]).toEqual([true, true]);
  });

  test('a timeout restarts no timer of the other batch', async () => {
    const { clock, ask } = setUp();
    const first = ask(questionOf('1'));
    await clock.advance(1_000);
    const second = ask(questionOf('2'));
    await clock.advance(TIMEOUT - 1_000);
    expect(decisions(first)).toEqual([['1', 'timed-out']]);
    expect(deadlines(first)).toEqual({});
    await clock.advance(1_000);
    expect(decisions(second)).toEqual([['2', 'timed-out']]);
  });

  test('previews of the other batch are made again after a batch has ended', async () => {
    const { clock, desk, ask } = setUp();
    const first = ask(questionOf('1', counted()));
    const preview = counted();
    const second = ask(questionOf('2', preview));
    desk.respond('1', { approve: true });
    expect(first.ended).toBe(true);
    await clock.advance(500);
    expect(preview.times).toBe(2);
    second.stop();
    await clock.advance(5_000);
    expect(preview.times).toBe(2);
  });
});

describe('a desk', () => {
  test('cannot settle a question whose request was not emitted yet', () => {
    const clock = createVirtualClock();
    const desk = new QuestionDesk();
    const outcomes: unknown[] = [];
    askUser(turnOf(desk, clock), [questionOf('1'), questionOf('2')]).subscribe((fact) => {
      if (fact.type === 'confirmationRequested') outcomes.push(desk.respond('2', { approve: true }));
    });
    expect(outcomes).toEqual(['already-settled', 'accepted']);
  });

  test('passes an answer to a question of another kind, whose timer no answer restarts', () => {
    const { desk, ask } = setUp();
    const given: unknown[] = [];
    desk.open.set('more', {
      respond: (decision) => {
        given.push(decision);
        return 'accepted';
      },
    });
    const batch = ask(questionOf('1'));
    expect(desk.respond('more', { end: true })).toBe('accepted');
    expect(given).toEqual([{ end: true }]);
    desk.respond('1', { approve: true });
    expect(deadlines(batch)).toEqual({});
  });

  test('tells each consent about a mode, and waits for all of their decisions', async () => {
    const { desk } = setUp();
    const told: string[] = [];
    let decide!: () => void;
    const source = (name: string, decided: Promise<void>) => ({
      modeChanged: () => {
        told.push(name);
        return decided;
      },
      domainChanged: (domain: string, isReport: boolean) => void told.push(`${name} ${domain} ${isReport}`),
    });
    desk.sources.add(source('first', new Promise((resolve) => (decide = resolve))));
    desk.sources.add(source('second', Promise.resolve()));
    let isOver = false;
    const changed = desk.modeChanged().then(() => (isOver = true));
    await new Promise((resolve) => setTimeout(resolve));
    expect([told, isOver]).toEqual([['first', 'second'], false]);
    decide();
    await changed;
    desk.domainChanged('board', true);
    expect(told.slice(2)).toEqual(['first board true', 'second board true']);
  });

  test('makes the previews of all batches again after a change of a domain', async () => {
    const { desk, ask } = setUp();
    const previews = [counted(), counted()];
    for (const [index, preview] of previews.entries()) ask(questionOf(`${index}`, preview));
    await new Promise((resolve) => setTimeout(resolve));
    desk.domainChanged('board', true);
    await new Promise((resolve) => setTimeout(resolve));
    expect(previews.map(({ times }) => times)).toEqual([2, 2]);
  });
});

test('the own questions of a turn are about calls of its record', () => {
  const question = (id: string) => ({
    ...requestOf(id),
    expiresAt: null,
    answeredBy: 'signal' as const,
  });
  const part = { type: 'tool-call', id: 'call-1' };
  const liveTurn = { rounds: [{ parts: [part] }] } as unknown as NonNullable<FoldState['liveTurn']>;
  const pendingConfirmations = [question('1'), question('2')];
  expect(ownQuestions({ pendingConfirmations, liveTurn }).map(({ id }) => id)).toEqual(['1']);
  expect(ownQuestions({ pendingConfirmations, liveTurn: null })).toEqual([]);
});
