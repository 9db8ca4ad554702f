import type { SignsOfLife } from '../signs-of-life.js';

/** Uses Web Locks as signs of life. A lock is held as long as its page lives, even while the page is hidden and its timers are slow. */
export class LockSigns implements SignsOfLife {
  private readonly held = new Map<string, () => void>();

  /** @param prefix the prefix of the lock names */
  constructor(
    private readonly locks: LockManager,
    private readonly prefix: string,
  ) {}

  async show(id: string, owner: string): Promise<void> {
    const name = this.nameOf(id, owner);
    if (this.held.has(name)) return;
    const ended = new Promise<void>((resolve) => this.held.set(name, resolve));
    await new Promise<void>((resolve, reject) => {
      const hold = () => {
        resolve();
        return ended;
      };
      this.locks.request(name, { mode: 'shared' }, hold).catch((error: unknown) => {
        this.held.delete(name);
        reject(error);
      });
    });
  }

  hide(id: string, owner: string): void {
    const name = this.nameOf(id, owner);
    this.held.get(name)?.();
    this.held.delete(name);
  }

  async isShown(id: string, owner: string): Promise<boolean> {
    const name = this.nameOf(id, owner);
    const { held = [] } = await this.locks.query();
    // An exclusive lock belongs to a reader that waited in `ended`.
    return held.some((lock) => lock.name === name && lock.mode === 'shared');
  }

  async ended(id: string, owner: string, signal: AbortSignal): Promise<void> {
    try {
      await this.locks.request(this.nameOf(id, owner), { mode: 'exclusive', signal }, () => {});
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private nameOf(id: string, owner: string): string {
    return JSON.stringify([this.prefix, id, owner]);
  }
}
