import type { Clock } from '@banister/provider';
import { Bell } from './bell.js';
import type { Changes } from './changes.js';

/** The interval between two looks at the log, in milliseconds. */
const AGAIN_MS = 250;

/** For changes by other processes, which send no message: readers look again at an interval. */
export class Polling implements Changes {
  private readonly bells = new Set<{ readonly id: string; readonly bell: Bell }>();
  private stopTimer = () => {};

  /** @param hasChanged whether the log may have changed elsewhere after the last call */
  constructor(
    private readonly clock: Clock,
    private readonly hasChanged: () => boolean = () => true,
  ) {}

  announce(id: string): void {
    for (const one of this.bells) if (one.id === id) one.bell.ring();
  }

  follow(id: string, signal: AbortSignal): Bell {
    const one = { id, bell: new Bell() };
    if (signal.aborted) return one.bell;
    this.bells.add(one);
    if (this.bells.size === 1) this.look();
    signal.addEventListener('abort', () => {
      this.bells.delete(one);
      if (this.bells.size === 0) this.stopTimer();
    });
    return one.bell;
  }

  private look(): void {
    this.stopTimer = this.clock.schedule(() => {
      if (this.hasChanged()) for (const { bell } of this.bells) bell.ring();
      this.look();
    }, AGAIN_MS);
  }
}
