// The conversation in the session, saved, and opened again.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  cut,
  fail,
  finishWith,
  forcedGuard,
  gate,
  say,
  scriptedProvider,
  settle,
  spyTool,
  stall,
} from '@banister/testing';
import {
  createAgentSession,
  SAVED_VERSION,
  UndoHistory,
  type LocalAgentSession,
  type SavedConversation,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection } from './fixture.js';

/** Saves and opens through text, as a page does. */
const stored = (session: LocalAgentSession): SavedConversation =>
  JSON.parse(JSON.stringify(session.save())) as SavedConversation;

const picture = spyTool('picture', {
  capabilities: ['readOnly'],
  execute: () => ({ type: 'image', mediaType: 'image/png', data: 'QUJD' }),
});

/** A session whose history has thinking, opaque parts, edits, an undo and failures. */
async function lived() {
  const board = createBoard();
  const f = fixture(
    [
      callTools(
        { type: 'thinking', delta: 'Hm', signature: 'sig==' },
        { type: 'opaque', data: { deep: [1, null] } },
        'Text. ',
        { ...addCard('Draft'), id: 'provider-1' },
        { tool: 'board.list' },
        { tool: 'board.nowhere', argumentsText: '{"bad' },
      ),
      say('Done.', { usage: { inputTokens: 10, cost: { amount: 0.5, currency: 'EUR' } } }),
      fail('auth'),
      finishWith('length', 'Cut of'),
    ],
    {
      domains: [board.domain()],
      history: new UndoHistory(),
      guards: [forcedGuard('ask', (call) => (call.tool === 'board.add' ? { confirm: 'Sure?' } : 'allow'))],
    },
  );
  const turn = f.session.send({ text: 'Go', images: [{ mediaType: 'image/png', data: 'AAAA' }] });
  await settle();
  void f.session.pendingConfirmation.value?.approve({ arguments: { title: 'Final' } });
  await turn;
  await f.session.undo();
  await rejection(f.session.send('Fails'));
  await f.session.send('Stops');
  return f;
}

describe('a conversation', () => {
  it('AK-V1 AK-V2 AK-V3 AK-V4 has the messages of a turn with a tool in order, in two roles, with ordered parts', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send({ text: 'Go', images: [{ mediaType: 'image/png', data: 'AAAA' }] });
    const { messages } = f.session.conversation.value;
    expect(messages.map(({ role, parts }) => [role, ...parts.map(({ type }) => type)])).toEqual([
      ['user', 'text', 'image'],
      ['assistant', 'tool-call'],
      ['user', 'tool-result'],
      ['assistant', 'text'],
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
  });
});

describe('save', () => {
  it('a conversation is saved as versioned JSON', async () => {
    await using f = await lived();
    const saved = f.session.save();
    expect(saved.version).toBe(SAVED_VERSION);
    expect(JSON.parse(JSON.stringify(saved))).toEqual(saved);
    const { turns } = f.session.state;
    expect(saved.turns.map(({ record }) => record.id)).toEqual(turns.map(({ id }) => id));
    expect(saved.turns.map(({ messages }) => messages.length)).toEqual(
      turns.map(({ messageIds }) => messageIds.length),
    );
    expect(saved).toMatchObject({ head: turns.at(-1)?.id, prefix: [], marks: [] });
    expect(saved.sequence).toBe(f.observed.operations.at(-1)?.sequence);
  });

  it('shares its structure with the session, and converts each turn only once', async () => {
    await using f = await lived();
    const saved = f.session.save();
    const { turns } = f.session.state;
    saved.turns.forEach(({ record }, index) => expect(record.outcome).toBe(turns[index]?.outcome));
    f.provider.push(say('x'));
    await f.session.send('Next');
    const again = f.session.save();
    saved.turns.forEach(({ record, messages }, index) => {
      expect(again.turns[index]?.record).toBe(record);
      expect(again.turns[index]?.messages).toBe(messages);
    });
  });

  it('holds each text and each image once', async () => {
    await using f = fixture(
      [callTools({ type: 'thinking', delta: 'A thought.' }, 'A text. ', addCard('A title')), say('Done.')],
      { domains: [createBoard().domain(picture)] },
    );
    await f.session.send({ text: 'A question', images: [{ mediaType: 'image/png', data: 'AAAA' }] });
    f.provider.push(callTools({ tool: 'board.picture' }), say('Blue.'));
    await f.session.send('Which colour?');
    const text = JSON.stringify(f.session.save());
    for (const once of ['A thought.', 'A text. ', 'A title', 'Done.', 'A question', 'AAAA', 'QUJD', 'Blue.'])
      // The title stands in the arguments of the call, and in the words for its effect and the step.
      expect(text.split(once).length - 1, once).toBe(once === 'A title' ? 3 : 1);
    // The arguments of a call are read from its text again.
    expect(text).not.toContain('"arguments"');
  });

  it('during a turn, saves the turn as failed and interrupted, and does not change the session', async () => {
    const more = gate();
    await using f = fixture([callTools('One.', addCard('A')), say(['Two', more])], {
      domains: [createBoard().domain()],
    });
    const turn = f.session.send('Go');
    await more.reached;
    const before = f.session.state;
    const saved = stored(f.session);
    expect(f.session.state).toBe(before);
    expect(saved.turns).toMatchObject([
      { record: { status: 'failed', outcome: { status: 'failed', error: { code: 'interrupted' } } } },
    ]);
    more.open();
    await turn;

    await using g = fixture([say('Again.')], { conversation: saved });
    expect(g.session.isRunning.value).toBe(false);
    expect(g.session.lastOutcome.value?.error?.code).toBe('interrupted');
    expect((await g.session.retry()).text).toBe('Again.');
    expect(outline(g.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Again.']);
  });

  it('C7 with a confirmation open never runs the call after a reload', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    void f.session.send('Go');
    await settle();
    const saved = stored(f.session);
    const { id } = f.session.pendingConfirmation.value!;
    await f.session.cancel();
    const again = createBoard();
    await using g = fixture([say('x')], { domains: [again.domain()], conversation: saved });
    expect(await g.session.respond(id, { approve: true })).toBe('already-settled');
    await g.session.send('Next');
    expect(again.titles).toEqual([]);
    const [part] = g.session.turns.value[0]?.rounds[0]?.parts ?? [];
    expect(part).toMatchObject({ type: 'tool-call', state: 'waiting', arguments: { title: 'A' } });
  });
});

describe('resume', () => {
  it('live equals reloaded: turns, conversation, last outcome', async () => {
    await using f = await lived();
    await using g = fixture([], { conversation: stored(f.session) });
    expect(g.session.state.turns).toEqual(f.session.state.turns);
    expect(g.session.state.conversation).toEqual(f.session.state.conversation);
    expect(g.session.state.lastOutcome).toEqual(f.session.state.lastOutcome);
    expect(g.session.state.lastError).toEqual(f.session.state.lastError);
    expect(stored(g.session)).toEqual(stored(f.session));
  });

  it('AK-V6 the next request of a restored session equals the next request of the live session', async () => {
    await using f = await lived();
    const saved = stored(f.session);
    await using g = fixture([say('x')], { conversation: saved });
    f.provider.push(say('x'));
    await f.session.send('Next');
    await g.session.send('Next');
    const [live, reloaded] = [f.provider.requests.at(-1)!, g.provider.requests.at(-1)!];
    const parts = (request: typeof live) => request.messages.map(({ role, parts }) => ({ role, parts }));
    expect(parts(reloaded)).toEqual(parts(live));
  });

  it('seed 6, DF-7: after a cancel in the middle of the text, live equals saved equals resumed', async () => {
    await using f = fixture([stall('Half')]);
    void f.session.send('Go');
    await settle();
    await f.session.cancel();
    await using g = fixture([], { conversation: stored(f.session) });
    expect(g.session.conversation.value).toEqual(f.session.conversation.value);
    expect(outline(g.session.conversation.value.messages)).toEqual(['user: Go']);
    expect(g.session.turns.value[0]?.rounds[0]?.parts).toEqual([{ type: 'text', text: 'Half' }]);
  });

  it('a failed turn can be retried after a reload', async () => {
    await using f = fixture([fail('auth')]);
    await rejection(f.session.send('Go'));
    await using g = fixture([say('Done.')], { conversation: stored(f.session) });
    expect(g.session.lastError.value?.code).toBe('auth');
    await g.session.retry();
    expect(outline(g.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Done.']);
    expect(g.session.turns.value.map((turn) => turn.retryOf)).toEqual(['turn_1']);
  });

  it('an effect with closures does not survive a reload: it is lost', async () => {
    await using f = fixture([callTools(addCard('A')), say('x')], {
      domains: [createBoard().domain()],
      history: new UndoHistory(),
    });
    await f.session.send('Go');
    await using g = fixture([], { conversation: stored(f.session), history: new UndoHistory() });
    expect(g.session.canUndo.value).toBe(false);
    expect(g.session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
  });

  it('neither changes nor keeps the given object', async () => {
    await using f = await lived();
    const saved = stored(f.session);
    const before = JSON.stringify(saved);
    await using g = fixture([say('x')], { conversation: saved });
    await g.session.send('Next');
    expect(JSON.stringify(saved)).toBe(before);
    (saved.turns as unknown[]).length = 0;
    expect(g.session.conversation.value.messages.length).toBeGreaterThan(5);
  });

  it('S-16 a signature that was saved before its provider was named is kept as it is', async () => {
    await using f = await lived();
    const old = JSON.parse(
      JSON.stringify(f.session.save()).replaceAll(/,"signedBy":"scripted","owner":\{[^}]*\}/g, ''),
    ) as unknown;
    await using g = fixture([], { conversation: old as SavedConversation });
    expect(g.session.conversation.value.messages[1]!.parts[0]).toEqual({
      type: 'thinking',
      text: 'Hm',
      signature: 'sig==',
    });
  });

  it('S-16 signatures, opaque parts and argument texts are byte-identical', async () => {
    await using f = await lived();
    await using g = fixture([], { conversation: stored(f.session) });
    const [thinking, opaque, , call] = g.session.conversation.value.messages[1]!.parts;
    const owner = { provider: 'scripted', model: 'scripted-1' };
    expect(thinking).toEqual({
      type: 'thinking',
      text: 'Hm',
      signature: 'sig==',
      signedBy: 'scripted',
      owner,
    });
    expect(opaque).toEqual({ type: 'opaque', provider: 'scripted', owner, data: { deep: [1, null] } });
    expect(call).toMatchObject({
      argumentsText: '{"title":"Draft"}',
      ranWith: { title: 'Final' },
      providerCallId: 'provider-1',
    });
  });
});

describe('D8 opening a conversation', () => {
  const open = (saved: unknown) =>
    createAgentSession({ provider: scriptedProvider([]), conversation: saved as SavedConversation });
  const codeOf = (saved: unknown) => {
    try {
      open(saved);
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
    return 'opened';
  };
  const message = (id: string, role: string, ...parts: unknown[]) => ({ id, role, parts });
  const text = { type: 'text', text: 'x' };
  const call = (id: string) => ({ type: 'tool-call', id, tool: 'a.b', argumentsText: '{}', arguments: {} });
  const result = (callId: string) => ({ type: 'tool-result', callId, outcome: 'success', content: [] });
  const saved = (...prefix: unknown[]) => ({
    version: SAVED_VERSION,
    sequence: 0,
    head: null,
    prefix,
    turns: [] as unknown[],
    marks: [],
    redo: [],
  });
  const without = (field: 'version' | 'prefix' | 'turns' | 'redo') => {
    const { [field]: _left, ...rest } = saved();
    return rest;
  };

  it('a conversation of a newer version is refused and left as it is', () => {
    const newer = Object.freeze({ version: SAVED_VERSION + 2, something: 'else' });
    expect(codeOf(newer)).toBe('unsupported');
    expect(newer).toEqual({ version: SAVED_VERSION + 2, something: 'else' });
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', '{}'],
    ['a list', []],
    ['without version', without('version')],
    ['version 0', { ...saved(), version: 0 }],
    ['version 1.5', { ...saved(), version: 1.5 }],
    ['an earlier version', { ...saved(), version: SAVED_VERSION - 1 }],
    ['without messages', without('prefix')],
    ['without turns', without('turns')],
    ['without the turns to redo', without('redo')],
    ['a message that is none', saved(null)],
    ['a message without id', saved({ role: 'user', parts: [text] })],
    ['a role of system', saved(message('1', 'system', text))],
    ['parts that are no list', saved({ id: '1', role: 'user', parts: 'x' })],
    ['an unknown part', saved(message('1', 'user', { type: 'surprise' }))],
    ['a part named like a method of objects', saved(message('1', 'user', { type: 'constructor' }))],
    ['a text part without text', saved(message('1', 'user', { type: 'text' }))],
    ['a call without result', saved(message('1', 'user', text), message('2', 'assistant', call('c')))],
    [
      'a call answered too late',
      saved(
        message('1', 'user', text),
        message('2', 'assistant', call('c')),
        message('3', 'user', text),
        message('4', 'user', result('c')),
      ),
    ],
    ['a result without call', saved(message('1', 'user', result('c')))],
    [
      'a call answered twice',
      saved(
        message('1', 'user', text),
        message('2', 'assistant', call('c')),
        message('3', 'user', result('c'), result('c')),
      ),
    ],
    [
      'a call id used twice',
      saved(
        message('1', 'user', text),
        message('2', 'assistant', call('c')),
        message('3', 'user', result('c')),
        message('4', 'assistant', call('c')),
        message('5', 'user', result('c')),
      ),
    ],
    ['a call by the user', saved(message('1', 'user', call('c')), message('2', 'user', result('c')))],
    ['a message id used twice', saved(message('1', 'user', text), message('1', 'assistant', text))],
    ['a turn that is none', { ...saved(), turns: [null] }],
    [
      'a turn without outcome',
      {
        ...saved(),
        turns: [
          {
            record: {
              id: 't',
              parentId: null,
              input: message('1', 'user', text),
              status: 'failed',
              outcome: null,
              effects: [],
              rounds: [],
            },
            messages: [],
          },
        ],
      },
    ],
    [
      'a cycle',
      (() => {
        const cycle: ReturnType<typeof saved> & { self?: unknown } = saved();
        cycle.self = cycle;
        return cycle;
      })(),
    ],
    ['__proto__', JSON.parse(JSON.stringify(saved()).replace('{', '{"__proto__":{"polluted":true},'))],
  ])('refuses %s', (_name, given) => {
    expect(codeOf(given)).toBe('invalid-configuration');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('names the place of the fault', () => {
    expect(() =>
      open(saved(message('1', 'user', text), message('2', 'assistant', { type: 'text' }))),
    ).toThrow(/prefix\[1\]\.parts\[0\]\.text/);
  });

  it.each<[string, (holder: Record<string | number, unknown>, key: string | number) => void]>([
    ['removed', (holder, key) => delete holder[key]],
    ['replaced by null', (holder, key) => (holder[key] = null)],
    ['replaced by a number', (holder, key) => (holder[key] = 3)],
    ['replaced by a text', (holder, key) => (holder[key] = 'x')],
  ])(
    'a saved conversation with one field %s is refused, or opens to a session that works',
    async (_name, damage) => {
      await using f = await lived();
      const whole = stored(f.session);
      const problems: string[] = [];
      for (const path of paths(whole)) {
        const broken = structuredClone(whole);
        damage(holderOf(broken, path), path.at(-1)!);
        let session: LocalAgentSession;
        try {
          session = open(broken);
        } catch (error) {
          if ((error as { readonly code?: string }).code === undefined)
            problems.push(`${path.join('.')}: ${String(error)}`);
          continue;
        }
        // A damaged text changes the answer of a model at most; the session has to go on.
        session.configure({ provider: scriptedProvider([say('x')], { validate: false }) });
        const result = await session.send('Next').catch((error: unknown) => String(error));
        if (typeof result === 'string') problems.push(`${path.join('.')}: ${result}`);
        await session.dispose();
      }
      expect(problems.join('\n')).toBe('');
    },
  );
});

/** Paths of all fields of objects in a value, without those of list items. */
function paths(
  value: unknown,
  at: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [[...at, key]]),
    ...paths(inner, [...at, key]),
  ]);
}

function holderOf(value: unknown, path: readonly (string | number)[]): Record<string | number, unknown> {
  let current = value as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) current = current[key] as Record<string | number, unknown>;
  return current;
}

describe('history', () => {
  it('may hold consecutive user messages; it is not rewritten', async () => {
    await using f = fixture([cut('x'), say('y')], { limits: { maxRetries: 0 } });
    await rejection(f.session.send('One'));
    await f.session.send('Two');
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: One',
      'user: Two',
      'assistant: y',
    ]);
  });

  it('AK-V5 AK-B15 replays against another provider', async () => {
    await using f = await lived();
    const other = scriptedProvider([say('x')], { id: 'other', model: 'other-1' });
    f.session.configure({ provider: other });
    await f.session.send('Next');
    expect(other.requests[0]?.messages[1]?.parts).toContainEqual(
      expect.objectContaining({ type: 'opaque', provider: 'scripted' }),
    );
    other.check();
  });

  it('T11 keeps calls of tools that were removed later', async () => {
    await using f = fixture([callTools({ tool: 'board.old' }), say('x')], {
      domains: [{ id: 'board', tools: [spyTool('old')] }],
    });
    await f.session.send('Go');
    await using g = fixture([callTools({ tool: 'board.old' }), say('y')], {
      conversation: stored(f.session),
    });
    expect((await g.session.send('Next')).text).toBe('y');
  });
});
