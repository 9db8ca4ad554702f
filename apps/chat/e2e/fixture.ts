import { expect as baseExpect, test as base, type Locator, type Page } from '@playwright/test';
import type { SessionLog } from '@banister/session';
import type { Chat } from '../src/session/chat.js';
import type { ViewName } from '../src/view/chat-views.js';
import { SEEN_MS } from '../src/view/seen-ms.js';

/** Has a long timeout, because a busy machine is slow, and that is not a failure. */
export const expect = baseExpect.configure({ timeout: 30_000 });

declare global {
  interface Window {
    /** The page's own objects, in development only. */
    readonly __banister: { readonly chat: Chat; readonly log: SessionLog; hurry(): void };
  }
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Set by the project in playwright.config.ts. */
export interface ViewOption {
  /** Which framework draws the chat. */
  readonly view: ViewName;
}

/** The demo as a user finds it: by roles and names, as with a screen reader. */
export class Demo {
  readonly message: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly status: Locator;
  /** The row above the message, and its buttons. */
  readonly grip: Locator;
  readonly undo: Locator;
  readonly redo: Locator;
  readonly conversation: Locator;
  readonly board: Locator;
  readonly confirmations: Locator;
  readonly receipt: Locator;
  readonly interruption: Locator;
  readonly viewPicker: Locator;
  readonly turns: Locator;
  /** The messages that wait. */
  readonly queue: Locator;
  /** The grip, if it tells about versions and the board. */
  readonly notice: Locator;
  /** The list of chats, and the chats in it. */
  readonly chatList: Locator;
  readonly chatRows: Locator;
  /** The words in the bar that say where the chat is stored. */
  readonly mark: Locator;
  /** The gauge beside the message that shows how full the context is. */
  readonly gauge: Locator;
  readonly errors: string[] = [];
  private opened = 0;
  private loads = 0;

  constructor(
    readonly page: Page,
    readonly view: ViewName,
  ) {
    this.message = page.getByRole('textbox', { name: 'Message', exact: true });
    this.send = this.button('Send');
    this.stop = this.button('Stop');
    this.grip = page.getByRole('group', { name: 'What the agent does now' });
    this.undo = this.grip.getByRole('button', { name: 'Undo', exact: true });
    this.redo = this.grip.getByRole('button', { name: 'Redo', exact: true });
    this.status = page.getByRole('status', { name: 'Agent status' });
    this.conversation = page.getByRole('log', { name: 'Conversation' });
    this.board = page.getByRole('region', { name: 'Board' });
    this.confirmations = page.getByRole('group', { name: /^Question(?: \d+ of \d+)?: / });
    this.receipt = page.getByRole('region', { name: 'Receipt' });
    this.interruption = page.locator('.grip[data-kind="interrupted"]');
    this.viewPicker = page.getByRole('combobox', { name: 'View', exact: true });
    this.turns = this.conversation.getByRole('article');
    this.queue = page.getByRole('region', { name: 'Queue' }).getByRole('listitem');
    this.notice = page.locator('.grip[data-kind^="branch-"]');
    this.chatList = page.getByRole('dialog', { name: 'All chats' });
    this.chatRows = this.chatList.getByRole('listitem');
    this.mark = page.locator('.saved-mark');
    this.gauge = page
      .locator('.composer')
      .getByRole('button', { name: /model’s room|no room for the whole chat/ });
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.errors.push(message.text());
    });
    page.on('domcontentloaded', () => {
      // The empty page before the demo does not count as a load.
      if (page.url() !== 'about:blank') this.loads++;
    });
  }

  /** @param query for example `pace=fast&fault=stall`, or `pace=fast&work=slow` for slow tools */
  async open(query = 'pace=fast'): Promise<void> {
    await this.goTo(`/?view=${this.view}&${query}`);
  }

  async goTo(url: string): Promise<void> {
    this.opened++;
    await this.page.goto(url);
    await expect(this.message).toBeVisible();
  }

  /**
   * Reloads the page. If the chat is idle, waits first until its log has everything.
   *
   * @param shown the part of the page that is waited for; on a small screen a question covers the message
   */
  async reload(shown = this.message): Promise<void> {
    await expect.poll(() => this.isStored()).toBe(true);
    this.opened++;
    await this.page.reload();
    await expect(shown).toBeVisible();
  }

  /** Unfolds the steps that a receipt shows only on demand, or folds them again. */
  async toggleReceipt(): Promise<void> {
    await this.receipt.last().locator('.receipt-steps > summary').press('Enter');
  }

  /**
   * Answers the question that has the focus with a key. The key counts only if the question has been in sight
   * for a moment.
   */
  async answerByKey(key: 'y' | 'n' | 'Control+Enter'): Promise<void> {
    await this.page.waitForTimeout(SEEN_MS);
    await this.page.keyboard.press(key);
  }

  /** Sends a message and does not wait for the turn. */
  async say(text: string): Promise<void> {
    await this.message.fill(text);
    await this.send.click();
  }

  /** Sends a message and waits until the turn is over. */
  async ask(text: string): Promise<void> {
    await this.say(text);
    await this.idle();
  }

  async idle(): Promise<void> {
    await expect(this.send).toBeVisible({ timeout: 30_000 });
    await expect(this.status).toHaveAttribute('data-phase', 'idle');
  }

  /**
   * Makes the model and its tools fast from here on. A test that begins slowly has seen the part that it is
   * about.
   */
  async hurry(): Promise<void> {
    await this.page.evaluate(() => window.__banister.hurry());
  }

  /** Waits until the log of the chat has an operation, so that a reload finds it there. */
  async recorded(type: string, times = 1): Promise<void> {
    const count = () =>
      this.page.evaluate(async (wanted) => {
        const id = new URL(location.href).searchParams.get('chat')!;
        const { records } = await window.__banister.log.load(id);
        const operations = records.flatMap((record) => record.operations);
        return operations.filter((operation) => operation.type === wanted).length;
      }, type);
    await expect.poll(count).toBeGreaterThanOrEqual(times);
  }

  /**
   * Ends the log of the chat at its next operation of a type, as the end of the page at that moment would.
   * The session waits forever for everything that it writes later.
   */
  async cutAt(type: string): Promise<void> {
    await this.page.evaluate((wanted) => {
      const log: Writable<Pick<SessionLog, 'append' | 'snapshot'>> = window.__banister.log;
      const append = log.append.bind(log);
      const never = () => new Promise<never>(() => undefined);
      let isCut = false;
      log.append = (lease, record, options) => {
        if (isCut) return never();
        const at = record.operations.findIndex((operation) => operation.type === wanted);
        if (at < 0) return append(lease, record, options);
        isCut = true;
        const operations = record.operations.slice(0, at + 1);
        return append(lease, { ...record, operations }, options).then(never);
      };
      log.snapshot = never;
    }, type);
  }

  /**
   * Returns whether the log has the last operation of the chat. Returns true at once for a chat that runs or
   * has no log.
   */
  private isStored(): Promise<boolean> {
    return this.page.evaluate(async () => {
      // A production build does not expose its objects.
      const session = (window as Partial<Window>).__banister?.chat.session.peek();
      if (session === undefined || session.isRunning.peek()) return true;
      const { role, saved } = session.link.peek();
      if (role !== 'writer' || !saved) return true;
      const id = new URL(location.href).searchParams.get('chat')!;
      const { snapshot, records } = await window.__banister.log.load(id);
      const operations = records.flatMap((record) => record.operations);
      const last = operations.at(-1)?.sequence ?? snapshot?.sequence ?? 0;
      return last >= session.state.sequence;
    });
  }

  /**
   * Waits until the log has the end of the first turn, in a record or in the snapshot that replaces many
   * records.
   */
  async stored(): Promise<void> {
    const isThere = () =>
      this.page.evaluate(async () => {
        const ends: readonly string[] = ['completed', 'stopped', 'cancelled', 'failed'];
        const id = new URL(location.href).searchParams.get('chat')!;
        const { snapshot, records } = await window.__banister.log.load(id);
        const operations = records.flatMap((record) => record.operations);
        return (snapshot?.turns.length ?? 0) > 0 || operations.some(({ type }) => ends.includes(type));
      });
    await expect.poll(isThere).toBe(true);
  }

  /**
   * Makes IndexedDB refuse each write, as on a full disk, until `takeWrites`. Waits first until the log is
   * open, because a session whose log does not open runs without it.
   */
  async refuseWrites(): Promise<void> {
    const isOpen = () =>
      this.page.evaluate(() => {
        const { open, saved } = window.__banister.chat.session.peek().link.peek();
        return open && saved;
      });
    await expect.poll(isOpen).toBe(true);
    await this.page.evaluate(() => {
      const { put } = IDBObjectStore.prototype;
      Object.assign(window, { takeWrites: () => (IDBObjectStore.prototype.put = put) });
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('No room.', 'QuotaExceededError');
      };
    });
  }

  async takeWrites(): Promise<void> {
    await this.page.evaluate(() => (window as unknown as { takeWrites(): void }).takeWrites());
  }

  async phase(phase: string): Promise<void> {
    await expect(this.status).toHaveAttribute('data-phase', phase);
  }

  /** Chooses another framework for the chat, and waits until it has drawn the chat. */
  async switchTo(view: ViewName): Promise<void> {
    await this.viewPicker.selectOption(view);
    await expect(
      this.page.locator(`[data-view="${view}"]`).getByRole('region', { name: 'Chat' }),
    ).toBeVisible();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** The cards of a column, without cards that are not added yet. */
  cards(column: string): Locator {
    return this.board.getByRole('list', { name: column, exact: true }).locator('[data-card]');
  }

  /** The titles of cards, without the words about their state. */
  cardTitles(column: string): Locator {
    return this.cards(column).locator('.card-title');
  }

  card(title: string): Locator {
    return this.board
      .locator('[data-card]')
      .filter({ has: this.page.getByRole('button', { name: title, exact: true }) });
  }

  /** Cards that the agent is about to add or to move. */
  ghosts(): Locator {
    return this.board.locator('[data-ghost]');
  }

  titles(column: string): Promise<string[]> {
    return this.cardTitles(column).allInnerTexts();
  }

  /** Opens the rows that hold several changes each. */
  async openGroups(): Promise<void> {
    const closed = this.conversation.locator('.step-group > .step > [aria-expanded="false"]');
    while ((await closed.count()) > 0) await closed.first().click();
  }

  /** Opens the menu of a queued message with the keyboard, and returns one of its items. */
  async action(row: Locator, name: 'Edit' | 'Up' | 'Down' | 'Remove'): Promise<Locator> {
    await row.getByRole('button', { name: /^Actions for / }).press('Enter');
    const menu = row.getByRole('menu');
    await expect(menu.getByRole('menuitem').first()).toBeFocused();
    return menu.getByRole('menuitem', { name, exact: true });
  }

  /** Opens the menu of the gauge, and returns the item that makes the conversation shorter. */
  async shorter(gauge = this.gauge): Promise<Locator> {
    await gauge.press('Enter');
    const item = this.page.getByRole('menuitem', { name: 'Make shorter' });
    await expect(item).toBeFocused();
    return item;
  }

  /** Removes the chat from the page with the button of the panel How it works. */
  async unmount(): Promise<void> {
    await this.button('How it works').click();
    await this.button('Unmount the chat').click();
    await this.button('Close').click();
    await expect(this.conversation).toHaveCount(0);
  }

  async mount(): Promise<void> {
    await this.button('Mount the chat').click();
  }

  tool(id: string): Locator {
    return this.conversation.locator(`[data-tool="${id}"]`);
  }

  /** The work of an agent, below the call that it works for. */
  lane(agent: string): Locator {
    return this.conversation.getByRole('group', { name: agent, exact: true });
  }

  /** The questions about calls of a tool. */
  confirmation(tool: string): Locator {
    return this.confirmations.and(this.page.locator(`[data-tool="${tool}"]`));
  }

  /** The button that approves a question: the verb, or the tick of its row. */
  approval(question: Locator | Page = this.page): Locator {
    return question.locator('.question-approve, .question-yes').first();
  }

  refusal(question: Locator | Page = this.page): Locator {
    return question.getByRole('button', { name: /^Refuse(?:$|:)/ }).first();
  }

  /** Writes all arguments of the unfolded question, as JSON. */
  async writeArguments(question: Locator, json: string): Promise<void> {
    const text = question.getByRole('textbox', { name: 'As JSON' });
    if (!(await text.isVisible())) await question.getByRole('button', { name: 'As JSON' }).click();
    await text.fill(json);
  }

  /** Renames a card as the user, with the keyboard. */
  async rename(title: string, to: string): Promise<void> {
    await this.card(title).getByRole('button', { name: title, exact: true }).press('F2');
    const input = this.board.getByRole('textbox', { name: `Title of ${title}` });
    await input.fill(to);
    await input.press('Enter');
    await expect(this.card(to)).toBeVisible();
  }

  /** Expects that the console has no error, and that the page loaded only as often as the test asked for. */
  expectCleanPage(): void {
    expect(this.errors).toEqual([]);
    expect(this.loads, 'page loads').toBe(this.opened);
  }
}

export const test = base.extend<{ demo: Demo } & ViewOption>({
  view: ['react', { option: true }],
  demo: async ({ page, view }, use, testInfo) => {
    testInfo.setTimeout(120_000);
    const demo = new Demo(page, view);
    await use(demo);
    demo.expectCleanPage();
  },
});
