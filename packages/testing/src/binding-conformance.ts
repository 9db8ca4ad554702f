import { createAgentSession, effect, type AgentSession } from '@handrail/session';
import { assert, assertEqual } from './assert.js';
import { countedSession } from './counted-session.js';
import { gate } from './gate.js';
import { createManualScheduler } from './manual-scheduler.js';
import { fail, say } from './scripted-answer.js';
import { scriptedProvider, type AnswerSource } from './scripted-provider.js';
import { createSequentialIds } from './sequential-ids.js';
import { settle } from './settle.js';
import type { TestRunner } from './test-runner.js';
import { createVirtualClock } from './virtual-clock.js';

/** A view on the screen. */
export interface MountedView {
  /** What it shows now. */
  text(): string;
  /** How often it rendered, the first time included. Count commits: what strict modes render twice counts once. */
  renders(): number;
  /** Resolves when the framework has rendered everything that it knows of. */
  flush(): void | Promise<void>;
  unmount(): void | Promise<void>;
  /** Gives the same view another session; where views cannot do so, declare the gap `other-session`. */
  rerender?(session: AgentSession): void | Promise<void>;
}

/**
 * Mounts a view that reads a value from a session through the binding, and shows it as text.
 *
 * @param read reads signals of the session, to be tracked by the binding
 * @param show turns the value into the text to render; call it in each render
 */
export type MountView = <T>(
  session: AgentSession,
  read: (session: AgentSession) => T,
  show: (value: T) => string,
) => MountedView | Promise<MountedView>;

/** What the suite proves, by name, for `skip`. */
export type BindingFact =
  | 'initial-value'
  | 'updates'
  | 'one-render'
  | 'unread'
  | 'same-result'
  | 'same-object'
  | 'no-tearing'
  | 'teardown'
  | 'remount'
  | 'late-attach'
  | 'error'
  | 'dispose'
  | 'many-mounts'
  | 'other-session';

export interface BindingConformanceOptions {
  /** Facts that do not hold for this binding, each with the reason. They are reported as skipped. */
  readonly skip?: { readonly [F in BindingFact]?: string };
  /** Views that are mounted to look for leaks, a hundred at a time. Default 1,000. */
  readonly mounts?: number;
}

/**
 * Defines the tests that every view binding must pass. A fact that does not hold must be declared in `skip`.
 *
 * @param name of the binding, for the report
 * @param mount mounts a view that reads through the binding
 * @param runner of tests: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * bindingConformance('react', (session, read, show) => {
 *   let renders = 0;
 *   const View = ({ session }) => <p>{show(useSession(session, read))}</p>;
 *   const tree = (of) => <Profiler id="view" onRender={() => renders++}><View session={of} /></Profiler>;
 *   const view = render(tree(session));
 *   return {
 *     text: () => view.container.textContent,
 *     renders: () => renders,
 *     flush: () => act(async () => {}),
 *     unmount: () => view.unmount(),
 *     rerender: (other) => view.rerender(tree(other)),
 *   };
 * }, { describe, it });
 */
export function bindingConformance(
  name: string,
  mount: MountView,
  { describe, it }: TestRunner,
  { skip = {}, mounts = 1_000 }: BindingConformanceOptions = {},
): void {
  describe(`${name} as a view binding`, () => {
    for (const { fact, description, prove } of facts) {
      const reason = skip[fact];
      if (reason !== undefined) it.skip(`${description} (gap: ${reason})`, () => {});
      else {
        it(description, async () => {
          const stage = new Stage(mount);
          try {
            await prove(stage, mounts);
          } finally {
            await stage.clear();
          }
        });
      }
    }
  });
}

/** A session that a test plays, and the views in front of it. */
class Stage {
  private readonly mount: MountView;
  private readonly mounted = new Set<MountedView>();
  private readonly sessions: AgentSession[] = [];

  constructor(mount: MountView) {
    this.mount = mount;
  }

  play(...answers: readonly AnswerSource[]): Play {
    const started = play(answers);
    this.sessions.push(started.original);
    return started;
  }

  async view<T>(
    session: AgentSession,
    read: (session: AgentSession) => T,
    show: (value: T) => string = String,
  ): Promise<MountedView> {
    const view = await this.mount(session, read, show);
    this.mounted.add(view);
    await view.flush();
    return view;
  }

  /** Many at once, and one flush: it waits for everything that the framework knows of. */
  async views(
    count: number,
    session: AgentSession,
    read: (session: AgentSession) => string,
  ): Promise<readonly MountedView[]> {
    const views: MountedView[] = [];
    for (let index = 0; index < count; index++) {
      const view = await this.mount(session, read, String);
      this.mounted.add(view);
      views.push(view);
    }
    await views.at(-1)?.flush();
    return views;
  }

  async unmount(view: MountedView): Promise<void> {
    this.mounted.delete(view);
    await view.unmount();
  }

  async clear(): Promise<void> {
    for (const view of this.mounted) await view.unmount();
    for (const session of this.sessions) await session.dispose();
  }
}

/** One session, played step by step: nothing happens and nothing is published but what a test asks for. */
interface Play {
  /** For the view; it counts who listens. */
  readonly session: AgentSession;
  /** The session behind it, for the test's own effects. */
  readonly original: AgentSession;
  /** Signals that somebody listens to. */
  watched(): number;
  /** Lets something happen, until nothing more does, and publishes what has arrived. */
  go(happen: () => unknown): Promise<void>;
}

function play(answers: readonly AnswerSource[]): Play {
  const scheduler = createManualScheduler();
  const original = createAgentSession({
    provider: scriptedProvider(answers),
    ports: { clock: createVirtualClock(), ids: createSequentialIds(), scheduler },
  });
  const counted = countedSession(original);
  return {
    session: counted.session,
    original,
    watched: () => counted.watched,
    async go(happen) {
      happen();
      await settle();
      scheduler.frame();
    },
  };
}

interface Fact {
  readonly fact: BindingFact;
  readonly description: string;
  prove(stage: Stage, mounts: number): Promise<void>;
}

/** Views on the screen at the same time. */
const AT_ONCE = 100;

const text = (session: AgentSession): string => session.currentText.value;

/** An answer in pieces, each behind a gate that the test opens. */
function stepwise(...pieces: readonly string[]) {
  const gates = pieces.map(gate);
  const answer = say(pieces.flatMap((piece, index) => [gates[index]!, piece]));
  return { answer, open: (index: number) => () => gates[index]?.open() };
}

const facts: readonly Fact[] = [
  {
    fact: 'initial-value',
    description: 'shows the current value in its first render',
    async prove(stage) {
      const { session, go } = stage.play('Hello.');
      await go(() => session.send('Hi'));
      const view = await stage.view(session, text);
      assertEqual(view.text(), 'Hello.', 'the text');
      assertEqual(view.renders(), 1, 'renders');
    },
  },
  {
    fact: 'updates',
    description: 'shows each published value',
    async prove(stage) {
      const { answer, open } = stepwise('one ', 'two ', 'three');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, text);
      assertEqual(view.text(), '', 'the text before the turn');
      await go(() => session.send('Count'));
      for (const [index, expected] of ['one ', 'one two ', 'one two three'].entries()) {
        await go(open(index));
        await view.flush();
        assertEqual(view.text(), expected, `the text after step ${index + 1}`);
      }
    },
  },
  {
    fact: 'one-render',
    description: 'renders at most once per publication, however much changed',
    async prove(stage) {
      const { answer, open } = stepwise('a'.repeat(40), 'b', 'c');
      const { session, original, go } = stage.play(answer);
      const read = (of: AgentSession) =>
        [of.phase, of.isRunning, of.currentText, of.turns, of.liveTurn, of.lastOutcome, of.canUndo]
          .map((signal) => JSON.stringify(signal.value))
          .join();
      let publications = -1; // the first run of an effect is no change
      const dispose = effect(() => {
        read(original);
        publications++;
      });
      const view = await stage.view(session, read);
      await go(() => session.send('Go'));
      for (const index of [0, 1, 2]) {
        await go(open(index));
        await view.flush();
      }
      dispose();
      const renders = view.renders() - 1;
      assert(renders <= publications, `${renders} renders for ${publications} publications`);
      assertEqual(view.text(), read(session), 'the text');
    },
  },
  {
    fact: 'unread',
    description: 'does not render for signals that it does not read',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, (of) => of.canUndo.value);
      await go(() => session.send('Count'));
      await go(open(0));
      await go(open(1));
      await view.flush();
      assertEqual(view.renders(), 1, 'renders');
    },
  },
  {
    fact: 'same-result',
    description: 'does not render when what it reads gives the same result',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two', 'three', 'four');
      const { session, go } = stage.play(answer);
      const view = await stage.view(session, (of) => of.currentText.value.length > 0);
      await go(() => session.send('Count'));
      for (const index of [0, 1, 2, 3]) {
        await go(open(index));
        await view.flush();
      }
      assertEqual(view.text(), 'true', 'the text');
      assertEqual(view.renders(), 2, 'renders');
    },
  },
  {
    fact: 'same-object',
    description: 'does not render when the object that it reads keeps its identity',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, go } = stage.play(answer);
      const view = await stage.view(
        session,
        (of) => of.turns.value,
        (turns) => `${turns.length} turns`,
      );
      await go(() => session.send('Count'));
      await go(open(0));
      await view.flush();
      assertEqual(view.renders(), 1, 'renders while the turn runs');
      await go(open(1));
      await view.flush();
      assertEqual(view.text(), '1 turns', 'the text');
      assertEqual(view.renders(), 2, 'renders after the turn');
    },
  },
  {
    fact: 'no-tearing',
    description: 'never shows a mixture of two publications',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, original, go } = stage.play(answer);
      const read = (of: AgentSession) =>
        `${of.isRunning.value}|${of.phase.value}|${of.currentText.value}|${of.turns.value.length}`;
      const published = new Set<string>();
      const dispose = effect(() => void published.add(read(original)));
      const shown: string[] = [];
      const view = await stage.view(session, read, (value) => {
        shown.push(value);
        return value;
      });
      await go(() => session.send('Count'));
      for (const index of [0, 1]) {
        await go(open(index));
        await view.flush();
      }
      dispose();
      const torn = shown.filter((value) => !published.has(value));
      assertEqual(torn, [], 'values that nobody published');
    },
  },
  {
    fact: 'teardown',
    description: 'neither renders nor listens after it was unmounted',
    async prove(stage) {
      const { answer, open } = stepwise('one', 'two');
      const { session, watched, go } = stage.play(answer);
      let shown = 0;
      const view = await stage.view(session, text, (value) => {
        shown++;
        return value;
      });
      await go(() => session.send('Count'));
      await go(open(0));
      await view.flush();
      assert(watched() > 0, 'a mounted view listens');
      await stage.unmount(view);
      assertEqual(watched(), 0, 'signals that are still listened to');
      const before = shown;
      await go(open(1));
      await view.flush();
      assertEqual(shown, before, 'renders');
    },
  },
  {
    fact: 'remount',
    description: 'shows the current value when it is mounted again, and follows it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two', ' three');
      const { session, go } = stage.play(answer);
      const first = await stage.view(session, text);
      await go(() => session.send('Count'));
      await go(open(0));
      await first.flush();
      await stage.unmount(first);
      await go(open(1));
      const second = await stage.view(session, text);
      assertEqual(second.text(), 'one two', 'the text when mounted again');
      await go(open(2));
      await second.flush();
      assertEqual(second.text(), 'one two three', 'the text afterwards');
    },
  },
  {
    fact: 'late-attach',
    description: 'joins a running turn with everything so far, and changes nothing about it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two');
      const { session, go } = stage.play(answer);
      await go(() => session.send('Count'));
      await go(open(0));
      const view = await stage.view(session, (of) => `${of.phase.value}: ${of.currentText.value}`);
      assertEqual(view.text(), 'streaming: one', 'the text when mounted');
      await go(open(1));
      await view.flush();
      assertEqual(view.text(), 'idle: one two', 'the text at the end');
    },
  },
  {
    fact: 'error',
    description: 'shows the error of a failed turn, until the next turn starts',
    async prove(stage) {
      const { session, go } = stage.play(fail('auth'), 'Better.');
      const view = await stage.view(session, (of) => of.lastError.value?.code ?? 'no error');
      assertEqual(view.text(), 'no error', 'the text before');
      await go(() => session.send('Hi'));
      await view.flush();
      assertEqual(view.text(), 'auth', 'the text after the failure');
      await go(() => session.send('Hi'));
      await view.flush();
      assertEqual(view.text(), 'no error', 'the text after the next turn');
    },
  },
  {
    fact: 'dispose',
    description: 'keeps its last value when the session is disposed of under it',
    async prove(stage) {
      const { answer, open } = stepwise('one', ' two');
      const { session, watched, go } = stage.play(answer);
      const view = await stage.view(session, (of) => `${of.isRunning.value}: ${of.currentText.value}`);
      await go(() => session.send('Count'));
      await go(open(0));
      await session.dispose();
      await view.flush();
      assertEqual(view.text(), 'false: one', 'the text');
      await stage.unmount(view);
      assertEqual(watched(), 0, 'signals that are still listened to');
    },
  },
  {
    fact: 'many-mounts',
    description: 'leaves no subscription behind, however many views came and went',
    async prove(stage, mounts) {
      const { answer, open } = stepwise('one', ' two');
      const { session, watched, go } = stage.play(answer);
      await go(() => session.send('Count'));
      await go(open(0));
      for (let mounted = 0; mounted < mounts; mounted += AT_ONCE) {
        const views = await stage.views(Math.min(AT_ONCE, mounts - mounted), session, text);
        assert(watched() > 0, 'mounted views listen');
        assertEqual([...new Set(views.map((view) => view.text()))], ['one'], 'what the views show');
        for (const view of views) await stage.unmount(view);
        assertEqual(watched(), 0, 'signals that are still listened to');
      }
      await go(open(1));
    },
  },
  {
    fact: 'other-session',
    description: 'follows another session when it is given one, and lets go of the first',
    async prove(stage) {
      const { answer, open } = stepwise('first', ' more');
      const first = stage.play(answer);
      const second = stage.play('second');
      await first.go(() => first.session.send('Hi'));
      await first.go(open(0));
      const view = await stage.view(first.session, text);
      assert(view.rerender !== undefined, 'the fixture cannot rerender; declare the gap "other-session"');
      await view.rerender(second.session);
      await view.flush();
      assertEqual(view.text(), '', 'the text of the second session before its turn');
      assertEqual(first.watched(), 0, 'signals of the first session that are still listened to');
      await second.go(() => second.session.send('Hi'));
      await first.go(open(1));
      await view.flush();
      assertEqual(view.text(), 'second', 'the text of the second session');
    },
  },
];
