import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright';
import { browserFlags, findBrowser } from '../../../../scripts/find-browser.mjs';

/** A Chromium in a separate process, whose profile outlives it. */
export class KilledBrowser {
  private child!: ChildProcess;
  private browser!: Browser;
  /** Opened in advance, because a page that has stopped answers nothing. */
  private readonly sessions = new WeakMap<Page, CDPSession>();
  private readonly profile = mkdtempSync(path.join(tmpdir(), 'banister-'));

  private constructor(private readonly flags: readonly string[]) {}

  /** @param flags in addition to the flags of every test browser */
  static async start(flags: readonly string[] = []): Promise<KilledBrowser> {
    const browser = new KilledBrowser(flags);
    await browser.start();
    return browser;
  }

  private async start(): Promise<void> {
    const flags = [
      ...browserFlags,
      ...this.flags,
      '--headless=new',
      '--no-sandbox',
      '--remote-debugging-port=0',
      // Each page has a process of its own, which can be killed.
      '--renderer-process-limit=100',
      `--user-data-dir=${this.profile}`,
      'about:blank',
    ];
    this.child = spawn(findBrowser()!, flags, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    process.once('exit', this.end);
    const lines = createInterface(this.child.stderr!);
    const address = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        const [, found] = /^DevTools listening on (ws:.*)$/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
      this.child.once('exit', () => reject(new Error('The browser did not start.')));
    });
    // By default, every page would count as visible.
    this.browser = await chromium.connectOverCDP(address, { noDefaults: true });
  }

  async open(address: string): Promise<Page> {
    const [context] = this.browser.contexts();
    const page = await context!.newPage();
    this.sessions.set(page, await context!.newCDPSession(page));
    await page.goto(address);
    // Polls at an interval instead of each frame, because a page behind another page draws no frames.
    await page.waitForFunction(() => 'page' in window, null, { polling: 100 });
    return page;
  }

  /** Kills the process of a page, so that no more code of the page runs. */
  async crash(page: Page): Promise<void> {
    const gone = new Promise<unknown>((resolve) => page.once('crash', resolve));
    this.sessions
      .get(page)!
      .send('Page.crash')
      .catch(() => {});
    await gone;
    await page.close();
  }

  /** Kills all processes of the browser, and starts it again with the same profile. */
  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  /** Kills the processes of the browser, which are in one process group. */
  private readonly end = (): void => void process.kill(-this.child.pid!, 'SIGKILL');

  private async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    process.off('exit', this.end);
    this.end();
    await ended;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
