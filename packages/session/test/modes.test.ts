// The modes that the user chooses from, and what a change does to calls that are decided, asked about or running.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  forcedGuard,
  gate,
  gatedTool,
  memoryLog,
  say,
  settle,
  spyTool,
  createVirtualClock,
} from '@banister/testing';
import {
  confirmCapabilities,
  defineGuard,
  denyCapabilities,
  type Guard,
  type Mode,
  type SessionOptions,
  type Verdict,
} from '@banister/session';
import { readLog } from '@banister/session/log';
import { fixture, rejection, resultTexts } from './fixture.js';
import { createSession } from './opened.js';

const plan: Mode = {
  id: 'plan',
  title: 'Plan only',
  guards: [denyCapabilities('mutating')],
  note: 'Change nothing.',
};
const ask: Mode = { id: 'ask', title: 'Ask first', guards: [confirmCapabilities('mutating')] };
const auto: Mode = { id: 'auto', title: 'Act alone', guards: [] };
const modes = [ask, plan, auto];

function board(work = spyTool('work'), ...more: readonly ReturnType<typeof spyTool>[]) {
  return [{ id: 'board', tools: [work, ...more] }];
}

const call = { tool: 'board.work' };

function session(answers: Parameters<typeof fixture>[0], options: Partial<SessionOptions> = {}) {
  return fixture(answers, { domains: board(), modes, ...options });
}

describe('the mode of a session', () => {
  it('the first mode is in force until another is chosen', async () => {
    await using f = session([]);
    await using plain = fixture([]);
    await settle();
    expect(f.session.mode.value).toBe('ask');
    expect(plain.session.mode.value).toBeNull();
    await f.session.setMode('auto');
    expect(f.session.mode.value).toBe('auto');
    expect(f.observed.operations).toMatchObject([
      { type: 'modeChanged', mode: 'ask' },
      { type: 'modeChanged', mode: 'auto' },
    ]);
  });

  it('an unknown mode is refused, and the mode stays', async () => {
    await using f = session([]);
    await settle();
    expect(await rejection(f.session.setMode('wild'))).toMatchObject({ code: 'invalid-input' });
    expect(f.session.mode.value).toBe('ask');
  });

  it('two modes with one id, and a guard of a mode that names no tool, are refused', () => {
    expect(() => session([], { modes: [ask, { ...auto, id: 'ask' }] })).toThrow(
      /mode "ask" is registered twice/,
    );
    const guard = Object.assign(
      defineGuard('typo', () => 'allow'),
      { tools: ['board.wrok'] },
    ) as Guard;
    expect(() => session([], { modes: [{ ...auto, guards: [guard] }] })).toThrow(/board\.wrok/);
  });

  it('becomes the first mode of a new configuration without this mode, and null if it has no modes', async () => {
    await using f = session([]);
    await settle();
    await f.session.setMode('auto');
    f.session.configure({ modes: [plan, ask] });
    await settle();
    expect(f.session.mode.value).toBe('plan');
    f.session.configure({ modes: [] });
    await settle();
    expect(f.session.mode.value).toBeNull();
  });

  it('is in the log: a session that opens the log continues in the same mode', async () => {
    const clock = createVirtualClock(1_000);
    const log = memoryLog({ clock });
    const options = { id: 'chat', log, modes, domains: board() };
    const first = createSession([], options, clock);
    await settle();
    await first.session.setMode('plan');
    await first.session.dispose();
    const second = createSession([], options, clock);
    await settle();
    expect(second.session.mode.value).toBe('plan');
    await second.session.dispose();
    const third = createSession([], { ...options, modes: [auto] }, clock);
    await settle();
    expect(third.session.mode.value).toBe('auto');
    expect(readLog(await log.load('chat')).state.mode).toBe('auto');
    await third.session.dispose();
  });
});

describe('the guards of a mode', () => {
  it.each([
    ['ask', 1],
    ['auto', 0],
  ] as const)('in %s a call of the tool opens %i questions', async (mode, asked) => {
    const work = spyTool('work');
    await using f = session([callTools(call), say('Done.')], { domains: board(work) });
    await f.session.setMode(mode);
    const sent = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmations.value).toHaveLength(asked);
    void f.session.pendingConfirmation.value?.approve();
    await sent;
    expect(work.runs).toHaveLength(1);
  });

  it('can deny a call, and the model reads the reason', async () => {
    const work = spyTool('work');
    await using f = session([callTools(call), say('Done.')], { domains: board(work) });
    await f.session.setMode('plan');
    await f.session.send('Go');
    expect(work.runs).toHaveLength(0);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/board\.work was denied/);
  });

  it("are called after the session's guards, and never replace them", async () => {
    const work = spyTool('work');
    const guards = [forcedGuard('house', { deny: 'Never here.' })];
    await using f = session([callTools(call), say('Done.')], { domains: board(work), guards });
    await f.session.setMode('auto');
    await f.session.send('Go');
    expect(work.runs).toHaveLength(0);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/Never here/);
  });

  it("the mode's note is a line of each request while the mode is in force", async () => {
    await using f = session([say('One.'), say('Two.')]);
    await f.session.setMode('plan');
    await f.session.send('Go');
    await f.session.setMode('auto');
    await f.session.send('Go');
    expect(f.provider.requests[0]!.system).toContain('[mode]: Change nothing.');
    expect(f.provider.requests[1]!.system).not.toContain('[mode]');
  });
});

describe('a change of the mode during a turn', () => {
  it('a switch closes an open question if the mode denies its call', async () => {
    const work = spyTool('work');
    await using f = session([callTools(call), say('Done.')], { domains: board(work) });
    const sent = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    await f.session.setMode('plan');
    expect(f.session.pendingConfirmations.value).toHaveLength(0);
    await sent;
    expect(work.runs).toHaveLength(0);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/not allowed here/);
  });

  it('closes a question to the option `confirm`: its signal fires, and its answer no longer counts', async () => {
    const work = spyTool('work');
    const answered = gate();
    const signals: AbortSignal[] = [];
    await using f = session([callTools(call), say('Done.')], {
      domains: board(work),
      confirm: async (_request, { signal }) => {
        signals.push(signal);
        await answered.pass();
        return { approve: true };
      },
    });
    const sent = f.session.send('Go');
    await settle();
    await f.session.setMode('plan');
    expect(f.session.pendingConfirmations.value).toEqual([]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    answered.open();
    await sent;
    expect(work.runs).toHaveLength(0);
    expect(f.observed.operations.filter(({ type }) => type === 'confirmationResolved')).toMatchObject([
      { decision: 'denied', by: 'user' },
    ]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/not allowed here/);
  });

  it('by `configure` also decides about open questions', async () => {
    const work = spyTool('work');
    await using f = session([callTools(call), say('Done.')], { domains: board(work) });
    const sent = f.session.send('Go');
    await settle();
    f.session.configure({ modes: [plan] });
    await settle();
    expect(f.session.mode.value).toBe('plan');
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await sent;
    expect(work.runs).toHaveLength(0);
  });

  it('a guard that never answers delays the change only while its questions are open', async () => {
    const silent = {
      id: 'silent',
      title: 'Silent',
      guards: [defineGuard('silent', () => new Promise(() => {}))],
    };
    await using f = session([callTools(call, call), say('Done.')], { modes: [ask, silent] });
    const sent = f.session.send('Go');
    await settle();
    let isResolved = false;
    void f.session.setMode('silent').then(() => (isResolved = true));
    const [first, second] = f.session.pendingConfirmations.value;
    await first!.deny();
    await settle();
    expect(isResolved).toBe(false);
    await second!.deny();
    await settle();
    expect(isResolved).toBe(true);
    await sent;
  });

  /** A mode whose guard answers when the gate is open. */
  function slowly(verdict: Verdict) {
    const answering = gate();
    const decide = () => answering.pass().then(() => verdict);
    return { answering, slow: { id: 'slow', title: 'Slow', guards: [defineGuard('slow', decide)] } };
  }

  it('does not close a question that only an outdated mode would deny', async () => {
    const { answering, slow } = slowly({ deny: 'Not now.' });
    await using f = session([callTools(call), say('Done.')], { modes: [ask, slow, auto] });
    const sent = f.session.send('Go');
    await settle();
    const changed = f.session.setMode('slow');
    await answering.reached;
    await f.session.setMode('auto');
    answering.open();
    await changed;
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    await f.session.pendingConfirmation.value!.approve();
    await sent;
  });

  it('while the guards of an earlier mode decide about a call, applies before the call starts', async () => {
    const { answering, slow } = slowly('allow');
    const [first, work] = [gatedTool('slow'), spyTool('work')];
    await using f = session([callTools({ tool: 'board.slow' }, call), say('Done.')], {
      domains: [{ id: 'board', tools: [first, work] }],
      modes: [auto, slow, plan],
    });
    const sent = f.session.send('Go');
    await settle();
    await f.session.setMode('slow');
    first.runs[0]!.settle();
    await answering.reached;
    await f.session.setMode('plan');
    answering.open();
    await sent;
    expect(work.runs).toHaveLength(0);
  });

  it('leaves an open question open if the mode allows its call', async () => {
    const work = spyTool('work');
    await using f = session([callTools(call), say('Done.')], { domains: board(work) });
    const sent = f.session.send('Go');
    await settle();
    await f.session.setMode('auto');
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    await f.session.pendingConfirmation.value!.approve();
    await sent;
    expect(work.runs).toHaveLength(1);
  });

  /** A turn in the mode auto: its second call was decided, and waits for the first, which runs. */
  async function waiting() {
    const slow = gatedTool('slow');
    const work = spyTool('work');
    const f = session([callTools({ tool: 'board.slow' }, call), say('Done.')], {
      domains: [{ id: 'board', tools: [slow, work] }],
    });
    await f.session.setMode('auto');
    const sent = f.session.send('Go');
    await settle();
    return { ...f, slow, work, sent };
  }

  it('rejects a decided call that has not started, if the mode denies it; a running call continues', async () => {
    await using f = await waiting();
    await f.session.setMode('plan');
    f.slow.runs[0]!.settle();
    await f.sent;
    expect(f.work.runs).toHaveLength(0);
    const [slow, second] = resultTexts(f.provider.requests[1]!);
    expect(slow).not.toMatch(/denied/);
    expect(second).toMatch(/board\.work was denied/);
  });

  it('opens no question about an already decided call', async () => {
    await using f = await waiting();
    await f.session.setMode('ask');
    f.slow.runs[0]!.settle();
    await f.sent;
    expect(f.work.runs).toHaveLength(1);
    expect(f.observed.types).not.toContain('confirmationRequested');
  });

  it('to a configuration without modes does not affect decided calls', async () => {
    await using f = await waiting();
    f.session.configure({ modes: [] });
    f.slow.runs[0]!.settle();
    expect((await f.sent).text).toBe('Done.');
    expect(f.work.runs).toHaveLength(1);
  });

  it('and back again before the decision counts as no change', async () => {
    await using f = await waiting();
    await f.session.setMode('plan');
    await f.session.setMode('auto');
    f.slow.runs[0]!.settle();
    await f.sent;
    expect(f.work.runs).toHaveLength(1);
  });
});
