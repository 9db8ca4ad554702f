// Delivery of operations: which ones a subscriber receives, and which parts a consumer that throws can disturb.
import { filter, map, mergeMap, throwError } from 'rxjs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callTools, say, settle, stall } from '@banister/testing';
import { effect, type AgentSession, type Operation, type SessionState } from '@banister/session';
import { apply } from '@banister/session/operations';
import { textPieces } from '@banister/session/view';
import { addCard, createBoard } from './board.js';
import { atOperation, fixture } from './fixture.js';

/** A copy of the state, begun now and folded from what is delivered from now on. */
function mirrorOf(session: AgentSession): { state: SessionState } {
  const mirror = { state: session.state };
  session.operations$.subscribe((operation) => {
    mirror.state = apply(mirror.state, operation);
  });
  return mirror;
}

/** Calls `join` inside an effect, at the first publication that fits. */
function inEffect(session: AgentSession, fits: () => boolean, join: () => void): () => void {
  let joined = false;
  return effect(() => {
    if (joined || !fits()) return;
    joined = true;
    join();
  });
}

function start() {
  return fixture([callTools('a', addCard('A')), say(['b', 'c'])], { domains: [createBoard().domain()] });
}

describe('a subscriber receives exactly the operations after the state that it could read', () => {
  it.each([
    ['a publication of text', (session: AgentSession) => session.currentText.value === 'a'],
    ['a publication of a phase', (session: AgentSession) => session.phase.value === 'executing'],
    ['the publication of the end', (session: AgentSession) => session.turns.value.length === 1],
  ])('C4: a mirror that joins inside an effect, at %s, ends with the same state', async (_where, fits) => {
    await using f = start();
    const mirrors: { state: SessionState }[] = [];
    const stop = inEffect(
      f.session,
      () => fits(f.session),
      () => mirrors.push(mirrorOf(f.session)),
    );
    await f.session.send('Go');
    stop();
    expect(mirrors).toHaveLength(1);
    expect(mirrors[0]!.state).toEqual(f.session.state);
  });

  it('C4: a mirror that joins inside a delivery, after a subscriber caused another operation, ends with the same state', async () => {
    await using f = start();
    const mirrors: { state: SessionState }[] = [];
    atOperation(f.session, 'turnStarted', () => f.session.configure({ role: 'Changed.' }));
    atOperation(f.session, 'turnStarted', () => mirrors.push(mirrorOf(f.session)));
    atOperation(f.session, 'messagesAppended', () => mirrors.push(mirrorOf(f.session)));
    await f.session.send('Go');
    expect(mirrors).toHaveLength(2);
    for (const mirror of mirrors) expect(mirror.state).toEqual(f.session.state);
  });

  it('C4: a subscriber that joins inside a delivery receives no operation that was folded before, and each later one once', async () => {
    await using f = start();
    const seen: Operation[] = [];
    let readable = 0;
    atOperation(f.session, 'turnStarted', () => f.session.configure({ role: 'Changed.' }));
    atOperation(f.session, 'turnStarted', () => {
      readable = 2;
      f.session.operations$.subscribe((operation) => seen.push(operation));
    });
    await f.session.send('Go');
    expect(seen.map(({ sequence }) => sequence)).toEqual(
      f.observed.operations.map(({ sequence }) => sequence).filter((sequence) => sequence > readable),
    );
  });

  it('C4: textPieces that begins inside an effect gives every letter once', async () => {
    await using f = start();
    let text = '';
    const stop = inEffect(
      f.session,
      () => f.session.currentText.value === 'a',
      () => textPieces(f.session).subscribe((piece) => (text += piece.text)),
    );
    await f.session.send('Go');
    stop();
    expect(text).toBe(f.session.currentText.value);
  });

  it('C4: textPieces gives every letter once to a reader that cancels at the text so far', async () => {
    await using f = fixture([stall('a', 'b')]);
    const seen: string[] = [];
    const turn = f.session.send('Go');
    await settle();
    textPieces(f.session).subscribe(({ text }) => {
      seen.push(text);
      void f.session.cancel();
    });
    await turn.catch(() => {});
    expect(seen).toEqual(['ab']);
  });
});

describe('an error after an RxJS operator', () => {
  it('C19: an error after an operator of `operations$` goes to the error port, and affects neither the turn nor other subscribers', async () => {
    await using f = fixture([say('x')], { reportsErrors: true });
    const others = vi.fn();
    const thrown = new Error('behind an operator');
    f.session.operations$
      .pipe(
        filter(({ type }) => type === 'text'),
        map(() => {
          throw thrown;
        }),
      )
      .subscribe();
    f.session.operations$.subscribe(others);
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(f.reported).toEqual([thrown]);
    expect(others).toHaveBeenCalledTimes(f.observed.operations.length);
  });

  it('C19: an error of an inner observable, or of a consumer after the operator, goes to the error port too', async () => {
    await using f = fixture([say('x')], { reportsErrors: true });
    f.session.operations$.pipe(mergeMap(() => throwError(() => new Error('inner')))).subscribe();
    const consumed: string[] = [];
    f.session.operations$.pipe(map(({ type }) => type)).subscribe((type) => {
      consumed.push(type);
      if (type === 'turnStarted') throw new Error('consumer');
    });
    await f.session.send('Go');
    expect(f.reported.map(String)).toEqual(['Error: inner', 'Error: consumer']);
    // A consumer that throws stays subscribed, behind an operator as without one.
    expect(consumed).toEqual(f.observed.types);
  });

  it('C19: an error of a reader of `textPieces` goes to the error port too', async () => {
    await using f = fixture([say('x')], { reportsErrors: true });
    textPieces(f.session).subscribe(() => {
      throw new Error('reader');
    });
    await f.session.send('Go');
    expect(f.reported.map(String)).toEqual(['Error: reader']);
  });

  it('C19: an error after an operator goes to the error handler of the subscriber if there is one', async () => {
    await using f = fixture([say('x')]);
    const failed = vi.fn();
    f.session.operations$
      .pipe(
        map(() => {
          throw new Error('handled');
        }),
      )
      .subscribe({ error: failed });
    await f.session.send('Go');
    expect(failed).toHaveBeenCalledTimes(1);
  });

  it('C19: an error after an operator of `turn$` goes to the error port and aborts the turn', async () => {
    await using f = fixture([stall('x')], { reportsErrors: true });
    f.session
      .turn$('Go')
      .pipe(
        map(({ type }) => {
          if (type === 'text') throw new Error('behind turn$');
        }),
      )
      .subscribe();
    await settle();
    expect(f.reported.map(String)).toEqual(['Error: behind turn$']);
    expect(f.session.lastOutcome.value?.status).toBe('cancelled');
  });
});

describe('an error port that throws', () => {
  it('C20: does not stop the turn: its own error and the reported error are logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    await using f = fixture([say(['a', 'b'])], {
      ports: {
        reportError() {
          throw new Error('port');
        },
      },
    });
    f.session.operations$.subscribe(() => {
      throw new Error('subscriber');
    });
    const stop = effect(() => {
      if (f.session.currentText.value === 'a') throw new Error('effect');
    });
    expect((await f.session.send('Go')).text).toBe('ab');
    expect(f.session.isRunning.value).toBe(false);
    stop();
    const logged = log.mock.calls.map(([error]) => String(error));
    expect(new Set(logged)).toEqual(new Set(['Error: port', 'Error: subscriber', 'Error: effect']));
  });
});
