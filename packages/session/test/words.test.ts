// The words that the user sees come from one replaceable table.
import { describe, expect, it, vi } from 'vitest';
import { callTools, fail, finishWith, say, scriptedProvider, settle, stall } from '@banister/testing';
import {
  AgentSessionError,
  confirmCapabilities,
  confirmTools,
  createMirror,
  defineGuard,
  denied,
  denyTools,
  effect,
  failed,
  stop,
  type Operation,
  type SavedConversation,
  type Tool,
  type ToolCallView,
  type TurnRecord,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { withFallback } from '@banister/provider';
import { toMarkdown } from '@banister/session/export';
import { createWords, type WordTable } from '@banister/session/words';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type FixtureOptions } from './fixture.js';
import { german } from './german.js';
import { createSession, opened, recordsOf } from './opened.js';
import { call as change, createForm, sendForReview } from './reviewed.js';

const tool = (name: string, options: Partial<Tool> = {}): Tool => ({
  name,
  description: 'Works.',
  parameters: { type: 'object' },
  execute: () => 'ok',
  ...options,
});
const work = (options: Partial<Tool> = {}) => [{ id: 'app', tools: [tool('work', options)] }];
const call = callTools({ tool: 'app.work' });

/** A session in German. */
const inGerman = (
  answers: Parameters<typeof fixture>[0],
  options: FixtureOptions = {},
  table: WordTable = german,
) => {
  const words = createWords(table);
  return Object.assign(fixture(answers, { words, ...options }), { words });
};

describe('the words of a preview that failed', () => {
  it("are in the question; the tool's own words stay", async () => {
    const previews: WordTable = {
      previews: { empty: 'Keine Vorschau.', 'too-slow': ({ ms }) => `Über ${ms} ms.` },
    };
    const preview = vi.fn();
    const domains = work({ preview: preview as NonNullable<Tool['preview']> });
    const guards = [confirmTools('app.work')];
    await using f = inGerman(
      [...[1, 2, 3].map((n) => callTools({ tool: 'app.work', args: { n } })), say('Done.')],
      { domains, guards, looseScript: true },
      previews,
    );
    preview
      .mockReturnValueOnce('')
      .mockReturnValueOnce(new Promise(() => {}))
      .mockRejectedValueOnce(new Error('No paper.'));
    const turn = f.session.send('Go');
    const shown: unknown[] = [];
    for (let asked = 0; asked < 3; asked++) {
      await settle();
      await f.clock.advance(3_000);
      const ask = f.session.pendingConfirmation.value!;
      shown.push(ask.preview);
      await ask.approve();
    }
    await turn;
    expect(shown).toEqual([
      { kind: 'failed', reason: 'Keine Vorschau.', because: { code: 'empty' } },
      { kind: 'failed', reason: 'Über 3000 ms.', because: { code: 'too-slow', ms: 3_000 } },
      { kind: 'failed', reason: 'No paper.' },
    ]);
    const asked = f.observed.operations.find(({ type }) => type === 'confirmationRequested');
    expect(asked).toMatchObject({ request: { preview: { reason: 'The preview is empty.' } } });
  });

  it('also apply to a preview that a command returned; every other preview is unchanged', () => {
    const words = createWords({ previews: { empty: 'Keine Vorschau.' } });
    const failed = { kind: 'failed', reason: 'The preview is empty.', because: { code: 'empty' } } as const;
    const shown = { kind: 'text', text: 'Hello' } as const;
    expect(words.preview(failed)).toEqual({ ...failed, reason: 'Keine Vorschau.' });
    expect(words.preview(shown)).toBe(shown);
  });
});

describe('the words of an error', () => {
  it('are in `lastError` and in the record of the turn; state and operations keep code, values and English words', async () => {
    await using f = inGerman([call, call], { domains: work(), limits: { maxRounds: 1 }, looseScript: true });
    const error = await rejection(f.session.send('Go'));
    const { lastError, turns, lastOutcome } = f.session;
    expect(lastError.value).toMatchObject({
      code: 'max-rounds',
      message: 'Nach 1 Runden ist Schluss.',
      details: { limit: 1 },
    });
    expect(lastError.value).toBeInstanceOf(AgentSessionError);
    expect(turns.value[0]?.outcome?.error?.message).toBe('Nach 1 Runden ist Schluss.');
    expect(lastOutcome.value?.error?.message).toBe('Nach 1 Runden ist Schluss.');
    const english = 'The turn reached its limit of 1 round.';
    expect(f.session.state.lastError).toMatchObject({ message: english, details: { limit: 1 } });
    expect(f.observed.operations.at(-1)).toMatchObject({ type: 'failed', error: { message: english } });
    expect(f.words.error(error)).toBe('Nach 1 Runden ist Schluss.');
  });

  it.each([
    ['the time', [stall('…')], { limits: { timeoutMs: 2_000 } }, 'Antwort über 2 Sekunden.'],
    ['the key', [fail('auth')], {}, 'Der Schlüssel gilt nicht.'],
    ['a broken answer', [stall('…')], { limits: { timeoutMs: 3_000 } }, 'Antwort über 3 Sekunden.'],
  ] as const)('come from %s', async (_name, answers, options, wanted) => {
    await using f = inGerman(answers, options);
    const turn = f.session.send('Go');
    turn.catch(() => {});
    await f.clock.advance(3_000);
    await rejection(turn);
    expect(f.session.lastError.value?.message).toBe(wanted);
  });

  it('describe an error that a command rejects with, by its values', async () => {
    const app = createBoard();
    await using f = inGerman([callTools(addCard('A')), say('Done.')], { domains: [app.domain()] });
    await f.session.send('Go');
    app.put('B');
    expect(f.words.error(await rejection(f.session.undo()))).toBe('Inzwischen geändert: board.');
    expect(f.words.error(await rejection(f.session.send('')))).toBe('Diese Nachricht geht nicht.');
  });
});

it('for a replaced provider are the words of its error', async () => {
  const words = createWords(german);
  const [first, second] = [
    scriptedProvider([fail('auth')]),
    scriptedProvider([say('Hi.')], { id: 'second' }),
  ];
  const provider = withFallback([first, second]);
  const { session } = createSession([], { words, provider });
  await session.send('Go');
  expect(session.turns.value[0]?.switches).toMatchObject([
    { code: 'auth', reason: 'Der Schlüssel gilt nicht.' },
  ]);
  expect(session.state.turns[0]?.switches).toMatchObject([{ reason: 'Scripted failure: auth.' }]);
  await session.dispose();
});

describe('the words of a stop', () => {
  const stopped = async (...args: Parameters<typeof inGerman>) => {
    await using f = inGerman(...args);
    const turn = f.session.send('Go');
    await f.clock.advance(3_000);
    await turn;
    expect(f.words.stop(f.session.state.lastOutcome!.stop!)).toBe(f.session.lastOutcome.value?.stop?.message);
    return f.session.turns.value[0]?.outcome?.stop?.message;
  };

  it('exist for a limit, for the provider and for a middleware', async () => {
    const limits = { timeoutMs: 2_000, onTrip: 'stop' } as const;
    expect(await stopped([stall('…')], { limits })).toBe('Angehalten: timeout.');
    expect(await stopped([finishWith('refusal')])).toBe('Das Modell lehnt ab.');
    const withhold = { name: 'strict', afterResponse: () => ({ withhold: 'No.' }) } as const;
    const failing = {
      name: 'odd',
      afterResponse: () => {
        throw new Error('no');
      },
    };
    expect(await stopped([say('Hi.')], { middleware: [withhold] })).toBe('„strict“ hält die Antwort zurück.');
    expect(await stopped([say('Hi.')], { middleware: [failing], reportsErrors: true })).toBe(
      '„odd“ hält die Antwort zurück (unchecked).',
    );
  });

  it('for a limit that stopped a turn are by default the words of its error', async () => {
    const limits = { timeoutMs: 2_000, onTrip: 'stop' } as const;
    const { errors } = german;
    expect(await stopped([stall('…')], { limits }, { errors })).toBe('Antwort über 2 Sekunden.');
  });

  it("for a tool that stopped the turn are the tool's own", async () => {
    const domains = work({ execute: () => stop('Enough.') });
    expect(await stopped([call], { domains })).toBe('Enough.');
  });
});

describe('the words of a question', () => {
  it.each([
    ['a tool', [confirmTools('app.work')], '„Arbeiten“ ausführen? Endgültig.'],
    ['capabilities', [confirmCapabilities('paid')], '„Arbeiten“ ausführen (paid)?'],
  ] as const)(
    'about %s name its title, on the same object until it is answered',
    async (_name, guards, wanted) => {
      const domains = work({ capabilities: ['mutating', 'paid'], irreversible: true, title: 'Arbeiten' });
      await using f = inGerman([call, say('Done.')], { domains, guards });
      const turn = f.session.send('Go');
      await settle();
      const asked = f.session.pendingConfirmation.value!;
      expect(asked.reason).toBe(wanted);
      expect(f.session.pendingConfirmations.value[0]).toBe(asked);
      expect(f.session.state.pendingConfirmations[0]?.reason).toContain('The agent wants to run “Arbeiten”');
      await asked.approve();
      expect((await turn).status).toBe('completed');
    },
  );

  it('about an interrupted call, or an approval for the provider, come from the table', async () => {
    const hosted = callTools({ tool: 'zip.shorten', args: {}, id: 'mcpr_1', hosted: true });
    await using f = inGerman([hosted, say('Done.')]);
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.reason).toBe('Der Anbieter fragt nach zip.shorten.');
    await f.session.pendingConfirmation.value!.approve();
    await turn;

    const domains = work({ replay: 'ask', title: 'Drucken', execute: () => new Promise<never>(() => {}) });
    const cut = createSession([call], { domains });
    cut.session.send('Go').catch(() => {});
    await settle();
    const restored = { snapshot: null, records: recordsOf([cut.operations]) };
    await cut.session.dispose({ turn: 'leave' });
    const { session } = createSession([], { domains, restored, words: createWords(german) });
    await opened(session);
    session.resume().catch(() => {});
    await settle();
    expect(session.pendingConfirmation.value?.reason).toBe('„Drucken“ noch einmal?');
    await session.dispose();
  });

  it("of an app's guard are the guard's own", async () => {
    const guard = Object.assign(() => ({ confirm: 'Sicher?' }), { tools: [] });
    await using f = inGerman([call, say('Done.')], { domains: work(), guards: [guard] });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.reason).toBe('Sicher?');
    await f.session.pendingConfirmation.value!.deny();
    await turn;
  });
});

describe('the words of an effect that stays', () => {
  it('are in the record and in a report', async () => {
    const app = createBoard();
    await using f = inGerman([callTools(addCard('A')), say('Done.')], { domains: [app.domain()] });
    await f.session.send('Go');
    app.rename('A', 'B');
    const report = await f.session.undo({ force: true });
    expect(report.failed).toMatchObject([
      { reason: 'It was changed in the meantime.', because: { code: 'changed' } },
    ]);
    expect(report.failed.map((item) => f.words.failure(item))).toEqual(['Inzwischen geändert.']);
    expect(f.session.turns.value[0]?.undo?.report.failed[0]?.reason).toBe('Inzwischen geändert.');
  });

  it('are on an effect under review that could not be undone', async () => {
    const form = createForm();
    await using f = inGerman([callTools(change('set', 'a', '1')), say('Done.')], {
      domains: [form.domain()],
    });
    const { turn } = await sendForReview(f.session);
    form.fields['a'] = 'mine';
    await f.session.reject();
    expect(f.session.pendingReview.value?.effects[0]?.conflict).toBe('Inzwischen geändert.');
    await f.session.accept();
    await turn;
  });

  it('name the timeout of hanging code, and keep the words of the tool', async () => {
    const reverts = [() => new Promise<never>(() => {}), () => failed('Der Drucker ist aus.')];
    const reasons = [];
    for (const revert of reverts) {
      const domains = work({
        execute: (_args, context) => void context.undo({ description: 'Printed', revert }),
      });
      await using f = inGerman([call, say('Done.')], { domains, limits: { revertTimeoutMs: 2_000 } });
      await f.session.send('Go');
      const undo = f.session.undo();
      await f.clock.advance(2_000);
      reasons.push((await undo).failed.map((item) => f.words.failure(item)));
    }
    expect(reasons).toEqual([['Länger als 2 Sekunden.'], ['Der Drucker ist aus.']]);
  });
});

describe('the words of a call that did not run, or did not work', () => {
  const problem = async (options: FixtureOptions, args: object = {}) => {
    await using f = inGerman([callTools({ tool: 'app.work', args } as never), say('Done.')], options);
    const turn = f.session.send('Go');
    await f.clock.advance(60_000);
    await turn;
    const [part] = f.session.turns.value[0]!.rounds[0]!.parts;
    if (part?.type !== 'tool-call') throw new Error('There is no call.');
    return [f.words.call(part), createWords({}).call(part)];
  };

  it('are chosen by its code', async () => {
    const boom = () => {
      throw new Error('boom');
    };
    expect(await problem({ domains: work() })).toEqual([null, null]);
    expect(await problem({ domains: work(), guards: [denyTools('app.work')] })).toEqual([
      'Nicht erlaubt.',
      'It did not run: it is not allowed here.',
    ]);
    expect(await problem({ domains: work(), guards: [confirmTools('app.work')] })).toEqual([
      'Keine Antwort.',
      'It did not run: there was no answer in time.',
    ]);
    expect(await problem({ domains: work({ execute: () => failed('No paper.') }) })).toEqual([
      'Ging nicht: No paper.',
      'It did not work.',
    ]);
    expect(await problem({ domains: work({ execute: boom, title: 'Arbeiten' }) })).toEqual([
      'Fehler in „Arbeiten“.',
      'It ran into an error.',
    ]);
    expect(await problem({ domains: [] })).toEqual([
      'Gibt es nicht.',
      'It did not run: there is no such tool.',
    ]);
  });
});

describe('the words of a call that was cut', () => {
  const reads = { capabilities: ['readOnly'] } as const;
  const hangs = { timeoutMs: 1_000, execute: () => new Promise<never>(() => {}) } as const;
  const words = createWords({});

  it.each([
    ['may have done a part of its work', {}, 'It took too long, and may have done a part of its work.'],
    ['is no more than late where it only reads', reads, 'It took too long.'],
  ])('audit-AD-10 say that it %s, to the user and to the model', async (_name, tool, text) => {
    await using f = fixture([callTools({ tool: 'app.work', args: {} } as never), say('Done.')], {
      domains: work({ ...hangs, ...tool }),
      leavesTimers: true,
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(1_000);
    await turn;
    expect(words.call(firstCall(f.session.turns.value[0]))).toBe(text);
    const told = JSON.stringify(f.provider.requests[1]!.messages.at(-1));
    expect(told.includes('part of its work')).toBe(tool !== reads);
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using next = fixture([], { conversation });
    expect(words.call(firstCall(next.session.turns.value[0]))).toBe(text);
  });

  it.each([
    ['may have acted', {}, 'It was interrupted, and may or may not have acted.'],
    ['was interrupted where it only reads', reads, 'It was interrupted.'],
  ])('audit-AD-10 by a reload say that it %s', async (_name, tool, text) => {
    const domains = work({ ...hangs, ...tool });
    const cut = createSession([call], { domains });
    cut.session.send('Go').catch(() => {});
    await settle();
    const restored = { snapshot: null, records: recordsOf([cut.operations]) };
    await cut.session.dispose({ turn: 'leave' });
    const { session } = createSession([], { domains, restored });
    await opened(session);
    const view = firstCall(session.liveTurn.value);
    expect(view.state).toBe('interrupted');
    expect(words.call(view)).toBe(text);
    const document = toMarkdown(session.state);
    expect(document).toContain('interrupted');
    expect(document.includes('it may have acted')).toBe(tool !== reads);
    expect(session.state.interrupted?.unknown).toHaveLength(tool === reads ? 0 : 1);
    await session.dispose();
  });
});

/** The first call of a turn. */
function firstCall(turn: TurnRecord | null | undefined): ToolCallView {
  const [part] = turn!.rounds[0]!.parts;
  if (part?.type !== 'tool-call') throw new Error('There is no call.');
  return part;
}

describe('the words of a guard and of a tool for the user', () => {
  const told = async (options: FixtureOptions) => {
    await using f = fixture([callTools({ tool: 'app.work', args: {} } as never), say('Done.')], options);
    await f.session.send('Go');
    const [part] = f.session.turns.value[0]!.rounds[0]!.parts;
    if (part?.type !== 'tool-call') throw new Error('There is no call.');
    const [result] = f.provider.requests[1]!.messages.at(-1)!.parts;
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using next = fixture([], { conversation });
    const [again] = next.session.turns.value[0]!.rounds[0]!.parts as (typeof part)[];
    const words = createWords({ calls: { denied: 'Nein.', 'tool-failed': 'Ging nicht.' } });
    expect(words.call(again!)).toBe(words.call(part));
    return { user: words.call(part), model: result };
  };
  const model = 'Call app.list first.';
  const forUser = 'There is no such card.';

  it.each<[string, FixtureOptions, string]>([
    [
      'a guard that denies',
      { domains: work(), guards: [defineGuard('g', () => ({ deny: model, forUser }))] },
      `app.work was denied: ${model}`,
    ],
    ['failed', { domains: work({ execute: () => failed(model, { forUser }) }) }, model],
    [
      'denied',
      { domains: work({ execute: () => denied(model, { forUser }) }) },
      `The tool refused: ${model}`,
    ],
  ])('audit-V2 of %s reach the user, but not the model', async (_name, options, text) => {
    const { user, model: result } = await told(options);
    expect(user).toBe(forUser);
    expect(result).toEqual({
      type: 'tool-result',
      callId: expect.any(String) as string,
      outcome: expect.any(String) as string,
      content: [{ type: 'text', text }],
    });
  });

  it('audit-V2 if there are none, a sentence for the code is used, never the text for the model', async () => {
    for (const execute of [() => failed(model), () => denied(model), () => failed(model, { forUser: '' })]) {
      await using f = fixture([callTools({ tool: 'app.work', args: {} } as never), say('Done.')], {
        domains: work({ execute }),
      });
      await f.session.send('Go');
      const [part] = f.session.turns.value[0]!.rounds[0]!.parts;
      expect(['It did not work.', 'It did not run: it is not allowed here.', 'It refused.']).toContain(
        createWords({}).call(part as ToolCallView),
      );
    }
  });

  it('audit-V2 count toward the size limit of a result', async () => {
    const long = () => failed(model, { forUser: 'x'.repeat(100_000) });
    const { user, model: result } = await told({ domains: work({ execute: long }) });
    expect(user).toBe('Ging nicht.');
    expect(JSON.stringify(result)).toContain('100020 characters');
  });

  it('audit-V2 are refused if they are not a string', () => {
    expect(() => failed('x', { forUser: 1 as never })).toThrow('needs a text');
    expect(() => denied('x', { forUser: {} as never })).toThrow('needs a text');
  });
});

describe('titles of the table', () => {
  it('replace the titles of the log, and may be computed from the arguments', async () => {
    await using f = inGerman([callTools(addCard('Plan')), say('Done.')], {
      domains: [createBoard().domain()],
      guards: [confirmTools('board.add')],
    });
    const titles = new Set<unknown>();
    const unfollow = effect(() => f.session.activeToolCalls.value.forEach(({ title }) => titles.add(title)));
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value).toMatchObject({
      call: { tool: 'board.add', title: 'Karte „Plan“ anlegen' },
      reason: '„Karte „Plan“ anlegen“ ausführen?',
    });
    expect(f.session.liveTurn.value?.rounds[0]?.parts).toMatchObject([{ title: 'Karte „Plan“ anlegen' }]);
    await f.session.pendingConfirmation.value!.approve();
    await turn;
    unfollow();
    expect([...titles]).toContain('Karte „Plan“ anlegen');
    const [part] = f.session.turns.value[0]!.rounds[0]!.parts;
    expect(part).toMatchObject({ title: 'Karte „Plan“ anlegen' });
    expect(f.words.title({ tool: 'board.drop' })).toBe('board.drop');
  });
});

describe('a table', () => {
  const failing = async (table: WordTable) => {
    const reportError = vi.fn<(error: unknown) => void>();
    const words = createWords(table, { reportError });
    await using f = fixture([fail('auth'), fail('auth')], { words });
    for (const text of ['1', '2']) await rejection(f.session.send(text));
    const english = f.session.state.lastError?.message;
    expect(f.session.lastError.value?.message).toBe(english);
    expect(f.session.turns.value[1]?.outcome?.error?.message).toBe(english);
    return reportError.mock.calls.map(([error]) => String(error));
  };

  it('does not change values without a known code, even from a log of another release', () => {
    const words = createWords(german);
    expect(words.failure({ reason: 'Because.', because: { code: 'new' } as never })).toBe('Because.');
    expect(words.stop({ kind: 'new' as never, message: 'Stopped.' })).toBe('Stopped.');
    expect(words.error({ code: 'new' as never, message: 'No.', retry: 'never', details: {} })).toBe('No.');
  });

  it('keeps the English words for a missing key, even a key that every object has', async () => {
    expect(await failing({})).toEqual([]);
    expect(await failing({ errors: {} })).toEqual([]);
    expect(await failing({ errors: undefined, stops: undefined })).toEqual([]);
    expect(await failing({ errors: { auth: undefined } })).toEqual([]);
    expect(createWords({ titles: {} }).title({ tool: 'constructor' })).toBe('constructor');
  });

  it.each<[string, unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
      'no',
    ],
    ['answers no text', () => 7, 'it gave no text'],
    ['answers a promise', () => Promise.resolve('Ja.'), 'it gave no text'],
    ['is blank', '  ', 'it gave no text'],
  ])('keeps the English words if a phrase %s, and reports it once', async (_name, auth, why) => {
    expect(await failing({ errors: { auth: auth as string } })).toEqual([
      `Error: The words errors["auth"] cannot be used: ${why}.`,
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a section that does not exist', { error: {} }, 'error'],
    ['a section that is no object', { errors: 'no' }, 'errors'],
    ['words of another kind', { errors: { auth: 7 } }, 'errors.auth'],
    ['none', null, 'no object'],
  ])('with %s is refused', (_name, table, place) => {
    expect(() => createWords(table as WordTable)).toThrow(place);
    expect(() => createWords({}).use(table as WordTable)).toThrow(place);
  });

  it('must be converted by `createWords` for a session', () => {
    expect(() => fixture([], { words: german as never })).toThrow('words');
  });

  it('that replaces another table is published, and values without words keep their identity', async () => {
    await using f = inGerman([fail('auth'), say('Done.')]);
    await rejection(f.session.send('Go'));
    await f.session.send('On');
    const messages: unknown[] = [];
    const unfollow = effect(() => void messages.push(f.session.turns.value[0]?.outcome?.error?.message));
    const before = f.session.turns.value;
    f.words.use({ errors: { auth: 'La clé est fausse.' } });
    const after = f.session.turns.value;
    unfollow();
    expect(messages).toEqual(['Der Schlüssel gilt nicht.', 'La clé est fausse.']);
    expect(after[1]).toBe(before[1]);
    expect(after[1]).toBe(f.session.state.turns[1]);
  });
});

it('of a mirror applies even to a log that was shown in another language', async () => {
  const operations: Operation[] = [];
  {
    await using f = inGerman([fail('auth')]);
    f.session.operations$.subscribe((operation) => operations.push(operation));
    await rejection(f.session.send('Go'));
  }
  const shown = (words?: ReturnType<typeof createWords>) => {
    const mirror = createMirror(initialState(), { words });
    mirror.fold(JSON.parse(JSON.stringify(operations)));
    return mirror.signals.lastError.value?.message;
  };
  expect(shown(createWords({ errors: { auth: 'La clé est fausse.' } }))).toBe('La clé est fausse.');
  expect(shown(createWords(german))).toBe('Der Schlüssel gilt nicht.');
  expect(shown()).toBe('Scripted failure: auth.');
});

it('does not make a delta write additional signals', async () => {
  await using f = inGerman([say(['a', 'b', 'c'])]);
  const counts = { turns: 0, lastError: 0 };
  const stops = [
    effect(() => void (f.session.turns.value, counts.turns++)),
    effect(() => void (f.session.lastError.value, counts.lastError++)),
  ];
  await f.session.send('Go');
  for (const stop of stops) stop();
  expect(counts).toEqual({ turns: 2, lastError: 1 });
});

it('does not reach the model: neither its words nor its titles', async () => {
  const domains = work({ title: 'Arbeiten' });
  const guards = [confirmTools('app.work')];
  await using f = inGerman(
    [call, call, say('Done.'), say('Yes.')],
    { domains, guards },
    {
      ...german,
      titles: { 'app.work': 'Schaffen' },
    },
  );
  f.session.operations$.subscribe((operation) => {
    if (operation.type !== 'confirmationRequested') return;
    void f.session.respond(operation.request.id, { approve: operation.request.call.id === 'call_2' });
  });
  await f.session.send('Go');
  await f.session.send('On');
  const sent = JSON.stringify(f.provider.requests);
  expect(sent).toContain('The user declined this call.');
  expect(sent).not.toMatch(/Arbeiten|Schaffen|abgelehnt/);
});
