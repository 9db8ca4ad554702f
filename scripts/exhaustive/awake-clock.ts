/** The interval between two looks at the clock, in milliseconds, if no code asks for the time. */
const TICK = 10;

/** A clock that stands still while its process does. */
export interface AwakeClock extends Disposable {
  /** Milliseconds; only the difference of two has a meaning. */
  now(): number;
}

/**
 * Starts a clock that leaves out the time in which other processes use the processor. So it measures how soon this process reacts, and
 * not how busy the machine is. The process's own work counts, and its waiting too.
 */
export function startAwakeClock(): AwakeClock {
  let looked = performance.now();
  let spent = spentMs();
  let stoodStill = 0;
  const now = () => {
    const [time, work] = [performance.now(), spentMs()];
    // A process that waits is woken by the timer.
    stoodStill += Math.max(0, time - looked - TICK - (work - spent));
    [looked, spent] = [time, work];
    return time - stoodStill;
  };
  const timer = setInterval(now, TICK);
  return { now, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Milliseconds of processor time of this process. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
