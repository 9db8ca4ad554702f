import { effect, type AgentSession } from '@banister/session';
import { signal, type ReadonlySignal } from '@banister/session/signals';
import type { Clock } from '@banister/provider';
import { frames, type Frame, type Stage } from './frames.js';
import type { GuideLine } from './guide-line.js';
import { planFrames } from './plan-frames.js';
import type { ReadingPace } from './reading-pace.js';
import type { WatchInput } from './watch-input.js';

/** What a scenario plays: the first minute, or a plan for a release. */
export type ScenarioName = 'minute' | 'plan';

/**
 * A scenario, played with the session's own commands when the visitor asks for it. It is not a recording: the
 * turns, the questions and the undo are real, and stay when the visitor takes over.
 */
export interface Scenario {
  readonly isPlaying: ReadonlySignal<boolean>;
  /** Plays from the start; does nothing while it plays. Any input, and switching to another chat, ends it. */
  start(name: ScenarioName): void;
  /** Ends it at once. A running turn continues, and an open question stays open. */
  takeOver(): void;
  /** Ends it without a last line. */
  dispose(): void;
}

export interface ScenarioOptions extends Pick<Stage, 'questions' | 'turnUndo'> {
  readonly session: ReadonlySignal<AgentSession>;
  readonly guide: Pick<GuideLine, 'say' | 'clear'>;
  readonly pace: ReadingPace;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly watchInput: WatchInput;
}

export const YOUR_TURN = 'Your turn. Ask for a change, stop it half-way, or undo it.';

export function createScenario(options: ScenarioOptions): Scenario {
  const { session, guide } = options;
  const isPlaying = signal(false);
  /** Aborts the scenario that plays; null if none plays. */
  let run: AbortController | null = null;
  let stopWatching = (): void => {};

  const end = (): void => {
    run?.abort();
    run = null;
    stopWatching();
    isPlaying.value = false;
  };
  const endWithWords = (): void => {
    if (run === null) return;
    end();
    guide.say('yours', YOUR_TURN);
  };

  return {
    isPlaying,

    start(name) {
      if (run !== null || session.peek().isRunning.peek()) return;
      const playing = (run = new AbortController());
      isPlaying.value = true;
      const of = session.peek();
      const stopInput = options.watchInput(endWithWords);
      const stopChat = effect(() => {
        // Another chat is shown, which has its own guide line.
        if (session.value !== of) queueMicrotask(() => run === playing && end());
      });
      stopWatching = () => {
        stopInput();
        stopChat();
      };
      const stage = stageOf(options, of, playing.signal);
      void play(name === 'plan' ? planFrames : frames, stage, playing.signal, endWithWords);
    },

    takeOver: endWithWords,

    dispose() {
      if (run !== null) guide.clear();
      end();
    },
  };
}

/** @param atEnd called unless the signal has fired */
async function play(
  played: readonly Frame[],
  stage: Stage,
  signal: AbortSignal,
  atEnd: () => void,
): Promise<void> {
  for (const frame of played) {
    const goesOn = await frame(stage).catch(() => false);
    if (signal.aborted) return;
    if (!goesOn) break;
  }
  atEnd();
}

function stageOf(
  { guide, questions, turnUndo, pace, clock }: ScenarioOptions,
  session: AgentSession,
  signal: AbortSignal,
): Stage {
  /**
   * Returns a promise that settles when `start` calls `done`, or rejects with the signal. `start` returns its
   * clean-up function.
   */
  const orTakenOver = (start: (done: () => void) => () => void): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error('The user has taken over.'));
      const onAbort = (): void => {
        stop();
        reject(new Error('The user has taken over.'));
      };
      const stop = start(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });

  return {
    session,
    questions,
    turnUndo,
    caption(text, beside) {
      if (!signal.aborted) guide.say('playing', text, beside);
    },
    pause: (length) => orTakenOver((done) => clock.schedule(done, pace[length])),
    until: (isReached) =>
      orTakenOver((done) => {
        let isOver = false;
        const stop = effect(() => {
          if (isOver || !isReached()) return;
          isOver = true;
          // Not inside the effect, because the frame then changes signals.
          queueMicrotask(() => {
            stop();
            done();
          });
        });
        return () => {
          isOver = true;
          stop();
        };
      }),
  };
}
