import { readFileSync } from 'node:fs';
import { playScene, setDay, shownWords } from '../../../../scripts/pictures/scene.mjs';
import { expect, test } from '../fixture.js';

const words = new URL('../../../../docs/images/demo.txt', import.meta.url);

test('audit-V10: the pictures of the README show the current page; `node scripts/take-pictures.mjs` updates them @full', async ({
  demo,
}) => {
  await demo.page.setViewportSize({ width: 1280, height: 800 });
  await setDay(demo.page);
  await demo.open();
  await playScene(demo.page);
  expect(await shownWords(demo.page)).toBe(readFileSync(words, 'utf8'));
});
