import type { Page } from 'playwright';
import { CrashAccount } from './crash-account.js';
import type { CrashPage, Cut, Stop } from './crash-page-api.js';
import { script } from './crash-script.js';
import type { KilledBrowser } from './killed-browser.js';
import type { ServedPage } from './served-page.js';

/** The death of a page, or of the browser with all of its pages. */
export interface Kill extends Cut {
  readonly kills: 'page' | 'browser';
  /** How the next page ends open work. */
  readonly by: 'resume' | 'abandon';
}

/** A run of the script, and the moments of its kills. */
export interface KilledLife {
  /**
   * With two tabs, the steps of the script alternate between the tabs. If one tab is killed, the other tab
   * continues.
   */
  readonly tabs: 1 | 2;
  /** Kills in the order of their revisions. */
  readonly kills: readonly Kill[];
}

/** How long a step may take on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

declare const page: CrashPage;

/**
 * Plays the script. Kills pages on the way and opens new pages. The script starts again until every kill has
 * happened.
 */
export class KilledScript {
  readonly account = new CrashAccount();
  private readonly tabs = new Map<number, Page>();
  private readonly kills: Kill[];
  private stopped!: Promise<Stop>;
  private by: Kill['by'] = 'resume';
  private count = 0;

  constructor(
    private readonly life: KilledLife,
    private readonly name: string,
    private readonly browser: KilledBrowser,
    private readonly served: ServedPage,
  ) {
    this.kills = [...life.kills];
  }

  async play(): Promise<void> {
    await this.openTabs();
    for (let step = 0; step < script.length || this.kills.length > 0; step++) await this.step(step);
    this.by = 'abandon';
    const [last, ...others] = this.tabs.values();
    for (const tab of others) await this.addFrom(tab);
    this.account.ended(
      await patient(
        last!.evaluate((by) => page.end(by), this.by),
        'the end',
      ),
    );
    await Promise.all([...this.tabs.values()].map((tab) => tab.close()));
  }

  /** Opens the missing tabs, and gives all tabs the next cut. */
  private async openTabs(): Promise<void> {
    this.stopped = this.served.stopped(this.name);
    const [cut = null] = this.kills;
    for (const tab of this.tabs.values()) await tab.evaluate((next) => page.aim(next), cut);
    while (this.tabs.size < this.life.tabs) {
      const tab = this.count++;
      const opened = await this.browser.open(this.served.address);
      this.tabs.set(tab, opened);
      const opening = opened.evaluate((options) => page.open(options), { name: this.name, tab, cut });
      const isAlone = this.tabs.size === 1;
      this.account[isAlone ? 'opened' : 'joined'](await patient(opening, 'the opening'));
    }
  }

  private async step(step: number): Promise<void> {
    const tab = [...this.tabs.values()][step % this.tabs.size]!;
    const index = step % script.length;
    const made = patient(
      tab.evaluate(([at, by]) => page.step(at, by), [index, this.by] as const),
      `step ${index}`,
    ).then(() => null);
    const stop = await Promise.race([made, this.stopped]);
    if (stop === null) return;
    // If a page was killed, its step rejects.
    made.catch(() => {});
    await this.kill(stop);
    if ([...this.tabs.values()].includes(tab)) await made;
  }

  private async addFrom(tab: Page): Promise<void> {
    this.account.add(await tab.evaluate(() => page.account()));
  }

  private async kill({ tab, account }: Stop): Promise<void> {
    const { kills, by } = this.kills.shift()!;
    this.by = by;
    this.account.add(account);
    if (kills === 'browser') {
      for (const [other, its] of this.tabs) if (other !== tab) await this.addFrom(its);
      this.tabs.clear();
      await this.browser.restart();
    } else {
      await this.browser.crash(this.tabs.get(tab)!);
      this.tabs.delete(tab);
    }
    await this.openTabs();
  }
}

async function patient<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing happens: ${what}.`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
