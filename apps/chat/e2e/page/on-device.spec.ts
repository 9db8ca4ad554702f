import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

// The browser under test has no model, so a small fake of `LanguageModel` replaces it. The fake follows
// packages/on-device/test/fake-language-model.ts as far as these tests need it.

interface FakeDevice {
  availability: string;
  /** How often `availability` was called. */
  asked: number;
  /** Sessions of the model that were not destroyed. */
  live: number;
  /** Moves the running download. */
  progress(share: number): void;
  finish(): void;
  failDownload(): void;
}

declare global {
  interface Window {
    device: FakeDevice;
  }
}

async function withModel(page: Page, availability: string): Promise<void> {
  await page.addInitScript((initial) => {
    interface Tool {
      name: string;
      execute(args: object): Promise<string>;
    }
    interface Options {
      tools?: readonly Tool[];
      signal?: AbortSignal;
      monitor?(target: EventTarget): void;
    }
    let monitor = new EventTarget();
    let downloaded: { resolve(): void; reject(error: unknown): void } | null = null;
    const device: FakeDevice = {
      availability: initial,
      asked: 0,
      live: 0,
      progress: (loaded) =>
        void monitor.dispatchEvent(new ProgressEvent('downloadprogress', { loaded, total: 1 })),
      finish: () => downloaded?.resolve(),
      failDownload: () => downloaded?.reject(new DOMException('No network.', 'NetworkError')),
    };
    const readTools = ({ tools = [] }: Options) =>
      tools.map((tool) => ({ name: tool.name, execute: tool.execute }));

    class FakeLanguageModel extends EventTarget {
      contextUsage = 10;
      contextWindow = 6_144;
      private readonly destruction = new AbortController();

      static availability(options: Options = {}) {
        readTools(options);
        device.asked++;
        return Promise.resolve(device.availability);
      }

      static async create(options: Options = {}) {
        if (device.availability === 'downloadable') {
          if (!navigator.userActivation.isActive) throw new DOMException('No click.', 'NotAllowedError');
          device.availability = 'downloading';
          options.monitor?.(monitor);
          try {
            await new Promise<void>((resolve, reject) => (downloaded = { resolve, reject }));
          } catch (error) {
            device.availability = 'downloadable';
            monitor = new EventTarget();
            throw error;
          }
          device.availability = 'available';
        }
        device.live++;
        return new FakeLanguageModel(readTools(options));
      }

      constructor(private readonly tools: readonly Tool[]) {
        super();
      }

      measureContextUsage() {
        return Promise.resolve(5);
      }

      promptStreaming(input: readonly { content: string }[], { signal }: { signal?: AbortSignal } = {}) {
        const stop = AbortSignal.any([this.destruction.signal, ...(signal ? [signal] : [])]);
        // A prompt that was stopped stays in the list. The last message counts.
        const asked = input.at(-1)?.content.split('\n\n').at(-1) ?? '';
        return new ReadableStream<string>({
          start: async (controller) => {
            stop.addEventListener('abort', () => controller.error(stop.reason));
            controller.enqueue('Let me see. ');
            if (asked.includes('poem')) return;
            const card = /"(.+)"/.exec(asked)?.[1] ?? '';
            const tool = this.tools.find(({ name }) => name === 'board_delete_card');
            const result = tool ? await tool.execute({ card }).catch(() => '') : 'no tools';
            if (stop.aborted) return;
            controller.enqueue(`It said: ${result}`);
            controller.close();
          },
        });
      }

      destroy() {
        if (this.destruction.signal.aborted) return;
        device.live--;
        this.destruction.abort(new DOMException('Destroyed.', 'AbortError'));
      }
    }
    Object.assign(window, { device, LanguageModel: FakeLanguageModel });
  }, availability);
}

const picker = (page: Page) => page.getByRole('combobox', { name: 'Provider' });
const option = (page: Page) => picker(page).getByRole('option', { name: /^On this device/ });
const panel = (page: Page) => page.getByRole('region', { name: 'Model on this device' });
const availability = (page: Page) => panel(page).getByRole('status', { name: 'Availability' });

/** Presses a key on the closed list. It selects the first choice, which is selected already. */
const lookAtChoices = (page: Page) => picker(page).press('Home');

async function chooseDevice(demo: Demo): Promise<void> {
  await demo.open();
  await lookAtChoices(demo.page);
  await expect(option(demo.page)).toHaveText('On this device (ready)');
  await picker(demo.page).selectOption('device');
  await expect(picker(demo.page)).toHaveValue('device');
}

async function expectNoSessionLeft(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => window.device.live)).toBe(0);
}

test('a browser without a model says so, and cannot be chosen', { tag: '@full' }, async ({ demo, page }) => {
  await withModel(page, 'unavailable');
  await demo.open();
  await lookAtChoices(page);
  await expect(option(page)).toHaveText('On this device (not supported by this browser)');
  await expect(option(page)).toBeDisabled();
  await expect(picker(page)).toHaveValue('offline');
});

test(
  'the browser is not asked for a model before the list of providers is opened, and then once',
  { tag: '@full' },
  async ({ demo, page }) => {
    await withModel(page, 'available');
    await demo.open();
    await demo.ask('List the cards');
    await picker(page).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => window.device.asked)).toBe(0);
    await expect(option(page)).toHaveText('On this device');
    await lookAtChoices(page);
    await expect(option(page)).toHaveText('On this device (ready)');
    await lookAtChoices(page);
    expect(await page.evaluate(() => window.device.asked)).toBe(1);
  },
);

test('the model can be chosen without opening the list', { tag: '@full' }, async ({ demo, page }) => {
  await withModel(page, 'available');
  await demo.open();
  await picker(page).selectOption('device');
  await expect(picker(page)).toHaveValue('device');
  await expect(panel(page)).toHaveCount(0);
});

test('the real browser under test is asked too', { tag: '@full' }, async ({ demo, page }) => {
  await demo.open();
  await lookAtChoices(page);
  await expect(option(page)).toContainText('(');
  await expect(option(page)).not.toContainText('checking');
  // Chromium logs this message itself if a page asks for a model that Chromium does not have.
  const complaint = 'Unable to create a text session because the service is not running.';
  demo.errors.splice(0, demo.errors.length, ...demo.errors.filter((error) => error !== complaint));
});

test('a model can be downloaded with visible progress, and is used afterwards', async ({ demo, page }) => {
  await withModel(page, 'downloadable');
  await demo.open();
  await lookAtChoices(page);
  await expect(option(page)).toHaveText('On this device (can be downloaded)');
  await picker(page).selectOption('device');
  // The provider changes only when the model is usable.
  await expect(picker(page)).toHaveValue('offline');
  await expect(availability(page)).toContainText('can be downloaded');
  await expect(panel(page)).toBeFocused();

  await demo.button('Download the model').click();
  const bar = panel(page).getByRole('progressbar', { name: /Download/ });
  await expect(bar).toHaveAttribute('value', '0');
  await page.evaluate(() => window.device.progress(0.42));
  await expect(bar).toHaveAttribute('value', '0.42');
  await expect(panel(page)).toContainText('42 %');
  await expect(demo.button('Download the model')).toHaveCount(0);
  await page.evaluate(() => window.device.finish());
  await expect(availability(page)).toHaveText('The model is ready.');
  await expectNoSessionLeft(page);

  await demo.button('Use from the next turn').click();
  await expect(panel(page)).toHaveCount(0);
  await expect(picker(page)).toHaveValue('device');
});

test('a download that fails says why, and can be tried again', { tag: '@full' }, async ({ demo, page }) => {
  await withModel(page, 'downloadable');
  await demo.open();
  await picker(page).selectOption('device');
  await demo.button('Download the model').click();
  await expect(panel(page).getByRole('progressbar')).toBeVisible();
  await page.evaluate(() => window.device.failDownload());
  await expect(panel(page).getByRole('alert')).toHaveText('The model could not be downloaded.');
  await expect(demo.button('Download the model')).toBeVisible();
  await demo.button('Close').click();
  await expect(panel(page)).toHaveCount(0);
});

test('a call that the model makes inside its answer asks first, runs, and can be undone', async ({
  demo,
  page,
}) => {
  await withModel(page, 'available');
  await chooseDevice(demo);
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  await expect(asked).toBeVisible();
  await demo.phase('confirming');
  await expect(demo.conversation).toContainText('Let me see.');
  await expect(demo.conversation).not.toContainText('It said');
  await expect(demo.cards('Done')).toHaveCount(3);
  await demo.approval(asked).click();
  await demo.idle();
  await expect(demo.cardTitles('Done')).toHaveText(['Choose a name', 'Register the domain']);
  await expect(demo.conversation).toContainText('It said:');
  await expectNoSessionLeft(page);
  await demo.undo.click();
  await expect(demo.cards('Done')).toHaveCount(3);
});

test('a denied call does not run, and the model is told', { tag: '@full' }, async ({ demo, page }) => {
  await withModel(page, 'available');
  await chooseDevice(demo);
  await demo.say('Delete "Draw the logo"');
  await demo.refusal(demo.confirmation('board.delete_card')).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(demo.conversation).toContainText('It said: Error: The user declined this call.');
});

test('Stop ends an answer, and a question in the middle of one', async ({ demo, page }) => {
  await withModel(page, 'available');
  await chooseDevice(demo);
  await demo.say('Write a poem');
  await expect(demo.conversation).toContainText('Let me see.');
  await demo.stop.click();
  await demo.idle();
  await expectNoSessionLeft(page);

  await demo.say('Delete "Draw the logo"');
  await expect(demo.confirmation('board.delete_card')).toBeVisible();
  await demo.stop.click();
  await demo.idle();
  await expect(demo.confirmations).toHaveCount(0);
  await expect(demo.cards('Done')).toHaveCount(3);
  await expectNoSessionLeft(page);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1_280, 360]) {
    test(`looks right: ${colorScheme}, ${width} pixels`, { tag: '@full' }, async ({ demo, page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 740 });
      await withModel(page, 'downloadable');
      await demo.open();
      // In a narrow bar the providers are in a menu.
      if (width < 600) await demo.button('More').click();
      await picker(page).selectOption('device');
      await demo.button('Download the model').click();
      await page.evaluate(() => window.device.progress(0.42));
      await expect(panel(page)).toContainText('42 %');
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
        [],
      );
      const [scroll, client] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      expect(scroll).toBeLessThanOrEqual(client!);
      if (process.env['BANISTER_SCREENS']) {
        await page.screenshot({
          path: `${process.env['BANISTER_SCREENS']}/device-${colorScheme}-${width}.png`,
        });
      }
    });
  }
}
