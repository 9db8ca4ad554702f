// Edits by the app and the user clear redo.
import { describe, expect, it } from 'vitest';
import { gate, spyTool, say, callTools, settle } from '@banister/testing';
import type { Domain, SavedConversation } from '@banister/session';
import { fixture, rejection } from './fixture.js';
import { logWorld } from './log-world.js';
import { paintedCards, paintTurn, type PaintedOptions } from './painted.js';

/** An app of cards that reports each change at once, as a store does. */
function reportingCards() {
  const cards = paintedCards('A', 'B');
  const listeners = new Set<() => void>();
  const { paint, colours } = cards;
  return {
    colours,
    listeners,
    /** Paints a card, as the user. */
    paint(card: string, colour: string) {
      paint(card, colour);
      this.report();
    },
    report() {
      for (const listener of listeners) listener();
    },
    domain(options: PaintedOptions = {}): Domain {
      const domain = cards.domain(options);
      const [tool] = domain.tools;
      const report = () => this.report();
      return {
        ...domain,
        // The session's own changes are reported too.
        tools: [
          {
            ...tool!,
            execute(args, context) {
              void tool!.execute(args, context);
              report();
            },
            undo: {
              async revert(data, context) {
                await tool!.undo!.revert(data, context);
                report();
              },
              reapply(data, context) {
                void tool!.undo!.reapply!(data, context);
                report();
              },
            },
          },
        ],
        subscribe(changed) {
          listeners.add(changed);
          return () => void listeners.delete(changed);
        },
      };
    },
  };
}

const twoTurns = [...paintTurn(['A', 'red']), ...paintTurn(['B', 'red'])];

describe('a domain that reports changes', () => {
  it.each(['none', 'counter', 'content'] as const)(
    'clears redo at an edit of the user, but not at changes by the session; revision: %s',
    async (revision) => {
      const cards = reportingCards();
      await using f = fixture(twoTurns, { domains: [cards.domain({ revision })] });
      await f.session.send('1');
      await f.session.send('2');
      await f.session.undo();
      await f.session.redo();
      await f.session.undo();
      await f.session.undo();
      expect(f.session.canRedo.value).toBe(true);
      cards.paint('A', 'black');
      expect(f.session.canRedo.value).toBe(false);
      expect((await rejection(f.session.redo({ force: true }))).code).toBe('nothing-to-undo');
      expect(cards.colours).toEqual({ A: 'black', B: 'white' });
      expect(f.observed.operations.filter(({ type }) => type === 'domainTouched')).toHaveLength(1);
    },
  );

  it("with a revision may report the session's own changes late", async () => {
    const cards = reportingCards();
    await using f = fixture(paintTurn(['A', 'red']), { domains: [cards.domain()] });
    await f.session.send('1');
    await f.session.undo();
    cards.report();
    expect(f.session.canRedo.value).toBe(true);
    await f.session.redo();
    expect(cards.colours['A']).toBe('red');
  });

  it('causes no operation if no turn of the domain is undone', async () => {
    const cards = reportingCards();
    await using f = fixture([...twoTurns, callTools({ tool: 'mail.send' }), say('Sent.')], {
      domains: [
        cards.domain(),
        {
          id: 'mail',
          tools: [
            spyTool('send', {
              execute: (_args, { undo }) => undo({ description: 'Sent', revert() {}, reapply() {} }),
            }),
          ],
        },
      ],
    });
    await f.session.send('1');
    cards.paint('B', 'black');
    await f.session.send('2');
    await f.session.send('3');
    await f.session.undo();
    cards.paint('B', 'white');
    expect(f.session.canRedo.value).toBe(true);
    expect(f.observed.operations.map(({ type }) => type)).not.toContain('domainTouched');
  });

  it('is unsubscribed when it is removed or the session is disposed', async () => {
    const [one, two] = [reportingCards(), reportingCards()];
    const f = fixture([], { domains: [one.domain()] });
    expect([one.listeners.size, two.listeners.size]).toEqual([1, 0]);
    f.session.configure({ domains: [two.domain()] });
    expect([one.listeners.size, two.listeners.size]).toEqual([0, 1]);
    await f.session.dispose();
    expect([one.listeners.size, two.listeners.size]).toEqual([0, 0]);
    await f[Symbol.asyncDispose]();
  });

  it('may call the listener while it is being subscribed; that does not count as a change', async () => {
    const cards = paintedCards('A');
    const domain = {
      ...cards.domain({ revision: 'none' }),
      subscribe(changed: () => void) {
        changed();
        return () => {};
      },
    };
    await using f = fixture(paintTurn(['A', 'red']), { domains: [domain] });
    await f.session.send('1');
    await f.session.undo();
    const saved = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using g = fixture([], { domains: [domain], conversation: saved });
    await settle();
    expect(g.session.canRedo.value).toBe(true);
  });

  it('is reported if its `subscribe` throws, and the session stays usable', async () => {
    const cards = paintedCards('A');
    const subscribe = () => {
      throw new Error('no store');
    };
    await using f = fixture(paintTurn(['A', 'red']), {
      domains: [{ ...cards.domain(), subscribe }],
      reportsErrors: true,
    });
    expect(f.reported.map(String)).toEqual(['Error: no store']);
    await f.session.send('1');
    expect(cards.colours).toEqual({ A: 'red' });
  });

  it('is refused if `subscribe` is not a function', () => {
    const domain = { ...paintedCards('A').domain(), subscribe: 5 as never };
    expect(() => fixture([], { domains: [domain] })).toThrow('subscribe');
  });
});

describe('touch', () => {
  const unversioned = () => {
    const cards = paintedCards('A', 'B');
    return { cards, domains: [cards.domain({ revision: 'none' })] };
  };

  it('clears redo in a domain without a revision, at once', async () => {
    const { cards, domains } = unversioned();
    await using f = fixture(paintTurn(['A', 'red']), { domains });
    await f.session.send('1');
    await f.session.undo();
    f.session.touch('mail');
    expect(f.session.canRedo.value).toBe(true);
    cards.paint('A', 'black');
    f.session.touch('cards');
    expect(f.session.canRedo.value).toBe(false);
    expect((await rejection(f.session.redo())).code).toBe('nothing-to-undo');
    expect(cards.colours['A']).toBe('black');
  });

  it('is needed in a domain without revision and reports; otherwise redo is offered until the next turn', async () => {
    const { cards, domains } = unversioned();
    await using f = fixture([...paintTurn(['A', 'red']), say('Hello.')], { domains });
    await f.session.send('1');
    await f.session.undo();
    cards.paint('A', 'black');
    expect(f.session.canRedo.value).toBe(true);
    await f.session.redo();
    expect(cards.colours['A']).toBe('red');
    await f.session.undo();
    await f.session.send('2');
    expect(f.session.canRedo.value).toBe(false);
  });

  it('clears redo for turns that depend on a turn that can no longer be redone, even in another domain', async () => {
    const { domains } = unversioned();
    const mail = spyTool('send', {
      execute: (_args, { undo }) => undo({ description: 'Sent', revert() {}, reapply() {} }),
    });
    const both = [
      callTools({ tool: 'cards.paint', args: { card: 'A', colour: 'red' } }, { tool: 'mail.send' }),
      say('Done.'),
    ];
    await using f = fixture([...both, callTools({ tool: 'mail.send' }), say('Sent.')], {
      domains: [...domains, { id: 'mail', tools: [mail] }],
    });
    await f.session.send('1');
    await f.session.send('2');
    await f.session.undo();
    await f.session.undo();
    f.session.touch('cards');
    expect(f.session.undoEntries.value.map(({ redoable }) => redoable)).toEqual([false, false]);
    expect(f.session.canRedo.value).toBe(false);
  });

  it('during an undo clears redo of the turn that is being undone', async () => {
    const waiting = gate();
    const cards = paintedCards('A');
    const domain = cards.domain({ revision: 'none', wait: () => waiting.pass() });
    await using f = fixture(paintTurn(['A', 'red']), { domains: [domain] });
    await f.session.send('1');
    const undone = f.session.undo();
    await waiting.reached;
    f.session.touch('cards');
    expect(f.session.canUndo.value).toBe(false);
    waiting.open();
    await undone;
    expect(cards.colours).toEqual({ A: 'white' });
    expect(f.session.canRedo.value).toBe(false);
  });

  it('still has its effect after a reload', async () => {
    const { cards, domains } = unversioned();
    await using f = fixture(twoTurns, { domains });
    await f.session.send('1');
    await f.session.send('2');
    await f.session.undo();
    const open = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    f.session.touch('cards');
    const closed = JSON.parse(JSON.stringify(f.session.save())) as SavedConversation;
    await using g = fixture([], { domains, conversation: open });
    expect(g.session.canRedo.value).toBe(true);
    g.session.touch('cards');
    await settle();
    expect(g.session.canRedo.value).toBe(false);
    await using h = fixture([], { domains, conversation: closed });
    expect(h.session.canRedo.value).toBe(false);
    expect(h.session.canUndo.value).toBe(true);
    expect(cards.colours).toEqual({ A: 'red', B: 'white' });
  });

  it('with a value that is not a string, or after the disposal, is refused', async () => {
    const f = fixture([]);
    expect(() => f.session.touch(5 as never)).toThrow('touch');
    await f[Symbol.asyncDispose]();
    expect(() => f.session.touch('cards')).toThrow('disposed');
  });

  it('works by command from a follower, which can also undo a turn by its id', async () => {
    const tabs = logWorld();
    const { cards, domains } = unversioned();
    const one = await tabs.open(twoTurns, { domains });
    const two = await tabs.open([], { domains });
    await one.session.send('1');
    await one.session.send('2');
    await tabs.clock.advance(2_000);
    const [first] = two.session.turns.value;
    await two.session.undo({ turnId: first!.id });
    expect(cards.colours).toEqual({ A: 'white', B: 'red' });
    const tab = (role: string) => [one, two].find(({ session }) => session.link.value.role === role)!.session;
    await tabs.clock.advance(2_000);
    expect(tab('follower').canRedo.value).toBe(true);
    tab('follower').touch('cards');
    await tabs.clock.advance(2_000);
    expect([tab('writer'), tab('follower')].map(({ canRedo }) => canRedo.value)).toEqual([false, false]);
    for (const { session } of [one, two]) await session.dispose();
  });
});
