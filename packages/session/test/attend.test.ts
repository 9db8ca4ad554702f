// The time of a question while the user is at it.
import { describe, expect, it } from 'vitest';
import { callTools, forcedGuard, gate, say, settle, spyTool } from '@banister/testing';
import { effect, type SessionOptions } from '@banister/session';
import { fixture, type Fixture } from './fixture.js';
import { createTitles, rename } from './titles.js';

const MINUTE = 60_000;

function asking(options: Partial<SessionOptions> = {}, calls = 1) {
  const tool = spyTool('work');
  const all = Array.from({ length: calls }, () => ({ tool: 'board.work' }));
  const f = fixture([callTools(...all), say('Done.')], {
    domains: [{ id: 'board', tools: [tool] }],
    guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    looseScript: true,
    ...options,
  });
  return { ...f, tool };
}

async function question(f: Fixture) {
  await settle();
  return f.session.pendingConfirmation.value!;
}

const attended = ({ observed }: Fixture) =>
  observed.operations.flatMap((one) =>
    one.type === 'confirmationAttended' ? [[one.attended, one.expiresAt]] : [],
  );

describe('attend', () => {
  it('lets the deadline of a question stand still until it is released, and the state says when that is', async () => {
    await using f = asking();
    const turn = f.session.send('Go');
    const { id, expiresAt } = await question(f);
    await f.clock.advance(40_000);
    const release = f.session.attend(id);
    expect(f.session.pendingConfirmation.value).toMatchObject({
      attended: true,
      expiresAt: expiresAt! + 10 * MINUTE,
    });
    await f.clock.advance(2 * MINUTE);
    release();
    const now = f.session.pendingConfirmation.value!;
    expect(now.expiresAt).toBe(expiresAt! + 2 * MINUTE);
    expect(Object.keys(now)).not.toContain('attended');
    await f.clock.advance(4_999);
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    await f.clock.advance(1);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    await turn;
    expect(f.tool.runs).toEqual([]);
  });

  it('lasts at most ten minutes a question, however often it is called', async () => {
    await using f = asking();
    void f.session.send('Go');
    const { id, expiresAt } = await question(f);
    const first = f.session.attend(id);
    await f.clock.advance(6 * MINUTE);
    first();
    const second = f.session.attend(id);
    expect(f.session.pendingConfirmation.value!.expiresAt).toBe(expiresAt! + 10 * MINUTE);
    await f.clock.advance(4 * MINUTE + 44_999);
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    await f.clock.advance(1);
    expect(f.session.pendingConfirmations.value).toEqual([]);
    second();
    await settle();
    expect(attended(f)).toHaveLength(3);
  });

  it('a release after the ten minutes leaves the deadline as it is', async () => {
    await using f = asking();
    void f.session.send('Go');
    const { id, expiresAt } = await question(f);
    const release = f.session.attend(id);
    await f.clock.advance(10 * MINUTE + 20_000);
    release();
    expect(f.session.pendingConfirmation.value!.expiresAt).toBe(expiresAt! + 10 * MINUTE);
    await f.clock.advance(25_000);
    expect(f.session.pendingConfirmations.value).toEqual([]);
  });

  it('several views count: the deadline goes on when the last one is released, each once', async () => {
    await using f = asking();
    void f.session.send('Go');
    const { id, expiresAt } = await question(f);
    const [one, two] = [f.session.attend(id), f.session.attend(id)];
    await f.clock.advance(MINUTE);
    one();
    one();
    await f.clock.advance(MINUTE);
    expect(f.session.pendingConfirmation.value!.attended).toBe(true);
    two();
    two();
    expect(f.session.pendingConfirmation.value!.expiresAt).toBe(expiresAt! + 2 * MINUTE);
    expect(attended(f).map(([isThere]) => isThere)).toEqual([true, false]);
    await f.session.cancel();
  });

  it('the answer to another question gives the whole time back, and the user stays at this one', async () => {
    await using f = asking({}, 2);
    const turn = f.session.send('Go');
    await settle();
    const [first, second] = f.session.pendingConfirmations.value;
    await f.clock.advance(30_000);
    const release = f.session.attend(second!.id);
    await f.clock.advance(MINUTE / 2);
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    const { expiresAt } = f.session.pendingConfirmation.value!;
    // The first one timed out, which restarts no time.
    expect(expiresAt).toBe(second!.expiresAt! + 10 * MINUTE);
    expect(await first!.approve()).toBe('already-settled');
    release();
    await f.session.pendingConfirmation.value!.approve();
    await turn;
    expect(f.tool.runs).toHaveLength(1);
  });

  it('an answer of the user restarts the time of a question that is attended', async () => {
    await using f = asking({}, 2);
    void f.session.send('Go');
    await settle();
    const [first, second] = f.session.pendingConfirmations.value;
    f.session.attend(second!.id);
    await f.clock.advance(30_000);
    await first!.approve();
    expect(f.session.pendingConfirmation.value).toMatchObject({
      attended: true,
      expiresAt: second!.expiresAt! + 10 * MINUTE,
    });
    await f.session.cancel();
  });

  it('of a question without a deadline, of none, and of one that is settled does nothing, and never throws', async () => {
    await using f = asking({ limits: { confirmationTimeoutMs: Infinity } });
    const turn = f.session.send('Go');
    const ask = await question(f);
    const releases = [ask.id, 'other', undefined as never].map((id) => f.session.attend(id));
    expect(await question(f)).toBe(ask);
    await ask.approve();
    releases.push(f.session.attend(ask.id));
    for (const release of releases) release();
    await turn;
    expect(attended(f)).toEqual([]);
    await f.session.dispose();
    f.session.attend(ask.id)();
  });

  it('a release after the answer does nothing, and no timer is left', async () => {
    await using f = asking();
    const turn = f.session.send('Go');
    const { id } = await question(f);
    const release = f.session.attend(id);
    await f.session.respond(id, { approve: true });
    release();
    await turn;
    expect(attended(f)).toHaveLength(1);
  });

  it('lets the deadline of a question stand still that the option confirm answers', async () => {
    const held = gate();
    await using f = asking({ confirm: () => held.pass().then(() => ({ approve: true }) as const) });
    const turn = f.session.send('Go');
    const { id } = await question(f);
    const release = f.session.attend(id);
    await f.clock.advance(5 * MINUTE);
    expect(f.session.pendingConfirmations.value).toHaveLength(1);
    held.open();
    await turn;
    release();
    expect(f.tool.runs).toHaveLength(1);
  });

  it('an effect that calls it does not follow the signals of the session', async () => {
    await using f = asking();
    void f.session.send('Go');
    const { id } = await question(f);
    const { attend } = f.session;
    let runs = 0;
    const stop = effect(() => {
      runs++;
      attend(id);
    });
    await f.session.cancel();
    stop();
    expect(runs).toBe(1);
    expect(attended(f)).toHaveLength(1);
  });

  it('a preview that is renewed meanwhile leaves the deadline alone', async () => {
    const titles = createTitles('subscribe');
    await using f = fixture([callTools(rename('1', 'A')), say('Done.')], {
      domains: [titles.domain()],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      looseScript: true,
    });
    void f.session.send('Go');
    const { id, expiresAt } = await question(f);
    f.session.attend(id);
    titles.set('1', 'Mine');
    expect(await question(f)).toMatchObject({
      changed: true,
      attended: true,
      expiresAt: expiresAt! + 10 * MINUTE,
    });
    await f.session.cancel();
  });
});
