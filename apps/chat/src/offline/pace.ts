/** How fast the model writes: pauses in milliseconds. */
export interface Pace {
  /** The pause before the first word of an answer. */
  readonly start: number;
  readonly thought: number;
  readonly word: number;
  /** The pause between two fragments of arguments. */
  readonly fragment: number;
}

export const humanPace: Pace = { start: 240, thought: 24, word: 26, fragment: 26 };

/** For demonstrations, and for tests that act in the middle of a step. */
export const slowPace: Pace = { start: 300, thought: 60, word: 100, fragment: 80 };

/** For tests, so that they do not wait. */
export const fastPace: Pace = { start: 5, thought: 0, word: 0, fragment: 0 };

/** Waits. Rejects as soon as the signal fires. For 0 ms no timer is set. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const cut = () => {
      clearTimeout(timer);
      reject(new DOMException('The request was aborted.', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', cut);
      resolve();
    }, ms);
    if (signal.aborted) cut();
    else signal.addEventListener('abort', cut, { once: true });
  });
}

/** The factor by which an agent is slower than the model of the chat. The user needs the time to tell an agent something while the agent writes. */
const AGENT_FACTOR = 3;

/** Returns the pace of an agent. The pace of the agent changes whenever the given pace changes. */
export function paceOfAgent(pace: Pace): Pace {
  return {
    get start() {
      return pace.start * AGENT_FACTOR;
    },
    get thought() {
      return pace.thought * AGENT_FACTOR;
    },
    get word() {
      return pace.word * AGENT_FACTOR;
    },
    get fragment() {
      return pace.fragment;
    },
  };
}
