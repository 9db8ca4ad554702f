// @ts-check

/**
 * Sets the date of the pictures in a page that is not open yet. The board counts its dates from that day.
 *
 * @param {import('playwright').Page} page
 */
export async function setDay(page) {
  await page.clock.setSystemTime(new Date(2026, 10, 26, 10));
}

/**
 * Brings the demo to the state in the pictures of the README: a turn with an open question, so that the page does not change.
 *
 * @param {import('playwright').Page} page
 */
export async function playScene(page) {
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('Plan a product launch, then delete "Draw the logo"');
  await page.getByRole('button', { name: 'Send' }).click();
  await page
    .getByRole('group', { name: /^Question/ })
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: 'Message' }).blur();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
}

/**
 * The words that the page shows, one line each, without times.
 *
 * @param {import('playwright').Page} page
 */
export async function shownWords(page) {
  const text = await page.locator('body').innerText();
  const lines = text.split('\n').map((line) => line.trim().replace(/\d+:\d\d/g, '0:00'));
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
