// The effects of hooks are operations, so that a resumed turn calls no hook twice for one fact.
import { beforeAll, describe, expect, it } from 'vitest';
import { failed, type CallVerdict, type Middleware, type Operation } from '@banister/session';
import { outputGuard } from '@banister/session/filters';
import { type AnswerSource, callTools, checkOrder, say, settle, spyTool } from '@banister/testing';
import { hooksLoaded } from './hooks-loaded.js';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

beforeAll(() => Promise.all([hooksLoaded(), import('../src/session/log-chunk.js')]));

/** A middleware with every hook, and the places at which they were called. */
function counting() {
  const places: string[] = [];
  const middleware: Middleware = {
    name: 'counting',
    afterResponse: ({ text }, { round }) => {
      places.push(`afterResponse ${round}`);
      return text === 'Bad.' ? { withhold: 'Bad.', again: 'Again.' } : 'keep';
    },
    beforeToolCalls: (calls) => {
      for (const { id } of calls) places.push(`beforeToolCalls ${id}`);
      return Object.fromEntries(calls.map(({ id }) => [id, { arguments: { title: 'B' } }]));
    },
    afterToolCall: ({ call }) => void places.push(`afterToolCall ${call.id}`),
    onToolError: ({ call }) => void places.push(`onToolError ${call.id}`),
    afterTurn: ({ continuations }, { round }) => {
      places.push(`afterTurn ${round}`);
      return continuations === 0 ? { continue: 'Go on.' } : 'end';
    },
  };
  return { places, middleware: [middleware] };
}

const answers = [
  callTools('Bad.', { tool: 'board.work', args: { title: 'A' } }),
  callTools({ tool: 'board.work', args: { title: 'A' } }, { tool: 'board.breaks' }),
  say('One.'),
  say('Two.'),
];

const domains = () => [
  {
    id: 'board',
    tools: [spyTool('work', { replay: 'safe' }), spyTool('breaks', { execute: () => failed('No.') })],
  },
];

/** The places of the hooks that a log has. */
function placesOf(log: readonly Operation[]): readonly string[] {
  let round = 0;
  return log.flatMap((one) => {
    if (one.type === 'roundStarted') ({ round } = one);
    if (one.type === 'answerWithheld') return [`afterResponse ${round}`];
    if (one.type !== 'middlewareActed') return [];
    return one.calls?.map((id) => `${one.hook} ${id}`) ?? [`${one.hook} ${round}`];
  });
}

describe('a turn that is resumed after any of its operations', () => {
  it('no hook is called twice for the same fact', async () => {
    const whole = counting();
    const first = createSession(answers, { domains: domains(), middleware: whole.middleware });
    await first.session.send('Go');
    const all = first.operations;
    expect(placesOf(all)).toEqual(whole.places);
    expect(whole.places).toHaveLength(11);

    let resumed = 0;
    for (let length = 1; length < all.length; length++) {
      const log = all.slice(0, length);
      const { places, middleware } = counting();
      const rounds = log.filter(({ type }) => type === 'roundStarted').length;
      // The round that was open is asked again, unless its answer is whole.
      const isWhole = log.findLast(
        ({ type }) => type === 'roundStarted' || type === 'modelCallFinished',
      )?.type;
      const rest = answers.slice(isWhole === 'roundStarted' ? rounds - 1 : rounds);
      const second = createSession(rest, {
        domains: domains(),
        middleware,
        restored: { snapshot: null, records: recordsOf([log]) },
      });
      await opened(second.session);
      if (second.session.interrupted.value === null) continue;
      const turn = second.session.resume();
      await second.clock.advance(1_000);
      expect(await turn).toMatchObject({ status: 'completed', text: 'One.\n\nTwo.' });
      const known = placesOf(log);
      expect(places.filter((place) => known.includes(place))).toEqual([]);
      expect(checkOrder([...log, ...second.operations])).toEqual([]);
      const [turnRecord] = second.session.turns.value;
      expect(turnRecord!.rounds[1]!.parts[0]).toMatchObject({ ranWith: { title: 'B' } });
      resumed++;
      await second.session.dispose();
    }
    expect(resumed).toBeGreaterThan(30);
  });
});

describe('an answer that was withheld before it was complete', () => {
  it('is not requested again by `resume`', async () => {
    const middleware = [outputGuard({ check: () => null })];
    const cut = say('Unseen.', { usage: { inputTokens: 20, outputTokens: 20 } });
    const limits = { maxTokens: 30, onTrip: 'stop' } as const;
    const first = createSession([cut], { middleware, limits });
    expect(await first.session.send('Go')).toMatchObject({ status: 'stopped', text: '' });
    const withheld = first.operations.findIndex(({ type }) => type === 'answerWithheld');
    const log = first.operations.slice(0, withheld + 1);
    const second = createSession([say('Unseen, too.')], {
      middleware,
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(second.session);
    expect(await second.session.resume()).toMatchObject({ status: 'stopped', text: '' });
    expect(second.provider.requests).toHaveLength(0);
    expect(checkOrder([...log, ...second.operations])).toEqual([]);
    await second.session.dispose();
  });
});

describe('the decision of a middleware about a call, after which the log ends,', () => {
  const hook = (verdict: CallVerdict): Middleware => ({
    name: 'decides',
    beforeToolCalls: (calls) => Object.fromEntries(calls.map(({ id }) => [id, verdict])),
  });

  it.each<[string, CallVerdict, readonly string[]]>([
    ['a rejection', { reject: 'No.' }, []],
    ['other arguments', { arguments: { title: 'B' } }, ['B']],
  ])('still applies in a session without middleware: %s', async (_name, verdict, titles) => {
    const call = callTools({ tool: 'board.work', args: { title: 'A' } });
    const first = createSession([call, say('One.')], { domains: domains(), middleware: [hook(verdict)] });
    await first.session.send('Go');
    const decided = first.operations.findIndex(
      (one) => one.type === 'middlewareActed' && one.hook === 'beforeToolCalls',
    );
    const log = first.operations.slice(0, decided + 1);
    const work = spyTool('work');
    const second = createSession([say('One.')], {
      domains: [{ id: 'board', tools: [work] }],
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(second.session);
    expect(await second.session.resume()).toMatchObject({ status: 'completed' });
    expect(work.runs.map(({ args }) => args['title'])).toEqual(titles);
    expect(checkOrder([...log, ...second.operations])).toEqual([]);
    await second.session.dispose();
  });

  it('still applies in a session without middleware: an escalation', async () => {
    const escalates: Middleware = { name: 'strict', onToolError: () => ({ escalate: 'No.' }) };
    const call = callTools({ tool: 'board.breaks' });
    const first = createSession([call], { domains: domains(), middleware: [escalates] });
    expect(await codeOf(first.session.send('Go'))).toBe('tool-escalated');
    const decided = first.operations.findIndex(({ type }) => type === 'middlewareActed');
    const second = createSession([say('One.')], {
      domains: domains(),
      restored: { snapshot: null, records: recordsOf([first.operations.slice(0, decided + 1)]) },
    });
    await opened(second.session);
    expect(await codeOf(second.session.resume())).toBe('tool-escalated');
    await second.session.dispose();
  });
});

describe('onToolError in a turn that is resumed', () => {
  it('is not called for an interrupted call with an unknown end', async () => {
    const hangs = [{ id: 'board', tools: [spyTool('work', { execute: () => new Promise(() => {}) })] }];
    const first = createSession([callTools({ tool: 'board.work' })], { domains: hangs });
    void first.session.send('Go');
    await settle();
    const log = first.operations.slice();
    await first.session.dispose({ turn: 'leave' });
    const resume = async (records: readonly Operation[], answers: readonly AnswerSource[]) => {
      const { places, middleware } = counting();
      const restored = { snapshot: null, records: recordsOf([records]) };
      const { session, operations } = createSession(answers, { domains: hangs, middleware, restored });
      await opened(session);
      await session.resume();
      expect(session.turns.value[0]!.rounds[0]!.parts[0]).toMatchObject({
        result: { outcome: 'interrupted' },
      });
      await session.dispose();
      return { places, operations };
    };
    const { places, operations } = await resume(log, [say('One.'), say('Two.')]);
    // The next session finds the call with its result.
    const interrupted = operations.findIndex(({ type }) => type === 'toolInterrupted');
    const again = await resume([...log, ...operations.slice(0, interrupted + 1)], [say('One.'), say('Two.')]);
    for (const seen of [places, again.places]) {
      expect(seen).toContain('afterTurn 2');
      expect(seen.filter((place) => place.startsWith('onToolError'))).toEqual([]);
    }
  });
});
