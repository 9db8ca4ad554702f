import { effect, type AgentSession } from '@banister/session';
import { describe, expect, it, test } from 'vitest';
import { recordingRunner } from '../test/recording-runner.js';
import { bindingConformance, type MountedView, type MountView } from './binding-conformance.js';

/** The smallest possible framework: it renders at once whenever a value that it reads has changed. */
function plainView(reads: (session: AgentSession) => unknown = () => {}): MountView {
  return <T>(
    session: AgentSession,
    read: (session: AgentSession) => T,
    show: (value: T) => string,
    isEqual: (a: T, b: T) => boolean = Object.is,
  ): MountedView => {
    let text = '';
    let renders = 0;
    let shown: T;
    const follow = (followed: AgentSession) =>
      effect(() => {
        reads(followed);
        const value = read(followed);
        if (renders > 0 && isEqual(shown, value)) return;
        shown = value;
        renders++;
        text = show(value);
      });
    let dispose = follow(session);
    return {
      text: () => text,
      renders: () => renders,
      flush: () => {},
      unmount: () => dispose(),
      rerender(other) {
        dispose();
        dispose = follow(other);
      },
    };
  };
}

bindingConformance('a plain effect', plainView(), { describe, it });

/** Runs the suite against a binding. Resolves with the tests that failed and the tests that were skipped. */
async function outcomeOf(mount: MountView, skip = {}) {
  const failed: string[] = [];
  const runner = recordingRunner();
  bindingConformance('spoiled', mount, runner, { skip, mounts: 5 });
  for (const [name, body] of runner.bodies) {
    try {
      await body();
    } catch {
      failed.push(name);
    }
  }
  return { failed, skipped: runner.skipped };
}

/** A binding whose views are changed in one way. */
const spoiled =
  (spoil: (view: MountedView) => Partial<MountedView>): MountView =>
  async (...given) => {
    const view = await plainView()(...given);
    return { ...view, ...spoil(view) };
  };

describe('the binding conformance suite', () => {
  test('reports declared gaps as skipped, with the reason', async () => {
    const { failed, skipped } = await outcomeOf(plainView(), { 'other-session': 'Views are made anew.' });
    expect(failed).toEqual([]);
    expect(skipped).toEqual([expect.stringContaining('(gap: Views are made anew.)')]);
  });

  test('finds a binding that cannot switch to another session, and does not declare this gap', async () => {
    const { failed } = await outcomeOf(spoiled(() => ({ rerender: undefined })));
    expect(failed).toEqual([expect.stringContaining('follows another session')]);
  });

  test('finds a binding that never updates', async () => {
    const frozen = spoiled(({ text }) => {
      const first = text();
      return { text: () => first };
    });
    expect((await outcomeOf(frozen)).failed).toContain('shows each published value');
  });

  test('finds a binding that ignores the given comparison', async () => {
    const { failed } = await outcomeOf((session, read, show) => plainView()(session, read, show));
    expect(failed).toEqual(['keeps the earlier result when the next one is equal to it']);
  });

  test('finds a binding that renders before the frame', async () => {
    // It listens to the operations when they happen, instead of waiting for the publication.
    const hasty: MountView = (session, read, show) => {
      let text = show(read(session));
      let renders = 1;
      const drawn = session.operations$.subscribe(() => {
        text = show(session.state.currentText as Parameters<typeof show>[0]);
        renders++;
      });
      return {
        text: () => text,
        renders: () => renders,
        flush: () => {},
        unmount: () => drawn.unsubscribe(),
      };
    };
    expect((await outcomeOf(hasty)).failed).toContain(
      'renders once a frame while text streams, and not before the frame',
    );
  });

  test('finds a binding whose views share their results', async () => {
    let last = '';
    const shared = spoiled(({ text }) => ({ text: () => (last = text() || last) }));
    expect((await outcomeOf(shared)).failed).toContain('keeps two sessions on one page apart');
  });

  test('finds a binding that stays subscribed', async () => {
    const { failed } = await outcomeOf(spoiled(() => ({ unmount: () => {} })));
    expect(failed).toEqual(
      expect.arrayContaining([
        expect.stringContaining('neither renders nor listens'),
        expect.stringContaining('leaves no subscription behind'),
      ]),
    );
  });

  test('finds a binding that renders for a signal that no view reads', async () => {
    const eager: MountView = (session, read, show) => {
      let renders = 0;
      let text = '';
      const dispose = effect(() => {
        void session.currentText.value;
        void session.phase.value;
        text = show(read(session));
        renders++;
      });
      return { text: () => text, renders: () => renders, flush: () => {}, unmount: dispose };
    };
    expect((await outcomeOf(eager)).failed).toEqual(
      expect.arrayContaining([
        expect.stringContaining('does not render for signals that it does not read'),
        expect.stringContaining('gives the same result'),
        expect.stringContaining('keeps its identity'),
      ]),
    );
  });

  test('finds a binding that renders a list twice at a switch', async () => {
    // It follows two signals that change together, but renders for each.
    const twice: MountView = (session, read, show) => {
      let renders = -1;
      let text = '';
      const render = () => {
        text = show(read(session));
        renders++;
      };
      const disposers = [session.turns, session.headTurnId].map((signal) => signal.subscribe(render));
      return {
        text: () => text,
        renders: () => renders,
        flush: () => {},
        unmount: () => disposers.forEach((dispose) => dispose()),
      };
    };
    expect((await outcomeOf(twice)).failed).toContain(
      'renders the list of turns once when the session goes to another branch',
    );
  });

  test('finds a binding that renders once for each signal', async () => {
    const torn: MountView = (session, read, show) => {
      let renders = 0;
      let text = '';
      const render = () => {
        text = show(read(session));
        renders++;
      };
      render();
      const signals = [
        session.phase,
        session.isRunning,
        session.currentText,
        session.turns,
        session.lastOutcome,
      ];
      const disposers = signals.map((signal) => {
        let first = true;
        return effect(() => {
          void signal.value;
          if (!first) render();
          first = false;
        });
      });
      const unmount = () => disposers.forEach((dispose) => dispose());
      return { text: () => text, renders: () => renders, flush: () => {}, unmount };
    };
    expect((await outcomeOf(torn)).failed).toContain(
      'renders at most once per publication, however much changed',
    );
  });
});
