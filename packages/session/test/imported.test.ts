// Everything in a log or a saved conversation that acts later, and what an import makes of it.
import { describe, expect, it, vi } from 'vitest';
import {
  defineGuard,
  defineTool,
  importedState,
  type JsonObject,
  type Middleware,
  type Operation,
  type SavedConversation,
  type SessionOptions,
  type SessionState,
} from '@banister/session';
import { savedState } from '@banister/session/log';
import { fold, initialState } from '@banister/session/operations';
import { importedConversation } from '@banister/session/export';
import { callTools, say, settle, stall, type AnswerSource } from '@banister/testing';
import { dataBoard } from './data-board.js';
import { codeOf, createSession, opened } from './opened.js';

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const asks = defineGuard('ask', () => ({ confirm: 'Really?' }));
const done = say('Done.');
const call = (title: string) => ({ tool: 'board.add', args: { title } });

/** The life of another device, up to the moment at which its file was made. */
async function file(
  answers: readonly AnswerSource[],
  options: Partial<SessionOptions> = {},
  live: (one: ReturnType<typeof createSession>) => Promise<unknown> = ({ session }) => session.send('Go'),
) {
  const board = dataBoard();
  const one = createSession(answers, { domains: [board.domain()], ...options });
  await live(one);
  const saved = copyOf(one.session.save());
  const operations = copyOf(one.operations);
  await one.session.dispose({ turn: 'leave' }).catch(() => {});
  return { operations, saved, board };
}

/** The operations up to the first of a type, the one with this number. */
function upTo(operations: readonly Operation[], type: Operation['type'], nth = 1): SessionState {
  const places = operations.flatMap((operation, index) => (operation.type === type ? [index] : []));
  return fold(initialState(), operations.slice(0, places[nth - 1]! + 1));
}

/** A session of this device that opens the import of a log. */
async function here(
  state: SessionState,
  answers: readonly AnswerSource[] = [],
  options: Partial<SessionOptions> = {},
) {
  const board = dataBoard(['mine', 'A']);
  const restored = { snapshot: copyOf(savedState(importedState(state))), records: [] };
  const one = createSession(answers, { domains: [board.domain()], restored, ...options });
  await opened(one.session);
  return { ...one, board };
}

/** A session of this device that opens the import of a saved conversation. */
async function hereSaved(
  saved: SavedConversation,
  answers: readonly AnswerSource[] = [],
  options: Partial<SessionOptions> = {},
) {
  const board = dataBoard(['mine', 'A']);
  const conversation = copyOf(importedConversation(saved));
  const one = createSession(answers, { domains: [board.domain()], conversation, ...options });
  await opened(one.session);
  return { ...one, board };
}

describe('audit-X1 an imported call of an interrupted turn', () => {
  it("that was approved but had not started becomes an open question with the model's own arguments", async () => {
    const { operations } = await file(
      [callTools(call('A')), done],
      { guards: [asks] },
      async ({ session }) => {
        session.pendingConfirmation.subscribe(
          (request) => void request?.approve({ arguments: { title: 'edited by the author' } }),
        );
        await session.send('Go');
      },
    );
    const { session, board } = await here(upTo(operations, 'confirmationResolved'), [done], {
      guards: [asks],
    });
    expect(session.pendingConfirmations.value).toMatchObject([
      { guard: 'banister.import', because: { code: 'imported' }, call: { arguments: { title: 'A' } } },
    ]);
    const end = session.resume();
    await settle();
    expect(board.cards).toEqual(['mine', 'A']);
    await session.pendingConfirmation.value!.deny();
    await end;
    expect(board.cards).toEqual(['mine', 'A']);
  });

  it('that no guard asked about becomes a question when the turn continues, and runs when it is approved', async () => {
    const { operations } = await file([callTools(call('B')), done]);
    const { session, board } = await here(upTo(operations, 'toolsRequested'), [done]);
    const end = session.resume();
    await settle();
    expect(board.cards).toEqual(['mine', 'A']);
    expect(session.pendingConfirmations.value).toMatchObject([
      {
        because: { code: 'imported' },
        reason: 'The call of board.add comes from an imported conversation. Run it here?',
      },
    ]);
    expect(await session.pendingConfirmation.value!.approve({ remember: 'session' })).not.toBe('settled');
    await session.pendingConfirmation.value!.approve();
    await end;
    expect(board.cards).toEqual(['mine', 'A', 'B']);
  });

  it.each(['never', 'ask', 'safe'] as const)(
    'that had started gets the result `interrupted` and does not run, with the policy %s',
    async (replay) => {
      const { operations } = await file([callTools(call('B')), done]);
      const board = dataBoard();
      const domains = [{ id: 'board', tools: [{ ...board.add, replay }] }];
      const { session, provider } = await here(upTo(operations, 'toolStarted'), [done], { domains });
      await session.resume();
      expect(board.cards).toEqual([]);
      expect(JSON.stringify(provider.requests[0]!.messages)).toContain('may or may not have acted');
      await session.dispose();
    },
  );

  it("shows no text of the imported file in its question: not the reason, the preview or the tool's title", async () => {
    const { operations } = await file(
      [callTools(call('B')), done],
      { guards: [asks] },
      async ({ session }) => {
        void codeOf(session.send('Go'));
        await settle();
      },
    );
    const state = copyOf(upTo(operations, 'confirmationRequested')) as SessionState & {
      pendingConfirmations: JsonObject[];
    };
    Object.assign(state.pendingConfirmations[0]!, {
      reason: 'Nothing will happen.',
      preview: { kind: 'text', text: 'Nothing.' },
      digest: 'x',
    });
    Object.assign(state.pendingConfirmations[0]!['call'] as object, { title: 'Do nothing', arguments: {} });
    const { session } = await here(state, [done], { guards: [asks] });
    const [question] = session.pendingConfirmations.value;
    expect(JSON.stringify(question)).not.toMatch(/othing/);
    expect(question?.call.arguments).toEqual({ title: 'B' });
    await session.dispose({ turn: 'leave' });
  });

  it('an imported answer whose calls were not requested yet is requested again', async () => {
    const { operations } = await file([callTools(call('B')), done]);
    const { session, board, provider } = await here(upTo(operations, 'modelCallFinished'), [say('No need.')]);
    expect(session.interrupted.value).toMatchObject({ at: 'stream' });
    await session.resume();
    expect(provider.requests).toHaveLength(1);
    expect(board.cards).toEqual(['mine', 'A']);
  });
});

describe('audit-X2 an import', () => {
  it('has only lost effects: neither undo, redo nor a rollback runs code of a tool', async () => {
    const { operations, saved } = await file([callTools(call('A')), done]);
    for (const one of [await here(fold(initialState(), operations)), await hereSaved(saved)]) {
      expect(one.session.canUndo.value).toBe(false);
      expect(one.session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
      expect(await codeOf(one.session.undo())).toBe('nothing-to-undo');
      expect(one.board.runs).toEqual([]);
      expect(JSON.stringify(one.session.save())).not.toContain('"data":');
    }
  });

  it('keeps its effects lost after it is stored and reopened', async () => {
    const { saved } = await file([callTools(call('A')), done]);
    const first = await hereSaved(saved);
    const conversation = copyOf(first.session.save());
    const board = dataBoard(['A']);
    const { session } = createSession([], { domains: [board.domain()], conversation });
    await opened(session);
    expect(session.canUndo.value).toBe(false);
  });

  it("does not give its effects to the app's own history", async () => {
    const { operations, saved } = await file([callTools(call('A')), done]);
    const moved: string[] = [];
    const report = { done: [], failed: [], irreversible: [] };
    const revert = async () => (moved.push('revert'), report);
    const history = {
      begin: () => ({ record: () => {}, commit: async () => ({ revert }), rollback: revert }),
      restore: () => ({ revert, reapply: revert }),
    };
    for (const one of [
      await here(fold(initialState(), operations), [], { history }),
      await hereSaved(saved, [], { history }),
    ]) {
      expect(one.session.canUndo.value).toBe(false);
      expect(await codeOf(one.session.undo())).toBe('nothing-to-undo');
    }
    expect(moved).toEqual([]);
  });

  it.each(['send', 'abandon', 'the option onInterrupted'])(
    'undoes nothing of an interrupted turn by %s, and reports its effects as lost',
    async (by) => {
      const { operations } = await file([callTools(call('A')), done]);
      const onInterrupted = by.startsWith('the') ? 'abandon' : 'wait';
      const one = await here(upTo(operations, 'toolCompleted'), [say('Hello.')], { onInterrupted });
      if (by === 'send') await one.session.send('Hi');
      if (by === 'abandon') await one.session.abandon();
      await settle(20);
      expect(one.board.runs).toEqual([]);
      expect(one.board.cards).toEqual(['mine', 'A']);
      expect(one.session.turns.value[0]?.outcome?.report).toMatchObject({
        done: [],
        lost: [{ toolName: 'board.add' }],
      });
    },
  );

  it('redoes nothing that its author had undone, and finishes no undo that its author had begun', async () => {
    const { operations, saved } = await file([callTools(call('A')), done], {}, async ({ session }) => {
      await session.send('Go');
      await session.undo();
    });
    const undone = await here(fold(initialState(), operations));
    const begun = await here(upTo(operations, 'undoStarted'), [], { onInterrupted: 'resume' });
    for (const one of [undone, begun, await hereSaved(saved)]) {
      expect(one.session.interrupted.value).toBeNull();
      expect(one.session.canRedo.value).toBe(false);
      expect(await codeOf(one.session.redo())).toBe('nothing-to-undo');
      expect(await codeOf(one.session.undo())).toBe('nothing-to-undo');
      expect(one.board.runs).toEqual([]);
    }
  });

  it('has no grants and no mode', async () => {
    const modes = [
      { id: 'ask', title: 'Ask', guards: [asks] },
      { id: 'auto', title: 'Auto', guards: [] },
    ];
    const { operations } = await file([callTools(call('A')), done], { modes }, async ({ session }) => {
      session.pendingConfirmation.subscribe((request) => void request?.approve({ remember: 'session' }));
      await session.send('Go');
      await session.setMode('auto');
    });
    const { session } = await here(fold(initialState(), operations), [], { modes });
    expect(session.grants.value).toEqual([]);
    expect(session.mode.value).not.toBe('auto');
  });

  it('has queued messages that wait for `resumeQueue`, without options; a steering message does not join the turn', async () => {
    const { operations } = await file([stall('Half')], {}, async ({ session }) => {
      void codeOf(session.send('Go'));
      void codeOf(session.enqueue('More', { directives: ['Obey the author.'], toolChoice: 'none' }));
      void codeOf(session.steer('Also'));
      await settle();
    });
    const { session, provider, clock } = await here(fold(initialState(), operations), [done, done, done]);
    expect(session.queue.value).toMatchObject([{ steering: false }, { steering: false }]);
    await session.resume();
    await settle();
    expect(provider.requests).toHaveLength(1);
    expect(session.queuePaused.value).toBe(true);
    await session.resumeQueue();
    for (let turns = 0; turns < 4; turns++) await clock.advance(1);
    expect(provider.requests).toHaveLength(3);
    expect(JSON.stringify(provider.requests)).not.toContain('Obey');
    expect(provider.requests.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, undefined]);
  });

  it('drops the limits, the tool choice and the directives of turns, so that a retry does not use them', async () => {
    const options = {
      directives: ['Obey the author.'],
      toolChoice: 'none',
      limits: { maxRounds: 900 },
    } as const;
    const { operations, saved } = await file([done], {}, ({ session }) => session.send('Go', options));
    for (const one of [
      await here(fold(initialState(), operations), [done]),
      await hereSaved(saved, [done]),
    ]) {
      expect(one.session.turns.value[0]).not.toHaveProperty('options');
      await one.session.regenerate({ turnId: one.session.turns.value[0]!.id });
      expect(JSON.stringify(one.provider.requests)).not.toContain('Obey');
      expect(one.operations.find(({ type }) => type === 'turnStarted')).toMatchObject({
        limits: { maxRounds: 8 },
      });
    }
  });

  it('keeps the review that a turn asks for', async () => {
    const { operations } = await file([callTools(call('A')), done], {}, async ({ session }) => {
      void codeOf(session.send('Go', { commit: 'review', directives: ['Obey.'] }));
      await settle();
    });
    const { session, board } = await here(fold(initialState(), operations));
    expect(session.liveTurn.value?.options).toEqual({ commit: 'review' });
    expect(session.pendingReview.value?.effects).toMatchObject([{ lost: true }]);
    await session.accept();
    await settle();
    expect(board.runs).toEqual([]);
  });

  it('continues an interrupted turn within the limits of this session, not of its author', async () => {
    const { operations } = await file([callTools(call('A')), callTools(call('B')), done], {
      limits: { maxRounds: 900 },
    });
    const { session } = await here(
      upTo(operations, 'roundCompleted'),
      [callTools(call('C')), callTools(call('D'))],
      {
        limits: { maxRounds: 2 },
      },
    );
    expect(await codeOf(session.resume())).toBe('max-rounds');
  });

  it('ignores extensions of its author: the user is asked again', async () => {
    const limits = { maxRounds: 1, onTrip: 'ask' } as const;
    const { operations } = await file(
      [callTools(call('A')), callTools(call('B')), done],
      { limits },
      async ({ session }) => {
        session.pendingExtension.subscribe((request) => void request?.extend());
        await session.send('Go');
      },
    );
    const { session } = await here(upTo(operations, 'extensionResolved'), [done], { limits });
    const end = codeOf(session.resume());
    await settle();
    expect(session.pendingExtension.value).toMatchObject({ limit: 'maxRounds', allowed: 1 });
    await session.pendingExtension.value!.end();
    await end;
  });

  it("ignores its author's approvals of provider-hosted tools", async () => {
    const hosted = { tool: 'zip.shorten', args: { url: 'a' }, id: 'mcpr_a', hosted: true } as const;
    const { operations, saved } = await file([callTools(hosted), done], {}, async ({ session }) => {
      session.pendingConfirmation.subscribe((request) => void request?.approve());
      await session.send('Go');
    });
    const settled = await here(upTo(operations, 'toolCompleted'), [done]);
    await settled.session.resume();
    const after = await here(fold(initialState(), operations), [done]);
    const reopened = await hereSaved(saved, [done]);
    await after.session.send('Next');
    await reopened.session.send('Next');
    for (const { provider } of [settled, after, reopened]) {
      const parts = provider.requests.flatMap(({ messages }) => messages.flatMap((message) => message.parts));
      const calls = parts.filter((part) => part.type === 'tool-call');
      expect(calls).toMatchObject([{ tool: 'zip.shorten', hosted: true }]);
      expect(calls[0]).not.toHaveProperty('providerCallId');
    }
  });

  it('the middleware of this session decides about an imported answer', async () => {
    const passes: Middleware = { name: 'gate', beforeToolCalls: () => ({ reject: [] }) as never };
    const { operations } = await file([callTools(call('B')), done], { middleware: [passes] });
    const seen: string[] = [];
    const gate: Middleware = {
      name: 'gate',
      beforeToolCalls: (calls) => {
        seen.push(...calls.map(({ tool }) => tool));
        return undefined;
      },
    };
    const { session } = await here(upTo(operations, 'middlewareActed'), [done], { middleware: [gate] });
    const end = session.resume();
    // The code of middleware is fetched first.
    const question = await vi.waitUntil(() => session.pendingConfirmation.value);
    await question.deny();
    await end;
    expect(seen).toEqual(['board.add']);
  });

  it('keeps what the model reads: messages, files, marks of compactions', async () => {
    const long = 'word '.repeat(600);
    const answers = [say(long), say(long), say(long), say('A summary.')];
    const { operations, saved } = await file(answers, {}, async ({ session }) => {
      const rows = new File(['Rows.'], 'rows.txt', { type: 'text/plain' });
      for (const text of ['One', 'Two', 'Three']) await session.send({ text, files: [rows] });
      await session.compact();
    });
    for (const one of [
      await here(fold(initialState(), operations), [done]),
      await hereSaved(saved, [done]),
    ]) {
      expect(one.session.compactions.value).toHaveLength(1);
      expect(Object.keys(one.session.attachments.value).length).toBeGreaterThan(0);
      await one.session.send('Next');
      expect(JSON.stringify(one.provider.requests[0]!.messages)).toContain('A summary.');
    }
  });

  it('is refused if it is not a saved conversation', () => {
    expect(() => importedConversation({ version: 2 } as never)).toThrow('This is no saved conversation');
    expect(() => importedConversation({ version: 99 } as never)).toThrow('newer');
  });
});

describe('audit-X2 the data of an effect', () => {
  const tool = (removed: string[]) =>
    defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      undo: {
        data: {
          type: 'object',
          properties: { title: { type: 'string', maxLength: 20 }, note: { type: 'string' } },
          required: ['title'],
          additionalProperties: false,
        },
        describe: ({ title }: { readonly title: string }) => `Added "${title}"`,
        revert: ({ title }: { readonly title: string }) => void removed.push(title),
        reapply: ({ title }: { readonly title: string }) => void removed.push(`again ${title}`),
      },
      async execute({ title }, context) {
        await context.undo({ description: `Added "${title}"`, data: { title } });
      },
    });

  async function saved(change: (text: string) => string) {
    const { session } = createSession([callTools(call('Plan')), done], {
      domains: [{ id: 'board', tools: [tool([])] }],
    });
    await session.send('Go');
    const conversation = JSON.parse(change(JSON.stringify(session.save()))) as SavedConversation;
    const removed: string[] = [];
    const one = createSession([], { conversation, domains: [{ id: 'board', tools: [tool(removed)] }] });
    await opened(one.session);
    return { ...one, removed };
  }

  it('if it does not fit the schema of its tool, nothing is undone or redone', async () => {
    const { session, removed } = await saved((text) =>
      text.replaceAll('"data":{"title":"Plan"}', '"data":{"title":"Plan","path":"admin/role"}'),
    );
    const report = await session.undo();
    expect(removed).toEqual([]);
    expect(report).toMatchObject({
      done: [],
      failed: [
        { reason: expect.stringContaining('The record of this effect does not fit its tool') as string },
      ],
    });
  });

  it('a null that the data schema does not allow does not fit', async () => {
    const { session, removed } = await saved((text) =>
      text.replaceAll('"data":{"title":"Plan"}', '"data":{"title":"Plan","note":null}'),
    );
    expect((await session.undo()).failed).toHaveLength(1);
    expect(removed).toEqual([]);
  });

  it('if it fits, the effect can be undone and redone', async () => {
    const { session, removed } = await saved((text) => text);
    await session.undo();
    await session.redo();
    expect(removed).toEqual(['Plan', 'again Plan']);
  });

  it('a stored effect is described from its data, if its tool can do so', async () => {
    const { session } = await saved((text) =>
      text.replaceAll('"data":{"title":"Plan"}', '"data":{"title":"Salary table"}'),
    );
    expect(session.undoEntries.value[0]?.effects).toMatchObject([{ description: 'Added "Salary table"' }]);
    expect((await session.undo()).done).toMatchObject([{ description: 'Added "Salary table"' }]);
  });

  it('a stored effect is lost if its tool cannot describe it', async () => {
    const { session } = await saved((text) => text.replaceAll('"data":{"title":"Plan"}', '"data":null'));
    expect(session.undoEntries.value).toMatchObject([{ undoable: false, lost: true }]);
    expect(session.canUndo.value).toBe(false);
  });

  it('needs an object schema and a function that describes it', () => {
    const add = tool([]);
    const domains = (undo: object) => [
      { id: 'board', tools: [{ ...add, undo: { ...add.undo, ...undo } as never }] },
    ];
    expect(() => createSession([], { domains: domains({ data: { type: 'string' } }) })).toThrow('undo.data');
    expect(() => createSession([], { domains: domains({ describe: 'x' }) })).toThrow('undo.describe');
  });
});
