// Tools have a title.
import { describe, expect, it } from 'vitest';
import { callInside, callTools, finishWith, say, settle, stall, type AnswerSource } from '@banister/testing';
import {
  confirmCapabilities,
  confirmTools,
  createAgentSession,
  createMirror,
  defineGuard,
  defineDomain,
  type Domain,
  type GuardedCall,
  type SavedConversation,
  type Tool,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { toMarkdown } from '@banister/session/export';
import { atOperation, fixture, names } from './fixture.js';
import { createSession, opened, recordsOf } from './opened.js';

const publish: Tool = {
  name: 'publish',
  title: 'Publish the board',
  description: 'Makes the board public.',
  parameters: { type: 'object' },
  replay: 'ask',
  execute: () => 'It is public.',
};
const domains: readonly Domain[] = [{ id: 'board', tools: [publish] }];
const call = callTools({ tool: 'board.publish' });
const titled = { tool: 'board.publish', title: 'Publish the board' };

/** The operations of a turn whose tool does not return. */
async function cutLog(answers: readonly AnswerSource[] = [call]) {
  const hanging = { ...publish, execute: () => new Promise<never>(() => {}) };
  const { session, operations } = createSession(answers, { domains: [{ id: 'board', tools: [hanging] }] });
  session.send('Go').catch(() => {});
  await settle();
  const log = operations.map((operation) => [operation]);
  await session.dispose({ turn: 'leave' });
  return recordsOf(log);
}

describe('the title of a tool', () => {
  it('is on its calls from their first piece on, and in the record', async () => {
    await using f = fixture([call, say('Done.')], { domains });
    const seen: unknown[] = [];
    atOperation(f.session, 'toolCallPartial', (operation) => {
      seen.push(operation);
      expect(f.session.activeToolCalls.value).toMatchObject([{ ...titled, state: 'assembling' }]);
    });
    await f.session.send('Go');
    expect(seen).toMatchObject([titled]);
    expect(f.session.turns.value[0]?.rounds[0]?.parts).toMatchObject([{ ...titled, state: 'settled' }]);
  });

  it('is in the log once per call', async () => {
    const args = { note: 'an argument of several pieces' };
    const whole = callTools({ tool: 'board.publish', args });
    const inside = finishWith('stop', callInside({ tool: 'board.publish', args }), 'Done.');
    for (const answers of [[whole, say('Done.')], [inside]]) {
      await using f = fixture(answers, { domains });
      await f.session.send('Go');
      const pieces = f.observed.operations.filter(({ type }) => type === 'toolCallPartial');
      expect(pieces.map((one) => 'title' in one)).toEqual(pieces.map((_, index) => index === 0));
      expect(pieces.length).toBeGreaterThan(answers.length - 1);
    }
  });

  it('is in the question about a call, and in the words of the built-in guards', async () => {
    const reasons = [];
    for (const guard of [confirmTools('board.publish'), confirmCapabilities('mutating')]) {
      await using f = fixture([call, say('Done.')], { domains, guards: [guard] });
      const turn = f.session.send('Go');
      await settle();
      const ask = f.session.pendingConfirmation.value!;
      expect(ask.call).toMatchObject(titled);
      reasons.push(ask.reason);
      await ask.approve();
      await turn;
    }
    expect(reasons).toEqual([
      'The agent wants to run “Publish the board”.',
      'The agent wants to run “Publish the board” (mutating).',
    ]);
  });

  it('is passed to guards; without a title the field is absent', async () => {
    const calls: GuardedCall[] = [];
    const guard = defineGuard('watch', (one) => {
      calls.push(one);
      return 'allow';
    });
    const plain = { ...publish, name: 'plain', title: undefined };
    await using f = fixture([callTools({ tool: 'board.publish' }, { tool: 'board.plain' }), say('Done.')], {
      domains: [{ id: 'board', tools: [publish, plain] }],
      guards: [guard],
    });
    await f.session.send('Go');
    expect(calls.map((one) => one.title)).toEqual(['Publish the board', undefined]);
    const [first, second] = f.session.turns.value[0]!.rounds[0]!.parts;
    expect('title' in first!).toBe(true);
    expect('title' in second!).toBe(false);
  });

  it('describes an effect without a description, in the record, in the undo entries and in the report', async () => {
    await using f = fixture([call, say('Done.')], { domains });
    await f.session.send('Go');
    expect(names(f.session.turns.value[0]!.effects)).toEqual(['Publish the board']);
    expect(names(f.session.undoEntries.value.flatMap(({ effects }) => effects))).toEqual([titled.title]);
    await using cut = fixture([call, stall('…')], { domains });
    const turn = cut.session.send('Go');
    turn.catch(() => {});
    await settle();
    const { undo } = await cut.session.cancel();
    expect(names(undo.irreversible)).toEqual(['Publish the board']);
  });

  it('is shown by a mirror, by a session without the tools and by a saved conversation', async () => {
    await using f = fixture([call, say('Done.')], { domains });
    await f.session.send('Go');
    const log = f.observed.operations;
    const mirror = createMirror(initialState());
    mirror.fold(JSON.parse(JSON.stringify(log)));
    const restored = { snapshot: null, records: recordsOf([log]) };
    const reader = createSession([], { restored });
    await opened(reader.session);
    const conversation = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    const later = createAgentSession({ provider: f.provider, conversation });
    for (const { turns } of [mirror.signals, reader.session, later])
      expect(turns.value[0]?.rounds[0]?.parts).toMatchObject([titled]);
    for (const session of [reader.session, later]) await session.dispose();
  });

  it('for an interrupted call comes from the log, in the question and in the report', async () => {
    const restored = { snapshot: null, records: await cutLog() };
    const { session } = createSession([say('Done.')], { domains, restored });
    await opened(session);
    const resumed = session.resume();
    await settle();
    expect(session.pendingConfirmation.value).toMatchObject({
      reason: '“Publish the board” was interrupted. Run it again?',
      because: { code: 'rerun' },
      call: titled,
    });
    await session.pendingConfirmation.value!.approve();
    await resumed;
    await session.dispose();

    const bare = createSession([], { restored: { snapshot: null, records: await cutLog() } });
    await opened(bare.session);
    expect(names((await bare.session.abandon()).unknown)).toEqual(['Publish the board']);
    await bare.session.dispose();
  });

  it('is in an export, beside the id', async () => {
    await using f = fixture([call, say('Done.')], { domains });
    await f.session.send('Go');
    expect(toMarkdown(f.session.state)).toContain('Tool `board.publish` (Publish the board): success');
  });

  it.each(['', '  ', 7, null, () => 'Publish'])(
    'is refused at registration if it is not a string: %s',
    (title) => {
      const domain = { id: 'board', tools: [{ ...publish, title: title as never }] };
      expect(() => defineDomain(domain)).toThrow('The tool "board.publish": title');
    },
  );
});
