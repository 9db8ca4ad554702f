// Published code holds its own copy of RxJS (see tsdown.config.ts), and the operators of the app are from another one.
import { createRequire } from 'node:module';
import { observe, say, scriptedProvider, settle } from '@banister/testing';
import { createAgentSession } from '@banister/session';
import type * as rxjs from 'rxjs';
import { describe, expect, it } from 'vitest';

const { filter, firstValueFrom, isObservable, map, merge, take, toArray } = secondCopy();

/** A second copy of RxJS, whose classes are not those of the session. */
function secondCopy(): typeof rxjs {
  const require = createRequire(import.meta.url);
  const first = require('rxjs') as typeof rxjs;
  for (const file of Object.keys(require.cache)) if (/[\\/]rxjs[\\/]/.test(file)) delete require.cache[file];
  const second = require('rxjs') as typeof rxjs;
  expect(second.Subscriber).not.toBe(first.Subscriber);
  return second;
}

function sessionOf(...texts: readonly string[]) {
  return createAgentSession({ provider: scriptedProvider(texts.map((text) => say(text))) });
}

describe('operators of another copy of RxJS', () => {
  it('work with `operations$` and `turn$`', async () => {
    const session = sessionOf('Hello.');
    const types = firstValueFrom(
      session.operations$.pipe(
        filter(({ type }) => type === 'turnStarted' || type === 'completed'),
        map(({ type }) => type),
        toArray(),
      ),
    );
    await session.send('Hi');
    await session.dispose();
    expect(await types).toEqual(['turnStarted', 'completed']);
  });

  it('abort the turn when they unsubscribe from `turn$`', async () => {
    const session = sessionOf('Hello.');
    const observed = observe(session);
    session.turn$('Hi').pipe(take(1)).subscribe();
    await settle();
    expect(session.isRunning.value).toBe(false);
    expect(session.turns.value.map(({ status }) => status)).toEqual(['cancelled']);
    observed.check();
    await session.dispose();
  });

  it("recognise the session's observables", async () => {
    const session = sessionOf('One.', 'Two.');
    expect(isObservable(session.operations$)).toBe(true);
    const merged = firstValueFrom(
      merge(session.operations$, session.turn$('Hi')).pipe(
        filter(({ type }) => type === 'completed'),
        take(2),
        toArray(),
      ),
    );
    expect(await merged).toHaveLength(2);
    await session.dispose();
  });
});
