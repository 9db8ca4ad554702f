import { expect, test } from '../fixture.js';

const answer = ['Hello ', 'from ', 'a ', 'server.']
  .map((content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }))
  .concat([{ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' as never }] }])
  .map(
    (chunk) =>
      `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk })}\n\n`,
  )
  .concat('data: [DONE]\n\n')
  .join('');

test('another provider can be chosen, needs no further code at its first message, and its key is never stored', async ({
  demo,
  page,
}) => {
  const requests: { authorization: string | undefined; model: string }[] = [];
  await page.route('https://models.example/v1/chat/completions', async (route) => {
    const { model } = route.request().postDataJSON() as { model: string };
    requests.push({ authorization: route.request().headers()['authorization'], model });
    await route.fulfill({
      contentType: 'text/event-stream',
      headers: { 'access-control-allow-origin': '*' },
      body: answer,
    });
  });
  await demo.open();
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('OpenAI-compatible');
  const settings = page.getByRole('form', { name: 'Provider settings' });
  await expect(settings).toContainText('Keys belong on a server');
  await settings.getByRole('textbox', { name: 'Base URL' }).fill('https://models.example/v1');
  await settings.getByRole('textbox', { name: 'Model' }).fill('their-model');
  await settings.getByLabel('API key').fill('key-of-a-visitor');
  await settings.getByRole('button', { name: 'Use from the next turn' }).click();
  await expect(settings).toHaveCount(0);
  // From here on, no file of the page can be loaded.
  await page.route('**/assets/**', (route) => route.abort());

  await demo.ask('Hello?');
  await expect(demo.conversation.locator('.answer')).toHaveText('Hello from a server.');
  expect(requests).toEqual([{ authorization: 'Bearer key-of-a-visitor', model: 'their-model' }]);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(stored).not.toContain('key-of-a-visitor');
});

test('Ollama is a preset of the provider settings', { tag: '@full' }, async ({ demo, page }) => {
  await demo.open();
  await page.getByRole('combobox', { name: 'Provider' }).selectOption('Ollama');
  await expect(page.getByRole('textbox', { name: 'Base URL' })).toHaveValue('http://localhost:11434/v1');
});

test('V4: without a network, a provider whose code cannot be fetched stays unchosen, and the reason is shown', async ({
  demo,
  page,
  context,
}) => {
  await demo.open();
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);
  const providers = page.getByRole('combobox', { name: 'Provider' });
  await providers.selectOption('OpenAI-compatible');
  const alert = page.getByRole('alert').filter({ hasText: 'OpenAI-compatible could not be loaded' });
  await expect(alert).toContainText('Check the connection');
  await expect(alert).not.toContainText('http');
  await expect(providers).toHaveValue('offline');
  await demo.button('Close').click();
  await expect(alert).toHaveCount(0);
  await demo.ask('Add a card "Offline" to Todo');
  await expect(demo.card('Offline')).toBeVisible();
  // The browser itself logs each failed fetch.
  expect(demo.errors.splice(0).every((text) => text.startsWith('Failed to load resource'))).toBe(true);
  await context.setOffline(false);
});
