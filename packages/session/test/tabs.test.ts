// An idle writer gives its log to the session whose user begins something.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, gate, say, settle, stall } from '@banister/testing';
import { defineDomain, defineTool, effect, type SessionLog } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { interruptedCommand, refusal } from '../src/session/command-messages.js';
import { addCard, createBoard } from './board.js';
import { dataBoard } from './data-board.js';
import { id, logWorld, type LogWorld } from './log-world.js';
import { codeOf, type OpenedSession } from './opened.js';

const roles = (...all: readonly OpenedSession[]) => all.map(({ session }) => session.link.value.role);

/** Checks that the log is valid, and that all sessions have its state; then disposes them. */
async function close({ clock, stored }: LogWorld, ...all: readonly OpenedSession[]) {
  await clock.advance(2_000);
  const operations = await stored();
  expect(checkOrder(operations)).toEqual([]);
  for (const { session } of all) expect(session.state).toEqual(fold(initialState(), operations));
  for (const { session, reported } of all) {
    await session.dispose();
    expect(reported).toEqual([]);
  }
  expect(clock.pending).toBe(0);
}

describe('a writer that is idle', () => {
  it('hands its log to the session that sends, so that tools run in the tab that the user sees', async () => {
    const tabs = logWorld();
    const boards = [dataBoard(), dataBoard()] as const;
    const one = await tabs.open([say('One.')], { domains: [boards[0].domain()] });
    const two = await tabs.open([callTools('', addCard('A')), say('Two.')], {
      domains: [boards[1].domain()],
    });
    await one.session.send('1');
    expect((await two.session.send('2')).text).toBe('Two.');
    expect(roles(one, two)).toEqual(['follower', 'writer']);
    expect(boards.map(({ cards }) => cards.length)).toEqual([0, 1]);
    expect((await tabs.stored()).filter(({ type }) => type === 'ownerChanged')).toMatchObject([
      { epoch: 1, reason: 'opened' },
      { epoch: 2, reason: 'hand-over' },
    ]);
    await close(tabs, one, two);
  });

  it('gets the log back when its user sends, and may hand it over again', async () => {
    const tabs = logWorld();
    const one = await tabs.open([say('1.'), say('3.')]);
    const two = await tabs.open([say('2.'), say('4.')]);
    const texts: string[] = [];
    for (const [index, { session }] of [one, two, one, two].entries()) {
      texts.push((await session.send(String(index))).text);
      expect(session.link.value.role).toBe('writer');
    }
    expect(texts).toEqual(['1.', '2.', '3.', '4.']);
    await close(tabs, one, two);
  });

  it('the turn is shown as starting until its first operation', async () => {
    const tabs = logWorld();
    const one = await tabs.open();
    const two = await tabs.open([say('Hello.')]);
    const running: boolean[] = [];
    const stop = effect(() => void running.push(two.session.isRunning.value));
    await two.session.send('Hi');
    stop();
    expect(running).toEqual([false, true, false]);
    await close(tabs, one, two);
  });

  it('commands of a follower are carried out in call order when it becomes the writer', async () => {
    const tabs = logWorld();
    const one = await tabs.open();
    const two = await tabs.open([stall('Hello')]);
    const sent = codeOf(two.session.send('Hi'));
    const again = codeOf(two.session.send('Hi again'));
    const cancelled = two.session.cancel();
    expect(await again).toBe('already-running');
    expect(await cancelled).toMatchObject({ cancelled: true });
    expect(await sent).toBe('cancelled');
    expect(two.session.turns.value).toHaveLength(1);
    await close(tabs, one, two);
  });

  it('commands that its user gives during the hand-over are carried out once, by the next writer', async () => {
    const tabs = logWorld();
    const one = await tabs.open([say('One.')]);
    const two = await tabs.open([say('Two.')]);
    const theirs = two.session.send('2');
    // The writer is about to give the log away.
    for (let ticks = 0; one.session.link.value.role === 'writer' && ticks < 1_000; ticks++) await undefined;
    const own = codeOf(one.session.send('1'));
    const queued = one.session.dequeue('none');
    expect((await theirs).text).toBe('Two.');
    expect(await own).toBe('already-running');
    expect(await queued).toBe(false);
    expect((await one.session.send('1')).text).toBe('One.');
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await close(tabs, one, two);
  });

  it('if two sessions send at once, one gets the log, and the other is refused with `already-running`', async () => {
    const tabs = logWorld();
    const one = await tabs.open();
    const two = await tabs.open([say('Two.')]);
    const three = await tabs.open([say('Three.')]);
    const codes = await Promise.all([codeOf(two.session.send('2')), codeOf(three.session.send('3'))]);
    expect(codes.sort()).toEqual(['already-running', 'resolved']);
    expect(roles(one, two, three).sort()).toEqual(['follower', 'follower', 'writer']);
    expect(one.session.turns.value).toHaveLength(1);
    await close(tabs, one, two, three);
  });

  it('F7 a command that arrives three times is carried out once, in call order', async () => {
    const tabs = logWorld((log) => ({
      channel: (name) => {
        const channel = log.channel!(name);
        return {
          ...channel,
          post(message) {
            for (let times = 0; times < 3; times++) channel.post(message);
          },
        };
      },
    }));
    const board = dataBoard();
    const options = { domains: [board.domain()] };
    const one = await tabs.open([callTools('', addCard('B')), say('One.')], options);
    const two = await tabs.open([callTools('', addCard('A')), say('Two.')], options);
    const sent = two.session.send('2');
    const again = codeOf(two.session.send('2'));
    expect((await sent).text).toBe('Two.');
    expect(await again).toBe('already-running');
    expect((await one.session.send('1')).text).toBe('One.');
    expect(board.cards.length).toBe(2);
    expect((await two.session.undo()).done).toHaveLength(1);
    expect(board.cards.length).toBe(1);
    await close(tabs, one, two);
  });

  it('keeps its log at commands that start nothing', async () => {
    const tabs = logWorld();
    const one = await tabs.open();
    const two = await tabs.open();
    expect(await two.session.cancel()).toMatchObject({ cancelled: false });
    expect(await two.session.dequeue('none')).toBe(false);
    expect(await two.session.requeue('none', {})).toBe(false);
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await close(tabs, one, two);
  });

  it('carries out an undo itself if only it has the closures', async () => {
    const tabs = logWorld();
    const board = createBoard();
    const options = { domains: [board.domain()] };
    const one = await tabs.open([callTools('', addCard('A')), say('Done.')], options);
    const two = await tabs.open([say('Two.')], options);
    await one.session.send('Add A');
    expect((await two.session.undo()).done).toHaveLength(1);
    expect((await two.session.redo()).done).toHaveLength(1);
    expect([roles(one, two), board.titles]).toEqual([['writer', 'follower'], ['A']]);
    await two.session.send('2');
    expect(roles(one, two)).toEqual(['follower', 'writer']);
    expect(await codeOf(one.session.undo())).toBe('nothing-to-undo');
    expect(one.session.undoEntries.value).toMatchObject([{ lost: true, undoable: false }]);
    await close(tabs, one, two);
  });

  it('effects with data are undone by the session that has the log, even after a hand-over and back', async () => {
    const tabs = logWorld();
    const board = dataBoard();
    const options = { domains: [board.domain()] };
    const one = await tabs.open([callTools('', addCard('A')), say('Done.'), say('Back.')], options);
    const two = await tabs.open([say('Two.')], options);
    await one.session.send('Add A');
    expect((await two.session.undo()).done).toHaveLength(1);
    expect([roles(one, two), board.cards.length]).toEqual([['follower', 'writer'], 0]);
    expect((await one.session.redo()).done).toHaveLength(1);
    expect([roles(one, two), board.cards.length]).toEqual([['writer', 'follower'], 1]);
    expect((await two.session.undo()).done).toHaveLength(1);
    expect(board.cards).toEqual([]);
    await close(tabs, one, two);
  });

  it('if a session leaves before it takes the log, the previous writer keeps it', async () => {
    const tabs = logWorld();
    const one = await tabs.open([say('One.')]);
    const two = await tabs.open([say('Two.')]);
    const sent = codeOf(two.session.send('2'));
    await two.session.dispose();
    expect(await sent).toBe('disposed');
    await tabs.clock.advance(2_000);
    expect(roles(one)).toEqual(['writer']);
    expect((await one.session.send('1')).text).toBe('One.');
    await close(tabs, one);
  });

  it('if it is disposed during the hand-over, the other session has the log at once', async () => {
    const tabs = logWorld((log) => ({
      append: async (...args) => {
        await settle(5);
        return log.append(...args);
      },
    }));
    const one = await tabs.open();
    const two = await tabs.open([say('Two.')]);
    const sent = two.session.send('2');
    for (let ticks = 0; ticks < 30; ticks++) await undefined;
    await one.session.dispose();
    expect((await sent).text).toBe('Two.');
    expect(roles(two)).toEqual(['writer']);
    await close(tabs, two);
  });
});

describe('a writer with work of its own', () => {
  it('carries out the commands of others in the middle of a turn', async () => {
    const tabs = logWorld();
    const wait = gate();
    const one = await tabs.open([say(['Hel', wait, 'lo.']), say('Next.')]);
    const two = await tabs.open();
    const sent = one.session.send('1');
    await settle();
    const queued = two.session.enqueue('2');
    await tabs.clock.advance(100);
    wait.open();
    expect((await sent).text).toBe('Hello.');
    await tabs.clock.advance(100);
    expect(await queued).toBe('completed');
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await close(tabs, one, two);
  });

  it('keeps its log while a promise waits for a message in its paused queue', async () => {
    const tabs = logWorld();
    const one = await tabs.open([stall('Hello'), say('Queued.'), say('Sent.')]);
    const two = await tabs.open();
    void one.session.send('1');
    await settle();
    const queued = one.session.enqueue('2');
    await one.session.cancel();
    expect((await two.session.send('3')).text).toBe('Queued.');
    await two.session.resumeQueue();
    await tabs.clock.advance(100);
    expect(await queued).toBe('completed');
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await close(tabs, one, two);
  });

  it('does not start a queued message after the next writer resumes the queue', async () => {
    const tabs = logWorld();
    const one = await tabs.open([stall('Hello'), say('One.')]);
    const two = await tabs.open([say('Two.')]);
    void one.session.send('1').catch(() => {});
    await settle();
    const steered = one.session.steer('2');
    await one.session.cancel();
    expect(await steered).toBe('queued');
    await two.session.resumeQueue();
    await tabs.clock.advance(1_000);
    expect(roles(one, two)).toEqual(['follower', 'writer']);
    expect(two.session.currentText.value).toBe('Two.');
    expect([one.provider.requests.length, two.provider.requests.length]).toEqual([1, 1]);
    await close(tabs, one, two);
  });

  it('a writer with a late tool, or with a promise in its queue, keeps its log', async () => {
    const tabs = logWorld();
    let finish = () => {};
    const slow = defineTool({
      name: 'slow',
      description: 'Does not stop.',
      parameters: { type: 'object', properties: {} },
      execute: () => new Promise<void>((done) => (finish = done)),
    });
    const domains = [defineDomain({ id: 'board', tools: [slow] })];
    const one = await tabs.open([callTools('', { tool: 'board.slow', args: {} }), say('From one.')], {
      domains,
    });
    const two = await tabs.open([say('From two.')], { domains });
    const sent = codeOf(one.session.send('1'));
    await tabs.clock.advance(100);
    await one.session.cancel({ immediate: true });
    expect(await sent).toBe('cancelled');
    expect((await two.session.send('2')).text).toBe('From one.');
    finish();
    await settle();
    expect((await two.session.send('3')).text).toBe('From two.');
    await close(tabs, one, two);
  });

  it('keeps its log while it has unsaved operations', async () => {
    let isBroken = false;
    const tabs = logWorld((log) => ({
      append: (...args) => (isBroken ? Promise.reject(new Error('Full.')) : log.append(...args)),
    }));
    const one = await tabs.open([say('2.'), say('3.')]);
    const two = await tabs.open([say('4.')]);
    isBroken = true;
    await one.session.send('1').catch(() => {});
    expect(one.session.link.value.saved).toBe(false);
    expect((await two.session.send('2')).text).toBe('2.');
    isBroken = false;
    expect((await two.session.send('3')).text).toBe('3.');
    await settle();
    expect(one.session.link.value.saved).toBe(true);
    expect((await two.session.send('4')).text).toBe('4.');
    expect(roles(one, two)).toEqual(['follower', 'writer']);
    await close(tabs, one, two);
  });

  it('stays the writer if its remaining operations cannot be written', async () => {
    let isBroken = false;
    const tabs = logWorld((log) => ({
      append: (...args) => (isBroken ? Promise.reject(new Error('Full.')) : log.append(...args)),
    }));
    const one = await tabs.open([say('One.'), say('One more.')]);
    const two = await tabs.open([say('Two.')]);
    isBroken = true;
    one.session.configure({ role: 'Be brief.' });
    const sent = codeOf(two.session.send('2'));
    await settle();
    expect(one.session.link.value).toEqual({ role: 'writer', open: true, saved: false });
    expect(await sent).toBe('resolved');
    isBroken = false;
    expect((await two.session.send('3')).text).toBe('One more.');
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await close(tabs, one, two);
  });
});

describe('a follower', () => {
  it('an idle follower claims nothing: the log wakes it up', async () => {
    let claims = 0;
    const tabs = logWorld((log) => ({
      claim: (...args) => {
        claims++;
        return log.claim(...args);
      },
    }));
    const one = await tabs.open();
    const two = await tabs.open();
    await tabs.clock.advance(60_000);
    expect(claims).toBe(2);
    await one.session.dispose();
    await settle();
    expect(roles(two)).toEqual(['writer']);
    expect(claims).toBe(3);
    await close(tabs, two);
  });

  it('claims repeatedly if the log cannot wait for the lease', async () => {
    const tabs = logWorld(() => ({ freed: undefined as never, channel: undefined as never }));
    const one = await tabs.open();
    const two = await tabs.open();
    await one.session.dispose();
    await tabs.clock.advance(1_700);
    expect(roles(two)).toEqual(['writer']);
    await close(tabs, two);
  });

  it('waits for the next writer if another session was faster', async () => {
    const tabs = logWorld();
    const all = [await tabs.open(), await tabs.open(), await tabs.open(), await tabs.open()];
    for (let left = all.length; left > 1; left--) {
      const writer = all.find(({ session }) => session.link.value.role === 'writer')!;
      all.splice(all.indexOf(writer), 1);
      await writer.session.dispose();
      await tabs.clock.advance(2_000);
      expect(roles(...all).filter((role) => role === 'writer')).toHaveLength(1);
    }
    await close(tabs, ...all);
  });

  it('keeps claiming if the log cannot wait', async () => {
    const tabs = logWorld(() => ({ freed: () => Promise.reject(new Error('No.')) }));
    const one = await tabs.open();
    const two = await tabs.open();
    await one.session.dispose();
    await tabs.clock.advance(2_000);
    expect(roles(two)).toEqual(['writer']);
    await close(tabs, two);
  });
});

describe('a follower', () => {
  it('sends a command that has no receipt to the next writer, and shows its turn until the receipt', async () => {
    const tabs = logWorld();
    await tabs.log.claim(id, 'elsewhere', 600_000);
    const { session } = await tabs.open();
    const writer = tabs.log.channel!(id);
    const messages = writer.messages(new AbortController().signal)[Symbol.asyncIterator]();
    const sent = codeOf(session.send('Hi'));
    const { value: command } = await messages.next();
    expect([session.isRunning.value, session.phase.value]).toEqual([true, 'preparing']);
    writer.post({ began: command!['id']! });
    writer.post({ writer: true });
    expect((await messages.next()).value).toMatchObject({ command: 'send', id: command!['id'] });
    expect([session.isRunning.value, session.phase.value]).toEqual([true, 'preparing']);
    const { error } = refusal(command!['id'] as string, interruptedCommand());
    writer.post({ receipt: command!['id']!, error: error! });
    expect(await sent).toBe('interrupted');
    expect([session.isRunning.value, session.phase.value]).toEqual([false, 'idle']);
    await session.dispose();
  });

  it('the signal of its turn ends only that turn', async () => {
    const tabs = logWorld();
    const one = await tabs.open([stall('One'), stall('Two')]);
    const two = await tabs.open();
    const aborter = new AbortController();
    const sent = codeOf(one.session.send('1'));
    await settle();
    const refused = codeOf(two.session.send('2', { signal: aborter.signal }));
    aborter.abort();
    expect(await refused).toBe('already-running');
    await tabs.clock.advance(100);
    expect(one.session.currentText.value).toBe('One');
    // It keeps its log for the message in its queue.
    const queued = one.session.enqueue('3');
    await one.session.cancel();
    expect(await sent).toBe('cancelled');
    const last = new AbortController();
    const begun = codeOf(two.session.send('4', { signal: last.signal }));
    await tabs.clock.advance(100);
    expect(two.session.currentText.value).toBe('Two');
    last.abort();
    expect(await begun).toBe('cancelled');
    expect(roles(one, two)).toEqual(['writer', 'follower']);
    await one.session.dequeue(one.session.queue.value[0]!.id);
    expect(await queued).toBe('cancelled');
    await close(tabs, one, two);
  });

  it('gets the end of a turn with its text and messages, even if it reads the end while taking the log', async () => {
    const tabs = logWorld();
    let isSlow = false;
    const log: SessionLog = {
      ...tabs.log,
      async *tail(name, after, signal) {
        for await (const record of tabs.log.tail(name, after, signal)) {
          if (isSlow) await new Promise(() => {});
          yield record;
        }
      },
    };
    const one = await tabs.open([say('Hello.')]);
    const two = await tabs.open([], { log });
    isSlow = true;
    await one.session.send('Hi');
    const [ended] = one.operations.filter(({ type }) => type === 'completed');
    await one.session.dispose();
    await tabs.clock.advance(100);
    expect(roles(two)).toEqual(['writer']);
    expect(two.operations.filter(({ type }) => type === 'completed')).toEqual([ended]);
    await close(tabs, two);
  });
});
