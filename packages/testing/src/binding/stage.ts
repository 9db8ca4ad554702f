import { createAgentSession, type AgentSession } from '@banister/session';
import { countedSession } from '../counted-session.js';
import { gate } from '../gate.js';
import { createManualScheduler } from '../manual-scheduler.js';
import { say } from '../scripted-answer.js';
import { scriptedProvider, type AnswerSource } from '../scripted-provider.js';
import { createSequentialIds } from '../sequential-ids.js';
import { settle } from '../settle.js';
import { createVirtualClock } from '../virtual-clock.js';
import type { MountedView, MountView } from './mounted-view.js';

/** A session that a test plays, and its views. */
export class Stage {
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
    isEqual?: (a: T, b: T) => boolean,
  ): Promise<MountedView> {
    const view = await this.mount(session, read, show, isEqual);
    this.mounted.add(view);
    await view.flush();
    return view;
  }

  /** Mounts many views, then flushes once: a flush renders all changes that the framework knows of. */
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

/** A session that is played step by step: nothing happens or is published unless the test asks for it. */
export interface Play {
  /** The session for the view. It counts its signals that have subscribers. */
  readonly session: AgentSession;
  /** The session without counting, for the test's own effects. */
  readonly original: AgentSession;
  /** The number of signals that have subscribers. */
  watched(): number;
  /** Calls the function, and waits until everything has settled. Changes that wait for a frame are not published. */
  happen(happen: () => unknown): Promise<void>;
  /** Like `happen`, and then ends the frame. */
  go(happen: () => unknown): Promise<void>;
}

function play(answers: readonly AnswerSource[]): Play {
  const scheduler = createManualScheduler();
  const original = createAgentSession({
    provider: scriptedProvider(answers),
    ports: { clock: createVirtualClock(), ids: createSequentialIds(), scheduler },
  });
  const counted = countedSession(original);
  const started = async (happen: () => unknown) => {
    happen();
    await settle();
  };
  return {
    session: counted.session,
    original,
    watched: () => counted.watched,
    happen: started,
    async go(happen) {
      await started(happen);
      scheduler.frame();
    },
  };
}

/** Reads the signal that most views read. */
export const text = (session: AgentSession): string => session.currentText.value;

/** An answer in pieces. Each piece waits for a gate that the test opens. */
export function stepwise(...pieces: readonly string[]) {
  return streamed(pieces, 1);
}

/** Like `stepwise`, but each piece arrives `times` times in a row. */
export function streamed(pieces: readonly string[], times: number) {
  const gates = pieces.map(gate);
  const answer = say(pieces.flatMap((piece, index) => [gates[index]!, ...Array<string>(times).fill(piece)]));
  return { answer, open: (index: number) => () => gates[index]?.open() };
}
