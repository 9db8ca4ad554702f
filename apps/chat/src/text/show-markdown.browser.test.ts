import { afterEach, describe, expect, test, vi } from 'vitest';
import { GrowingMarkdown } from './growing-markdown.js';
import { showMarkdown } from './show-markdown.js';

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const draw = vi.spyOn(GrowingMarkdown.prototype, 'draw');
afterEach(() => draw.mockClear());

describe('showMarkdown', () => {
  test('shows the text unformatted until the renderer is loaded, with invisible characters as codes', async () => {
    const element = document.createElement('div');
    showMarkdown(element, '# a\u202Eb\n\n*c*');
    expect(element.textContent).toBe('# a⟨U+202E⟩b\n\n*c*');
    expect(element.childElementCount).toBe(0);
    await expect.poll(() => element.innerHTML).toBe('<h3>a⟨U+202E⟩b</h3><p><em>c</em></p>');
    expect(element.dataset).toHaveProperty('markdown');
  });

  test('when the renderer is loaded, an element has its Markdown before the next paint', async () => {
    const element = document.body.appendChild(document.createElement('div'));
    showMarkdown(element, '*a*');
    await Promise.resolve();
    expect(element.innerHTML).toBe('<p><em>a</em></p>');
    element.remove();
  });

  test('draws streaming text at once, wherever it is', () => {
    const element = document.body.appendChild(document.createElement('div'));
    element.style.marginTop = '10000px';
    showMarkdown(element, '*a*', true);
    expect(element.innerHTML).toBe('<p><em>a</em></p>');
    element.remove();
  });

  test('leaves text far outside the visible area unformatted, and draws it when the reader comes near', async () => {
    const scroller = document.body.appendChild(document.createElement('div'));
    scroller.style.cssText = 'height: 200px; overflow: auto';
    const far = document.createElement('div');
    far.style.marginBlock = '5000px';
    const end = document.createElement('div');
    scroller.append(far, end);
    // If there are only a few elements, all are drawn at once, so many are needed.
    for (let count = 0; count < 20; count++) {
      const other = scroller.insertBefore(document.createElement('div'), far);
      showMarkdown(other, 'x');
    }
    showMarkdown(far, '*a*');
    showMarkdown(far, '*a* and **b\u202E**');
    showMarkdown(end, '*c*');
    scroller.scrollTop = scroller.scrollHeight;
    await frame();
    await frame();
    expect(end.innerHTML).toBe('<p><em>c</em></p>');
    expect(far.innerHTML).toBe('*a* and **b⟨U+202E⟩**');
    // Near, but not yet in sight.
    scroller.scrollTop = 4_500;
    await expect.poll(() => far.innerHTML).toBe('<p><em>a</em> and <strong>b⟨U+202E⟩</strong></p>');
    scroller.remove();
  });

  test('draws at most once per frame, and nothing if nothing changed', async () => {
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

  test('R8 draws a long text in pieces, one per frame', async () => {
    const element = document.createElement('div');
    const text = 'A paragraph.\n\n'.repeat(5_000);
    showMarkdown(element, text);
    await frame();
    expect(element.childElementCount).toBeLessThan(1_000);
    await expect.poll(() => element.childElementCount, { timeout: 5_000 }).toBe(5_000);
  });

  test('R6 Copy copies the code as it is shown', async () => {
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
    const element = document.body.appendChild(document.createElement('div'));
    showMarkdown(element, '```\nls \u001B[1m\n```\n');
    await frame();
    element.querySelector<HTMLElement>('[data-copy]')!.click();
    expect(write).toHaveBeenCalledExactlyOnceWith('ls ⟨U+001B⟩[1m');
    await expect.poll(() => element.querySelector('[data-copy]')!.textContent).toBe('Copied');
    write.mockRestore();
    element.remove();
  });

  test('draws nothing into a removed element', () => {
    showMarkdown(null, 'a');
    expect(draw).not.toHaveBeenCalled();
  });
});
