// Previews and the time of questions in the log, in other tabs, and after an interruption.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, forcedGuard, say, settle } from '@banister/testing';
import { createMirror, type Operation, type SessionLog } from '@banister/session';
import { fold, initialState, toStored } from '@banister/session/operations';
import type { LogChannel } from '@banister/session/log';
import { fixture } from './fixture.js';
import { logWorld } from './log-world.js';
import { createSession, opened, recordsOf } from './opened.js';
import { createTitles, rename, type Titles } from './titles.js';

const guards = [forcedGuard('ask', { confirm: 'Rename?' })];
const stale = { errors: ['The preview of this call has changed since.'] };

describe('the log', () => {
  it('has every preview: a mirror of the stored operations shows the question as the session does', async () => {
    const titles = createTitles('subscribe');
    const decisions: unknown[] = [];
    await using f = fixture([callTools(rename('1', 'A')), say('Done.')], {
      domains: [titles.domain()],
      guards,
      looseScript: true,
    });
    void f.session.send('Go');
    await settle();
    const { id } = f.session.pendingConfirmation.value!;
    titles.set('1', 'Mine');
    f.session.attend(id);
    await settle();
    const mirror = createMirror(initialState(), {
      respond: async (_id, decision) => {
        decisions.push(decision);
        return 'accepted';
      },
    });
    mirror.fold(JSON.parse(JSON.stringify(toStored(f.observed.operations))) as Operation[]);
    const shown = mirror.signals.pendingConfirmation.value!;
    expect(mirror.state.pendingConfirmations).toEqual(f.session.state.pendingConfirmations);
    expect(shown).toMatchObject({ changed: true, attended: true, preview: { before: 'Mine', after: 'A' } });
    await shown.approve();
    await shown.approve({ digest: 'own' });
    await shown.approve({ digest: undefined });
    const { digest } = shown;
    expect(decisions).toEqual([
      { approve: true, digest },
      { approve: true, digest: 'own' },
      { approve: true, digest },
    ]);
    await f.session.cancel();
  });
});

describe('a question that was open at an interruption', () => {
  /** Leaves a turn at its first question. */
  async function left(titles: Titles, calls = [rename('1', 'A')]) {
    const options = { domains: [titles.domain()], guards };
    const { session, operations } = createSession([callTools(...calls)], options);
    void session.send('Go').catch(() => {});
    await settle();
    const log = operations.slice();
    await session.dispose({ turn: 'leave' });
    return log;
  }

  async function taken(titles: Titles, log: readonly Operation[]) {
    const made = createSession([say('Done.')], {
      domains: [titles.domain()],
      guards,
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(made.session);
    return made;
  }

  it('has its preview, and can be approved with it if nothing changed', async () => {
    const titles = createTitles('revision');
    const log = await left(titles);
    const { session, operations } = await taken(titles, log);
    const ask = session.pendingConfirmation.value!;
    expect(ask.preview).toMatchObject({ before: 'One', after: 'A' });
    expect(await ask.approve()).toBe('accepted');
    await settle();
    expect(titles.all.get('1')).toBe('A');
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('has a new preview if the app changed meanwhile: an approval of the old preview leaves the question open, with the same id', async () => {
    const titles = createTitles();
    const log = await left(titles);
    titles.set('1', 'Mine');
    const { session, operations } = await taken(titles, log);
    const ask = session.pendingConfirmation.value!;
    expect(await ask.approve()).toEqual(stale);
    const now = session.pendingConfirmation.value!;
    expect(now).toMatchObject({ id: ask.id, changed: true, preview: { before: 'Mine' } });
    expect(await now.approve()).toBe('accepted');
    await settle();
    expect(titles.all.get('1')).toBe('A');
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('is no longer attended and offers no previews of other arguments; its time starts again when the turn is resumed', async () => {
    const titles = createTitles();
    const log = await left(titles);
    const request = log.findLast(({ type }) => type === 'confirmationRequested') as {
      request: { id: string };
    };
    const asked = { requestId: request.request.id, callId: 'call_1', attended: true, expiresAt: 1 } as const;
    const { sequence, at, turnId } = log.at(-1)!;
    const more = {
      type: 'confirmationAttended',
      ...asked,
      sequence: sequence + 1,
      at,
      turnId: turnId!,
    } as const;
    const { session } = await taken(titles, [...log, more]);
    expect(session.state.pendingConfirmations).toMatchObject([{ expiresAt: null }]);
    expect(Object.keys(session.state.pendingConfirmations[0]!)).not.toContain('attended');
    session.attend(asked.requestId)();
    expect(await session.previewOf(asked.requestId, {})).toEqual({
      errors: ['An interrupted turn has to be ended first.'],
    });
    expect(session.interrupted.value).not.toBeNull();
    await session.dispose();
  });
});

describe('a call that was approved before an interruption', () => {
  /** Returns the log of a turn up to the n-th operation of a type. */
  async function cut(
    titles: Titles,
    type: Operation['type'],
    nth = 1,
    act: (session: never) => void = () => {},
  ) {
    const options = { domains: [titles.domain()], guards };
    const { session, operations } = createSession([callTools(rename('1', 'A'))], options);
    const log: Operation[] = [];
    let seen = 0;
    session.operations$.subscribe((operation) => {
      if (operation.type === 'confirmationRequested')
        void settle().then(() => session.respond(operation.request.id, { approve: true }));
      if (operation.type !== type || ++seen !== nth) return;
      log.push(...operations.slice(), ...(operations.includes(operation) ? [] : [operation]));
      void session.dispose({ turn: 'leave' });
    });
    void session.send('Go').catch(() => {});
    await settle();
    await settle();
    act(session as never);
    return log;
  }

  async function goOn(titles: Titles, log: readonly Operation[]) {
    const made = createSession([say('Done.')], {
      domains: [titles.domain()],
      guards,
      restored: { snapshot: null, records: recordsOf([log]) },
    });
    await opened(made.session);
    const turn = made.session.resume();
    await settle();
    return { ...made, turn };
  }

  it('runs without a question if its preview is the same', async () => {
    const titles = createTitles();
    const log = await cut(titles, 'confirmationResolved');
    const { session, turn, operations } = await goOn(titles, log);
    await turn;
    expect(titles.runs).toHaveLength(1);
    expect(operations.map(({ type }) => type)).not.toContain('confirmationRequested');
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('is asked about once more if its preview differs, even if the domain has no revision', async () => {
    const titles = createTitles();
    const log = await cut(titles, 'confirmationResolved');
    titles.set('1', 'Mine');
    const { session, turn, operations } = await goOn(titles, log);
    const again = session.pendingConfirmation.value!;
    expect(again).toMatchObject({
      changed: true,
      reason: 'Rename?',
      guard: 'ask',
      preview: { before: 'Mine' },
    });
    expect(titles.runs).toHaveLength(0);
    await again.approve();
    await turn;
    expect(titles.runs).toHaveLength(1);
    expect(checkOrder([...log, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('is a conflict if it was asked about twice, and its preview differs again', async () => {
    const titles = createTitles();
    const first = await cut(titles, 'confirmationResolved');
    titles.set('1', 'Mine');
    const { session, operations } = await goOn(titles, first);
    const log: Operation[] = [];
    session.operations$.subscribe((operation) => {
      if (operation.type !== 'confirmationResolved') return;
      log.push(...first, ...operations, ...(operations.includes(operation) ? [] : [operation]));
      void session.dispose({ turn: 'leave' });
    });
    void session.pendingConfirmation.value!.approve();
    await settle();
    titles.set('1', 'Mine again');
    const last = await goOn(titles, log);
    await last.turn;
    expect(titles.runs).toHaveLength(0);
    expect(last.operations.find(({ type }) => type === 'toolsRejected')).toMatchObject({
      calls: [{ reason: 'conflict' }],
    });
    expect(checkOrder([...log, ...last.operations])).toEqual([]);
    await last.session.dispose();
  });
});

/** Followers that cannot become the writer. */
const onlySends = (inner: SessionLog): Partial<SessionLog> => ({
  channel: (name) => {
    const channel: LogChannel = inner.channel!(name);
    return { ...channel, post: ({ from: _from, ...message }) => channel.post(message) };
  },
});

describe('another tab', () => {
  async function tabs() {
    const titles = createTitles('subscribe');
    const world = logWorld(onlySends);
    const options = { domains: [titles.domain()], guards };
    const writer = await world.open([callTools(rename('1', 'A')), say('Done.')], options);
    const follower = await world.open([], { domains: [titles.domain()] });
    const turn = writer.session.send('Go');
    await world.clock.advance(100);
    const close = async () => {
      await world.clock.advance(100);
      expect(follower.session.state).toEqual(writer.session.state);
      expect(fold(initialState(), await world.stored())).toEqual(writer.session.state);
      for (const { session, reported } of [follower, writer]) {
        await session.dispose();
        expect(reported).toEqual([]);
      }
      expect(world.clock.pending).toBe(0);
    };
    return { titles, ...world, writer, follower, turn, close };
  }

  it('sees previews; its approval of an outdated preview is refused', async () => {
    const { titles, clock, writer, follower, turn, close } = await tabs();
    const ask = follower.session.pendingConfirmation.value!;
    expect(ask.preview).toMatchObject({ before: 'One', after: 'A' });
    titles.set('1', 'Mine');
    await settle();
    expect(writer.session.pendingConfirmation.value).toMatchObject({ changed: true });
    const outcome = ask.approve();
    await clock.advance(100);
    expect(await outcome).toEqual(stale);
    const now = follower.session.pendingConfirmation.value!;
    expect(now).toMatchObject({ id: ask.id, changed: true, preview: { before: 'Mine' } });
    const accepted = now.approve();
    await clock.advance(100);
    expect(await accepted).toBe('accepted');
    await turn;
    await close();
  });

  it('asks for the preview of edited arguments, and approves with it', async () => {
    const { titles, clock, follower, turn, close } = await tabs();
    const ask = follower.session.pendingConfirmation.value!;
    const edited = { id: '2', title: 'B' };
    const asked = follower.session.previewOf(ask.id, edited);
    await clock.advance(100);
    const made = await asked;
    expect(made).toMatchObject({ preview: { before: 'Two', after: 'B' } });
    const { digest } = made as { readonly digest: string };
    const outcome = ask.approve({ arguments: edited, digest });
    await clock.advance(100);
    expect(await outcome).toBe('accepted');
    await turn;
    expect(titles.runs).toEqual([edited]);
    await close();
  });

  it('can attend a question beside the writer; the last release counts', async () => {
    const { clock, writer, follower, turn, close } = await tabs();
    const { id, expiresAt } = writer.session.pendingConfirmation.value!;
    const release = follower.session.attend(id);
    await clock.advance(100);
    const beside = writer.session.attend(id);
    for (const { session } of [writer, follower])
      expect(session.pendingConfirmation.value).toMatchObject({
        attended: true,
        expiresAt: expiresAt! + 600_000,
      });
    beside();
    beside();
    await clock.advance(100_000);
    expect(writer.session.pendingConfirmation.value?.attended).toBe(true);
    release();
    release();
    await clock.advance(100);
    expect(Object.keys(follower.session.pendingConfirmation.value!)).not.toContain('attended');
    await clock.advance(60_000);
    expect(writer.session.pendingConfirmations.value).toEqual([]);
    await turn;
    await close();
  });

  it('a tab that disappears does not stop a deadline forever', async () => {
    const { clock, writer, follower, turn } = await tabs();
    follower.session.attend(writer.session.pendingConfirmation.value!.id);
    await clock.advance(100);
    await follower.session.dispose();
    await clock.advance(600_000);
    expect(writer.session.pendingConfirmations.value).toHaveLength(1);
    await clock.advance(45_000);
    expect(writer.session.pendingConfirmations.value).toEqual([]);
    await turn;
    await writer.session.dispose();
  });
});
