// The snapshot of a log and the result of `save()` have one form, and one reader.
import {
  createAgentSession,
  immediate,
  SAVED_VERSION,
  type Operation,
  type SavedConversation,
  type SessionState,
} from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { readLog, savedState } from '@banister/session/log';
import { exportPath, importedConversation, toMarkdown } from '@banister/session/export';
import { callTools, say, scriptedProvider, settle, stall } from '@banister/testing';
import { describe, expect, it } from 'vitest';
import { addCard, createBoard } from './board.js';
import { fixture, rejection } from './fixture.js';

const copyOf = (saved: SavedConversation) => JSON.parse(JSON.stringify(saved)) as SavedConversation;
const read = (saved: SavedConversation) => readLog({ snapshot: copyOf(saved), records: [] });

/** A session whose second turn runs, with a message in its queue. */
async function running() {
  const f = fixture([callTools(addCard('A')), say('Added.'), stall('Half an ans')], {
    domains: [createBoard().domain()],
    looseScript: true,
    leavesTimers: true,
  });
  await f.session.send('Add A');
  const turn = rejection(f.session.send('And B'));
  const waiting = rejection(f.session.enqueue('And C'));
  await f.clock.advance(100);
  await settle();
  const end = async () => {
    await f.session.cancel({ immediate: true });
    await turn;
    await f.session.dispose();
    await waiting;
  };
  return { f, end };
}

describe('the state of a session as a saved conversation', () => {
  it('has nothing beside the conversation for a new session', () => {
    expect(savedState(initialState()).session).toEqual({ fold: {} });
  });

  it('has each text once, except for the last answer, and is read as the same state', async () => {
    const provider = scriptedProvider([say('The first answer.'), say('The last answer.')]);
    await using session = createAgentSession({ provider, ports: { scheduler: immediate() } });
    await session.send('The first question');
    await session.send('The last question');
    const text = JSON.stringify(savedState(session.state));
    for (const once of ['The first answer.', 'The first question', 'The last question'])
      expect(text.split(once).length - 1, once).toBe(1);
    expect(text.split('The last answer.').length - 1).toBe(2);
    expect(read(savedState(session.state))).toMatchObject({ problem: null, state: session.state });
  });

  it('is folded on like the state itself', async () => {
    const provider = scriptedProvider([say('One.'), say('Two.')]);
    await using session = createAgentSession({ provider, ports: { scheduler: immediate() } });
    await session.send('First');
    const { state } = read(savedState(session.state));
    const operations: Operation[] = [];
    session.operations$.subscribe((operation) => operations.push(operation));
    await session.send('Second');
    expect(fold(state, operations)).toEqual(session.state);
  });

  it('has the running turn and the queue, and is read as the same state', async () => {
    const { f, end } = await running();
    const { state, problem } = read(savedState(f.session.state));
    expect(problem).toBeNull();
    expect(JSON.parse(JSON.stringify(state))).toEqual(JSON.parse(JSON.stringify(f.session.state)));
    expect(state).toMatchObject({ liveTurn: { status: 'running' }, queue: [{ input: 'And C' }] });
    await end();
  });

  it('has the effects of its turns, also without its own notes of them', async () => {
    await using f = fixture([callTools(addCard('A')), say('Added.')], { domains: [createBoard().domain()] });
    await f.session.send('Add A');
    const { state } = read({ ...f.session.save(), session: { fold: {} } });
    expect(state.undoEntries).toMatchObject([{ effects: [{ description: 'Added A' }] }]);
  });

  it('is the result of save with the rest of the state', async () => {
    await using f = fixture([callTools(addCard('A')), say('Added.')], { domains: [createBoard().domain()] });
    await f.session.send('Add A');
    const { session: _rest, ...conversation } = savedState(f.session.state);
    expect(conversation).toEqual(f.session.save());
  });
});

describe('the snapshot of a log as the option conversation', () => {
  it('brings the turns, and neither the queue nor the mode', async () => {
    const saved = copyOf(
      savedState({ ...(await idleState()), mode: 'plan', queue: [waiting], queuePaused: true }),
    );
    expect(saved.session).toMatchObject({ mode: 'plan' });
    await using session = createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    expect(session.state).toMatchObject({ mode: null, queue: [], queuePaused: false, turns: [{}] });
  });

  it('is refused while a turn runs, with the place, and is a document nevertheless', async () => {
    const { f, end } = await running();
    const saved = copyOf(savedState(f.session.state));
    const open = () => createAgentSession({ provider: scriptedProvider([]), conversation: saved });
    for (const act of [open, () => exportPath(saved), () => importedConversation(saved)])
      expect(act).toThrow(
        'This is no saved conversation: turns: the last turn is running: open its log instead.',
      );
    expect(toMarkdown(saved)).toBe(toMarkdown(f.session.state));
    await end();
  });

  it.each<[string, (saved: SavedConversation) => object, RegExp]>([
    [
      'that has nothing else of its session',
      ({ session: _gone, ...rest }) => rest,
      /turns\[1\]\.record\.status/,
    ],
    [
      'that is not the head',
      (saved) => ({ ...saved, head: saved.turns[0]!.record.id }),
      /turns\[1\]\.record\.status/,
    ],
    [
      'that has an outcome',
      (saved) => JSON.parse(JSON.stringify(saved).replace('"outcome":null', '"outcome":{"status":"failed"}')),
      /turns\[1\]\.record\.outcome: it does not fit the status/,
    ],
  ])('with a running turn %s is damaged', async (_what, damage, place) => {
    const { f, end } = await running();
    const { problem } = read(damage(savedState(f.session.state)) as SavedConversation);
    expect(problem).toMatchObject({ code: 'storage', details: { reason: 'damaged' } });
    expect(String((problem as Error).cause)).toMatch(place);
    await end();
  });
});

describe('a log whose snapshot a newer release stored', () => {
  it('is unsupported, and not damaged', async () => {
    const saved = { ...savedState(await idleState()), version: SAVED_VERSION + 2 };
    expect(read(saved).problem).toMatchObject({
      code: 'unsupported',
      details: { version: SAVED_VERSION + 2, supported: SAVED_VERSION + 1 },
    });
  });
});

const waiting = { id: 'message_9', input: 'Later', steering: false };

async function idleState(): Promise<SessionState> {
  await using session = createAgentSession({ provider: scriptedProvider([say('Hello.')]) });
  await session.send('Hi');
  return session.state;
}
