// `createMirror`: the state and the signals of a session, fed by its log.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { callTools, createManualScheduler, fail, forcedGuard, say, settle } from '@banister/testing';
import {
  createMirror,
  effect,
  immediate,
  isAgentSessionError,
  type Mirror,
  type Operation,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { filesLoaded } from './files.js';
import { fixture, rejection, type Fixture } from './fixture.js';

beforeAll(filesLoaded);

const jsonCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const asking = () =>
  fixture([callTools('a', addCard('A')), say('b')], {
    domains: [createBoard().domain()],
    guards: [forcedGuard('rules', { confirm: 'Sure?' })],
  });

/** The operations of a turn that streams some text. */
async function textLog(...pieces: readonly string[]): Promise<readonly Operation[]> {
  await using f = fixture([say(pieces)]);
  await f.session.send('Go');
  return f.observed.operations;
}

function mirrorOf(f: Fixture, options?: Parameters<typeof createMirror>[1]): Mirror {
  const mirror = createMirror(jsonCopy(f.session.state), options);
  f.session.operations$.subscribe((operation) => mirror.fold([jsonCopy(operation)]));
  return mirror;
}

describe('a mirror', () => {
  it('shows the same as the session, from the log alone', async () => {
    await using f = asking();
    const page = { text: '', calls: '', running: '' };
    const { signals } = mirrorOf(f, { ports: { scheduler: immediate() } });
    const stops = [
      effect(() => void (page.text = signals.currentText.value)),
      effect(() => void (page.calls = signals.activeToolCalls.value.map(({ state }) => state).join())),
      effect(() => void (page.running = String(signals.isRunning.value))),
    ];
    const turn = f.session.send('Go');
    await settle();
    expect(page).toEqual({ text: 'a', calls: 'waiting', running: 'true' });
    await f.session.pendingConfirmation.value!.approve();
    await turn;
    expect(page).toEqual({ text: 'a\n\nb', calls: '', running: 'false' });
    for (const stop of stops) stop();
  });

  it('a mirror sends decisions by `respond`; without it `approve` and `deny` reject `unsupported`', async () => {
    await using f = asking();
    const live = mirrorOf(f, { respond: (id, decision) => f.session.respond(id, decision) });
    const deaf = mirrorOf(f);
    const turn = f.session.send('Go');
    await settle();
    const late = createMirror(jsonCopy(f.session.state)).signals.pendingConfirmation.value;
    expect(late?.id).toBe(f.session.pendingConfirmation.value?.id);
    const question = deaf.signals.pendingConfirmation.value!;
    expect((await rejection(question.approve())).code).toBe('unsupported');
    expect((await rejection(question.deny('No.'))).code).toBe('unsupported');
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    expect(await live.signals.pendingConfirmation.value!.approve()).toBe('accepted');
    expect((await turn).status).toBe('completed');
    expect(live.signals.pendingConfirmation.value).toBeNull();
  });

  it('skips operations that its state already contains, and publishes a list once', async () => {
    const log = await textLog('one ', 'two ', 'three');
    const mirror = createMirror(initialState(), { ports: { scheduler: immediate() } });
    const texts: string[] = [];
    const stop = effect(() => void texts.push(mirror.signals.currentText.value));
    mirror.fold(log.slice(0, 6));
    mirror.fold(log);
    const { state } = mirror;
    mirror.fold(log);
    stop();
    expect(mirror.state).toBe(state);
    expect(state.sequence).toBe(log.length);
    expect(state.currentText).toBe('one two three');
    expect(texts.at(-1)).toBe('one two three');
    expect(texts.length).toBeLessThanOrEqual(3);
  });

  it('does not show a turn that has not begun, because no operation would end it if it is refused', async () => {
    await using f = fixture([say('a')]);
    await f.session.send('Go');
    // Loads the code of these commands.
    await f.session.switchTo('turn_1');
    const edited = rejection(f.session.edit('turn_1', 'Go on'));
    expect(f.session.state.isRunning).toBe(true);
    const { signals, state } = createMirror(f.session.state);
    await f.session.cancel();
    expect((await edited).code).toBe('cancelled');
    expect([signals.isRunning.value, signals.phase.value]).toEqual([false, 'idle']);
    expect(state).toEqual(f.session.state);
  });

  it('a mirror of a copy of the state shows no turn that has not begun', async () => {
    await using f = fixture([fail('auth')]);
    await rejection(f.session.send('One'));
    const file = new URL('https://files.test/none');
    const unread = rejection(f.session.send({ text: 'Look', files: [file] }));
    expect(f.session.state).toMatchObject({ isRunning: true, phase: 'preparing', lastError: null });
    const mirror = mirrorOf(f);
    expect(mirror.state).toMatchObject({ isRunning: false, phase: 'idle', lastError: { code: 'auth' } });
    await f.session.cancel();
    expect((await unread).code).toBe('cancelled');
    expect(mirror.state).toEqual(f.session.state);
  });

  it('of a copy of the state shows a turn that has begun, in its first phase', async () => {
    await using f = fixture([say('Hi.')]);
    const states: unknown[] = [];
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'turnStarted') states.push(createMirror(jsonCopy(f.session.state)).state.phase);
    });
    await f.session.send('One');
    expect(states).toEqual(['preparing']);
  });

  it('throws `storage` at a missing operation, and folds nothing of the list', async () => {
    const log = await textLog('one');
    const mirror = createMirror(initialState());
    mirror.fold(log.slice(0, 2));
    const { state } = mirror;
    const gap = log.filter(({ sequence }) => sequence !== 3);
    expect(() => mirror.fold(gap)).toThrow(
      expect.objectContaining({ code: 'storage', details: { expected: 3, received: 4 } }),
    );
    expect(mirror.state).toBe(state);
    mirror.fold(log);
    expect(mirror.state.sequence).toBe(log.length);
  });

  it('accepts joined text operations of a stored log, which have the last sequence number', async () => {
    const log = await textLog('one ', 'two ', 'three');
    const texts = log.filter(({ type }) => type === 'text');
    const joined = log.flatMap((operation): readonly Operation[] => {
      if (operation.type !== 'text') return [operation];
      return operation === texts.at(-1) ? [{ ...operation, delta: 'one two three' }] : [];
    });
    expect(joined.length).toBe(log.length - 2);
    const mirror = createMirror(initialState());
    mirror.fold(joined);
    const whole = createMirror(initialState());
    whole.fold(log);
    expect(mirror.state).toEqual(whole.state);
  });

  it('paces its publications as a session does', async () => {
    const log = await textLog('one ', 'two ', 'three');
    const scheduler = createManualScheduler();
    const mirror = createMirror(initialState(), { ports: { scheduler } });
    const texts: string[] = [];
    const stop = effect(() => void texts.push(mirror.signals.currentText.value));
    const last = log.findLast(({ type }) => type === 'text')!;
    for (const operation of log.slice(0, last.sequence)) mirror.fold([operation]);
    expect([texts.at(-1), mirror.state.currentText]).toEqual(['one ', 'one two three']);
    scheduler.frame();
    expect(texts).toEqual(['', 'one ', 'one two three']);
    mirror.fold(log);
    expect(scheduler.scheduled).toBe(false);
    stop();
  });

  it('shows the error of a failed turn as an instance', async () => {
    await using f = fixture([fail('auth')]);
    const mirror = mirrorOf(f);
    await rejection(f.session.send('Go'));
    const error = mirror.signals.lastError.value;
    expect(isAgentSessionError(error)).toBe(true);
    expect(error?.toJSON()).toEqual(f.session.state.lastError);
    // A state that holds the error from the start.
    const later = createMirror(jsonCopy(f.session.state)).signals.lastError.value;
    expect(later?.toJSON()).toEqual(f.session.state.lastError);
  });

  it('reports the error of an effect, and continues', async () => {
    const log = await textLog('one');
    const reportError = vi.fn();
    const mirror = createMirror(initialState(), { ports: { scheduler: immediate(), reportError } });
    const stop = effect(() => {
      if (mirror.signals.currentText.value !== '') throw new Error('effect');
    });
    for (const operation of log) mirror.fold([operation]);
    stop();
    expect(reportError).toHaveBeenCalledTimes(1);
    expect(mirror.state.isRunning).toBe(false);
  });

  it('freezes the state and the operations that it is given', async () => {
    const log = jsonCopy(await textLog('one'));
    const state = jsonCopy(initialState());
    const mirror = createMirror(state);
    mirror.fold(log);
    expect(Object.isFrozen(state.conversation)).toBe(true);
    for (const message of mirror.state.conversation.messages)
      expect(Object.isFrozen(message.parts)).toBe(true);
  });
});
