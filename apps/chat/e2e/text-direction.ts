import type { Locator } from '@playwright/test';
import { expect } from './fixture.js';

/**
 * Expects that the text of an element runs from right to left: its last character is left of its first. The
 * element must contain only text.
 */
export async function expectRightToLeft(element: Locator): Promise<void> {
  const [first, last] = await element.evaluate(({ firstChild: text }) =>
    [0, text!.textContent!.length - 1].map((at) => {
      const range = document.createRange();
      range.setStart(text!, at);
      range.setEnd(text!, at + 1);
      return range.getBoundingClientRect().left;
    }),
  );
  expect(last).toBeLessThan(first!);
}
