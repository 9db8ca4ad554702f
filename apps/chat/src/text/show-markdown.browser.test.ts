import { afterEach, describe, expect, test, vi } from 'vitest';
import { GrowingMarkdown } from './growing-markdown.js';
import { showMarkdown } from './show-markdown.js';

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const draw = vi.spyOn(GrowingMarkdown.prototype, 'draw');
afterEach(() => draw.mockClear());

describe('showMarkdown', () => {
  test('shows the text as it was written until the renderer is there, unseen characters by their code', async () => {
    const element = document.createElement('div');
    showMarkdown(element, '# a\u202Eb\n\n*c*');
    expect(element.textContent).toBe('# a⟨U+202E⟩b\n\n*c*');
    expect(element.childElementCount).toBe(0);
    await expect.poll(() => element.innerHTML).toBe('<h3>a⟨U+202E⟩b</h3><p><em>c</em></p>');
    expect(element.dataset).toHaveProperty('markdown');
  });

  test('once it is there, an element has its Markdown from the first moment on', () => {
    const element = document.createElement('div');
    showMarkdown(element, '*a*');
    expect(element.innerHTML).toBe('<p><em>a</em></p>');
  });

  test('draws once a frame, however often it is called, and nothing when nothing changed', async () => {
    const element = document.createElement('div');
    showMarkdown(element, 'a', true);
    draw.mockClear();
    for (let count = 1; count <= 50; count++) showMarkdown(element, 'a'.repeat(count), true);
    expect(draw).not.toHaveBeenCalled();
    await frame();
    await frame();
    expect(draw).toHaveBeenCalledTimes(1);
    expect(element.textContent).toBe('a'.repeat(50));
    showMarkdown(element, 'a'.repeat(50), true);
    await frame();
    await frame();
    expect(draw).toHaveBeenCalledTimes(1);
  });

  test('R8: a long text comes in pieces, one a frame', async () => {
    const element = document.createElement('div');
    const text = 'A paragraph.\n\n'.repeat(5_000);
    showMarkdown(element, text);
    expect(element.childElementCount).toBeLessThan(1_000);
    await expect.poll(() => element.childElementCount, { timeout: 5_000 }).toBe(5_000);
  });

  test('R6: a press on Copy copies the code as it can be seen', async () => {
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const element = document.body.appendChild(document.createElement('div'));
    showMarkdown(element, '```\nls \u001B[1m\n```\n');
    element.querySelector<HTMLElement>('[data-copy]')!.click();
    expect(write).toHaveBeenCalledExactlyOnceWith('ls ⟨U+001B⟩[1m');
    await expect.poll(() => element.querySelector('[data-copy]')!.textContent).toBe('Copied');
    write.mockRestore();
    element.remove();
  });

  test('an element that is gone is nothing to draw in', () => {
    showMarkdown(null, 'a');
    expect(draw).not.toHaveBeenCalled();
  });
});
