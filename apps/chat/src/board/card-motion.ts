interface Seen {
  readonly column: string | undefined;
  readonly left: number;
  readonly top: number;
  readonly rect: DOMRect;
}

const MOVE = { duration: 320, easing: 'cubic-bezier(0.2, 0.8, 0.2, 1)' };
/** Shifts below this many pixels are not worth an animation. */
const SMALLEST_SHIFT = 6;

/**
 * Lets cards slide from where they were to where they are, whatever view drew them: elements are known by their
 * `data-motion` key. Call `play` after each drawing.
 */
export class CardMotion {
  private before = new Map<string, Seen>();
  private frame = 0;

  /**
   * @param board the positioned ancestor of all cards
   * @param layer where the traces of removed cards fade
   */
  constructor(
    private readonly board: HTMLElement,
    private readonly layer: HTMLElement,
  ) {}

  /** Soon, before the next picture: what is drawn in two steps, as a ghost that becomes a card, moves as one. */
  play(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.animate();
    });
  }

  private animate(): void {
    const elements = [...this.board.querySelectorAll<HTMLElement>('[data-motion]')];
    const now = new Map(elements.map((element) => [element.dataset.motion!, seen(element)]));
    if (this.before.size > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const gone = [...this.before].filter(([key]) => !now.has(key));
      for (const element of elements)
        this.arrive(element, now.get(element.dataset.motion!)!, gone.length > 0);
      // A ghost that became a card, or a card that came back, leaves no trace.
      if (gone.length > now.size - (this.before.size - gone.length))
        for (const [, was] of gone) this.fade(was);
    }
    this.before = now;
  }

  private arrive(element: HTMLElement, is: Seen, somethingLeft: boolean): void {
    const was = this.before.get(element.dataset.motion!);
    if (was) {
      const [x, y] = [was.left - is.left, was.top - is.top];
      if (was.column === is.column && Math.abs(x) + Math.abs(y) < SMALLEST_SHIFT) return;
      const lifted = was.column === is.column ? {} : { zIndex: 3 };
      element.animate(
        [
          { transform: `translate(${x}px, ${y}px)`, ...lifted },
          { transform: 'none', ...lifted },
        ],
        MOVE,
      );
    } else if (!somethingLeft) {
      element.animate(
        [
          { opacity: 0, transform: 'translateY(6px) scale(0.97)' },
          { opacity: 1, transform: 'none' },
        ],
        { ...MOVE, duration: 220 },
      );
    }
  }

  /** An empty outline where a card was. A copy of the card would be read out as a second card. */
  private fade({ rect }: Seen): void {
    const origin = this.layer.getBoundingClientRect();
    const trace = document.createElement('div');
    trace.className = 'card-trace';
    Object.assign(trace.style, {
      left: `${rect.left - origin.left}px`,
      top: `${rect.top - origin.top}px`,
      width: `${rect.width}px`,
      height: `${rect.height}px`,
    });
    this.layer.append(trace);
    const remove = () => trace.remove();
    trace
      .animate(
        [
          { opacity: 1, transform: 'none' },
          { opacity: 0, transform: 'scale(0.94)' },
        ],
        { ...MOVE, duration: 260 },
      )
      .finished.then(remove, remove);
  }
}

function seen(element: HTMLElement): Seen {
  return {
    column: element.closest<HTMLElement>('[data-column]')?.dataset.column,
    // The place in the layout. `getBoundingClientRect` would include a running animation.
    left: element.offsetLeft,
    top: element.offsetTop,
    rect: element.getBoundingClientRect(),
  };
}
