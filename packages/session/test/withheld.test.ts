// The hook `afterResponse`, and `outputGuard`.
import { beforeAll, describe, expect, it } from 'vitest';
import { stop, type Middleware, type ModelAnswer } from '@banister/session';
import { outputGuard } from '@banister/session/filters';
import { textPieces, type TextPiece } from '@banister/session/view';
import { callInside, callTools, finishWith, say, settle, spyTool, stall } from '@banister/testing';
import { atOperation, fixture, outline, rejection } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(hooksLoaded);

const call = (title = 'A') => ({ tool: 'board.work', args: { title } });
const domains = (work = spyTool('work')) => [{ id: 'board', tools: [work] }];

/** Withholds every answer in which `Secret` occurs. */
const guard = (again?: string): Middleware =>
  outputGuard({
    check: ({ text, thinking, calls }) =>
      `${text}${thinking}${JSON.stringify(calls)}`.includes('Secret') ? 'It had a secret.' : null,
    again,
  });

describe('an answer that is withheld', () => {
  it('row 108: is removed from text, record and conversation, and the turn stops with the reason', async () => {
    await using f = fixture([say('Secret.', { thinking: 'Secret thought.' })], { middleware: [guard()] });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({
      status: 'stopped',
      text: '',
      stop: { kind: 'withheld', message: 'It had a secret.' },
    });
    expect(f.session.currentText.value).toBe('');
    expect(f.session.currentThinking.value).toBe('');
    expect(JSON.stringify(f.session.state)).not.toContain('Secret');
    expect(JSON.stringify(f.session.save())).not.toContain('Secret');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('keeps the text of the rounds before it', async () => {
    await using f = fixture([callTools('First.', call()), say('Secret.')], {
      domains: domains(),
      middleware: [guard()],
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', text: 'First.' });
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: First. | call board.work',
      'user: result success',
    ]);
  });

  it('has its calls rejected: none runs, and none joins the conversation', async () => {
    const work = spyTool('work');
    await using f = fixture([callTools('Secret.', call('A'), call('B'))], {
      domains: domains(work),
      middleware: [guard()],
    });
    await f.session.send('Go');
    expect(work.runs).toHaveLength(0);
    const [turn] = f.session.turns.value;
    expect(turn!.rounds[0]!.parts).toMatchObject([
      { type: 'tool-call', state: 'settled', rejection: 'not-run' },
      { type: 'tool-call', state: 'settled', rejection: 'not-run' },
    ]);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('is removed with its opaque parts', async () => {
    const opaque = { type: 'opaque', data: { hidden: 'Secret' } } as const;
    await using f = fixture([finishWith('stop', opaque, 'Secret.')], { middleware: [guard()] });
    await f.session.send('Go');
    expect(JSON.stringify(f.session.state)).not.toContain('hidden');
  });

  it('calls that ran inside it stay, with their results', async () => {
    const work = spyTool('work');
    await using f = fixture([finishWith('stop', 'Before. ', callInside(call()), 'Secret.')], {
      domains: domains(work),
      middleware: [guard()],
    });
    await f.session.send('Go');
    expect(work.runs).toHaveLength(1);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: call board.work',
      'user: result success',
    ]);
  });

  it('is requested again at most once per turn, with a note that only the request has', async () => {
    await using f = fixture([say('Secret.'), say('Fine.')], { middleware: [guard('Without it, please.')] });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'completed', text: 'Fine.', rounds: 2 });
    expect(outline(f.provider.requests[1]!.messages)).toEqual([
      'user: Go',
      'user: <note>\nWithout it, please.\n</note>',
    ]);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Fine.']);
  });

  it('stops the turn if an answer of the turn was requested again before', async () => {
    await using f = fixture([say('Secret.'), say('Secret again.')], { middleware: [guard('Again.')] });
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', text: '', rounds: 2 });
  });

  it('stops the turn if the limits permit no further round', async () => {
    await using f = fixture([say('Secret.')], {
      middleware: [guard('Again.')],
      limits: { maxRounds: 1 },
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', stop: { kind: 'withheld' } });
  });

  it('has its calls rejected if it is requested again, and the turn continues', async () => {
    const work = spyTool('work');
    await using f = fixture([callTools('Secret.', call()), callTools(call('B')), say('Fine.')], {
      domains: domains(work),
      middleware: [guard('Again.')],
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed', rounds: 3 });
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'B' }]);
    expect(outline(f.provider.requests[1]!.messages)).toEqual(['user: Go', 'user: <note>\nAgain.\n</note>']);
    expect(outline(f.provider.requests[2]!.messages)[0]).toBe('user: Go');
    expect(f.provider.requests[2]!.messages).toHaveLength(3);
  });

  it.each(['required', { tool: 'board.work' }, 'none'] as const)(
    'with a tool choice: only `none` applies to the round that requests it again, %j',
    async (toolChoice) => {
      const binds = toolChoice === 'none';
      const work = spyTool('work');
      const first = binds ? say('Secret.') : callTools('Secret.', call());
      await using f = fixture([first, say('Fine.')], {
        domains: domains(work),
        middleware: [guard('Again.')],
      });
      expect(await f.session.send('Go', { toolChoice })).toMatchObject({
        status: 'completed',
        text: 'Fine.',
      });
      expect(f.provider.requests.map((request) => request.toolChoice)).toEqual([
        toolChoice,
        binds ? 'none' : undefined,
      ]);
      expect(work.runs).toHaveLength(0);
    },
  );

  it('that was cut by a token limit is also given to the hooks', async () => {
    await using f = fixture([finishWith('length', 'Secret')], { middleware: [guard()] });
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', stop: { kind: 'withheld' } });
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('an answer that a limit cut before any hook had it is withheld', async () => {
    await using f = fixture([stall('Secret')], {
      middleware: [guard()],
      limits: { timeoutMs: 1_000, onTrip: 'stop' },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(2_000);
    expect(await turn).toMatchObject({ status: 'stopped', text: '', stop: { kind: 'limit' } });
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it('an answer that the hooks kept stays, also if a limit ends the turn behind it', async () => {
    const work = spyTool('work');
    await using f = fixture([callTools('Fine.', call('A'), call('B'))], {
      domains: domains(work),
      middleware: [guard()],
      limits: { maxToolCalls: 1, onTrip: 'stop' },
    });
    expect(await f.session.send('Go')).toMatchObject({
      status: 'stopped',
      text: 'Fine.',
      stop: { kind: 'limit' },
    });
    expect(f.observed.types).not.toContain('answerWithheld');
  });

  it('does not exist in a session without `afterResponse` hooks, even if a limit cuts an answer', async () => {
    await using f = fixture([stall('Half')], {
      middleware: [{ name: 'watch', beforeRequest: () => {} }],
      limits: { timeoutMs: 1_000, onTrip: 'stop' },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(2_000);
    expect(await turn).toMatchObject({ status: 'stopped', text: 'Half', stop: { kind: 'limit' } });
  });

  it('the answer with which a turn fails stays in its record, and no request has it', async () => {
    await using f = fixture([say('Secret.'), say('Fine.')], { domains: domains(), middleware: [guard()] });
    const error = await rejection(f.session.send('Go', { toolChoice: 'required' }));
    expect(error.code).toBe('tool-choice-not-honored');
    expect(f.session.turns.value[0]!.rounds[0]!.parts).toEqual([{ type: 'text', text: 'Secret.' }]);
    await f.session.send('More');
    expect(JSON.stringify(f.provider.requests)).not.toContain('Secret');
    expect(JSON.stringify(f.session.conversation.value)).not.toContain('Secret');
  });

  it('that a tool ended from inside is also given to the hooks', async () => {
    const ends = spyTool('work', { execute: () => stop('Enough.') });
    await using f = fixture([finishWith('stop', 'Secret.', callInside(call()), 'Never.')], {
      domains: domains(ends),
      middleware: [guard()],
      looseScript: true,
    });
    await f.session.send('Go');
    expect(JSON.stringify(f.session.conversation.value)).not.toContain('Secret');
  });

  it('is not requested again if a tool inside it stopped the turn', async () => {
    const ends = spyTool('work', { execute: () => stop('Enough.') });
    await using f = fixture([finishWith('stop', 'Secret.', callInside(call()), 'Never.'), say('Fine.')], {
      domains: domains(ends),
      middleware: [guard('Again.')],
      looseScript: true,
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', text: '' });
    expect(f.provider.requests).toHaveLength(1);
    const withheld = f.observed.operations.find(({ type }) => type === 'answerWithheld');
    expect(withheld).toMatchObject({ reason: 'It had a secret.' });
    expect(withheld).not.toHaveProperty('again');
  });

  it('is replaced in the pieces of a reader that appends', async () => {
    await using f = fixture([callTools('First.', call()), say('Secret.'), say('Fine.')], {
      domains: domains(),
      middleware: [guard('Again.')],
    });
    const pieces: TextPiece[] = [];
    textPieces(f.session).subscribe((piece) => pieces.push(piece));
    await f.session.send('Go');
    expect(pieces.map(({ text, replace }) => [text, replace])).toEqual([
      ['First.', undefined],
      ['\n\nSecret.', undefined],
      ['First.', true],
      ['\n\nFine.', undefined],
    ]);
  });

  it('is one operation, before the rejections of its calls', async () => {
    await using f = fixture([callTools('Secret.', call())], { domains: domains(), middleware: [guard()] });
    await f.session.send('Go');
    const types = f.observed.types.slice(f.observed.types.indexOf('toolsRequested'));
    expect(types.slice(0, 3)).toEqual(['toolsRequested', 'answerWithheld', 'toolsRejected']);
    expect(f.observed.operations.find((one) => one.type === 'answerWithheld')).toMatchObject({
      round: 1,
      middleware: 'output-guard',
      reason: 'It had a secret.',
    });
  });
});

describe('afterResponse', () => {
  it('gets text, thinking, calls and the end of each answer, frozen', async () => {
    const answers: ModelAnswer[] = [];
    await using f = fixture([callTools('One.', call()), say(['Tw', 'o.'], { thinking: 'Hm.' })], {
      domains: domains(),
      middleware: [{ name: 'watch', afterResponse: (answer) => void answers.push(answer) }],
    });
    await f.session.send('Go');
    expect(answers).toMatchObject([
      { text: 'One.', thinking: '', calls: [{ tool: 'board.work' }], finish: 'tool-calls' },
      { text: 'Two.', thinking: 'Hm.', calls: [], finish: 'stop' },
    ]);
    expect(Object.isFrozen(answers[0]!.calls[0])).toBe(true);
  });

  it('the first hook that withholds decides: no later hook gets the answer', async () => {
    const seen: string[] = [];
    await using f = fixture([say('Secret.')], {
      middleware: [guard(), { name: 'watch', afterResponse: ({ text }) => void seen.push(text) }],
    });
    await f.session.send('Go');
    expect(seen).toEqual([]);
  });

  it('a cancel ends its wait, and the answer does not join the conversation', async () => {
    await using f = fixture([say('Hello.')], {
      middleware: [{ name: 'hangs', afterResponse: () => new Promise(() => {}) }],
    });
    atOperation(f.session, 'modelCallFinished', () => void settle().then(() => f.session.cancel()));
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });
});

describe('outputGuard', () => {
  it('SA-16 withholds if its check throws, or returns neither a reason nor null', async () => {
    const checks = [
      () => {
        throw new Error('broken');
      },
      () => undefined as never,
      () => '' as never,
      () => true as never,
    ];
    for (const check of checks) {
      await using f = fixture([say('Hello.')], { middleware: [outputGuard({ check })] });
      expect(await f.session.send('Go')).toMatchObject({ status: 'stopped', stop: { kind: 'withheld' } });
    }
  });

  it('may have an asynchronous check', async () => {
    const check = async ({ text }: ModelAnswer) => {
      await settle(2);
      return text === 'Bad.' ? 'Bad.' : null;
    };
    await using f = fixture([say('Good.'), say('Bad.')], { middleware: [outputGuard({ check })] });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect((await f.session.send('Go')).status).toBe('stopped');
  });

  it('refuses options without a check', () => {
    expect(() => outputGuard({} as never)).toThrow(/check/);
    expect(() => outputGuard({ check: () => null, again: '' })).toThrow(/again/);
  });

  it('has its own name if a session has several', async () => {
    const make = (name?: string) => outputGuard({ name, check: () => null });
    await using f = fixture([say('Hello.')], { middleware: [make(), make('second')] });
    expect((await f.session.send('Go')).status).toBe('completed');
  });
});
