import { frames } from '@banister/session';
import { copyableText } from './copyable-text.js';
import type * as Renderer from './growing-markdown.js';
import { visibleText } from './visible-text.js';
import { whenNear } from './when-near.js';

const clock = frames();
let loaded: typeof Renderer | undefined;
let loading: Promise<void> | undefined;
const areas = new WeakMap<HTMLElement, MarkdownArea>();

/**
 * Shows the Markdown of a model in an element that nothing else changes. Call it again with every text:
 * content that is there already stays, and it draws at most once per frame. There is nothing to clean up.
 *
 * In a long conversation it draws the texts near the visible area. Other texts are shown unformatted, so that
 * a search and a screen reader find them.
 *
 * Nothing in the text can run or reach out: HTML is text, an image is a link, a link shows its target and
 * opens a new tab. Until the renderer has been loaded, the text is shown unformatted.
 *
 * @param isGrowing whether more text may come; then its last words may be half written
 * @example
 * ref={(element) => showMarkdown(element, part.text, isCurrent)} // React
 * :ref="(element) => showMarkdown(element, part.text, isCurrent)" // Vue
 * {@attach (element) => showMarkdown(element, part.text, isCurrent)} // Svelte
 */
export function showMarkdown(element: unknown, text: string, isGrowing = false): void {
  // Views pass null when an element is removed.
  if (!(element instanceof HTMLElement)) return;
  let area = areas.get(element);
  if (!area) areas.set(element, (area = new MarkdownArea(element)));
  area.show(text, isGrowing);
}

class MarkdownArea {
  private text = '';
  private isGrowing = false;
  private renderer: Renderer.GrowingMarkdown | undefined;
  private isScheduled = false;
  private isWaiting = false;

  constructor(private readonly element: HTMLElement) {
    element.addEventListener('click', (event) => void copyCode(event));
  }

  show(text: string, isGrowing: boolean): void {
    if (this.renderer && text === this.text && isGrowing === this.isGrowing) return;
    this.text = text;
    this.isGrowing = isGrowing;
    if (this.renderer) return this.schedule();
    if (isGrowing && loaded) return this.draw();
    this.element.textContent = visibleText(text);
    if (isGrowing) void this.start();
    else if (!this.isWaiting) whenNear(this.element, () => void this.start());
    this.isWaiting = true;
  }

  private async start(): Promise<void> {
    if (loaded) return this.draw();
    await preloadMarkdown();
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || !loaded) return;
    this.isScheduled = true;
    clock.schedule(() => {
      this.isScheduled = false;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.renderer) {
      this.renderer = new loaded!.GrowingMarkdown(this.element);
      this.element.textContent = '';
      this.element.dataset['markdown'] = '';
    }
    if (!this.renderer.draw(this.text, this.isGrowing)) this.schedule();
  }
}

/**
 * Loads the renderer, once for the page. If it cannot be loaded, texts stay unformatted, and the next text
 * tries again. Never rejects.
 */
export function preloadMarkdown(): Promise<void> {
  loading ??= import('./growing-markdown.js').then(
    (module) => void (loaded = module),
    () => void (loading = undefined),
  );
  return loading;
}

async function copyCode({ target }: Event): Promise<void> {
  const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null;
  const code = button?.closest('.code-block')?.querySelector('code');
  if (!button || !code) return;
  try {
    await navigator.clipboard.writeText(copyableText(code));
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}
