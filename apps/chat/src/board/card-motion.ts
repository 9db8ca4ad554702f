interface Seen {
  readonly column: string | undefined;
  readonly left: number;
  readonly top: number;
  readonly rect: DOMRect;
  readonly title: string;
}

const SETTLE = 'cubic-bezier(0.2, 0, 0, 1)';
const LEAVE = 'cubic-bezier(0.4, 0, 1, 1)';
const MOVE_MS = 280;
const SLIDE_MS = 420;
/** The time between two cards that move back, and the time until the last card is back. */
const STEP_MS = 60;
const BACK_MS = 600;
/** How many pixels a ghost moves away from the rail, and a card towards the rail or out of it. */
const GHOST_SHIFT = 16;
const BACK_SHIFT = 24;
/** Shifts below this number of pixels are not animated. */
const SMALLEST_SHIFT = 6;

/**
 * Animates cards from their old places to their new places, no matter which view draws them. Elements are
 * identified by their `data-motion` key. Call `play` after each drawing.
 */
export class CardMotion {
  private before = new Map<string, Seen>();
  private frame = 0;
  /** The cards that an undo has moved after the last drawing, the newest change first. */
  private back: string[] = [];
  /** When the first card of a series moved back, and how many cards have moved back. */
  private series = { began: -Infinity, count: 0 };

  /**
   * @param board the positioned ancestor of all cards
   * @param layer the element in which the traces of removed cards fade
   */
  constructor(
    private readonly board: HTMLElement,
    private readonly layer: HTMLElement,
  ) {}

  /** Notes that an undo reverted a change of a card. Such cards slide back one after the other. */
  noteBack(cardId: string): void {
    this.back = this.back.filter((id) => id !== cardId);
    this.back.push(cardId);
  }

  /**
   * Plays shortly before the next frame, so that a card drawn in two steps, such as a ghost that becomes a
   * card, moves once.
   */
  play(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.animate();
    });
  }

  private animate(): void {
    const elements = [...this.board.querySelectorAll<HTMLElement>('[data-motion]')];
    const now = new Map(elements.map((element) => [element.dataset.motion!, seen(element)]));
    const delays = this.delays();
    if (this.before.size > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      const gone = [...this.before].filter(([key]) => !now.has(key));
      for (const element of elements) {
        const key = element.dataset.motion!;
        this.arrive(element, now.get(key)!, delays.get(key), gone.length > 0);
      }
      // A ghost that became a card leaves no trace.
      const leaveTraces = gone.length > now.size - (this.before.size - gone.length);
      for (const [key, was] of gone)
        if (delays.has(key)) this.goBack(was, delays.get(key)!);
        else if (leaveTraces) this.fade(was);
    }
    this.before = now;
  }

  /**
   * Returns the delay of each card that moves back. The total time does not depend on the number of cards.
   */
  private delays(): ReadonlyMap<string, number> {
    if (this.back.length === 0) return new Map();
    const now = performance.now();
    if (now - this.series.began > BACK_MS) this.series = { began: now, count: 0 };
    const elapsed = now - this.series.began;
    const last = BACK_MS - SLIDE_MS;
    const step = Math.min(STEP_MS, last / Math.max(this.series.count + this.back.length - 1, 1));
    const delays = this.back.map((id, index) => {
      const at = Math.min((this.series.count + index) * step, last);
      return [id, Math.max(at - elapsed, 0)] as const;
    });
    this.series.count += this.back.length;
    this.back = [];
    return new Map(delays);
  }

  private arrive(element: HTMLElement, is: Seen, delay: number | undefined, somethingLeft: boolean): void {
    // A card that the user holds is under the pointer.
    if (element.dataset.dragging !== undefined) return;
    const was = this.before.get(element.dataset.motion!);
    const timing: KeyframeAnimationOptions =
      delay === undefined
        ? { duration: MOVE_MS, easing: SETTLE }
        : { duration: SLIDE_MS, easing: SETTLE, delay, fill: 'backwards' };
    if (was) {
      const [x, y] = [was.left - is.left, was.top - is.top];
      if (was.column === is.column && Math.abs(x) + Math.abs(y) < SMALLEST_SHIFT) return;
      const lifted = was.column === is.column ? {} : { zIndex: 3, boxShadow: 'var(--float)' };
      element.animate(
        [
          { transform: `translate(${x}px, ${y}px)`, ...lifted },
          { transform: 'none', ...lifted },
        ],
        timing,
      );
    } else if (delay !== undefined || !somethingLeft) {
      const shift = delay === undefined ? GHOST_SHIFT : BACK_SHIFT;
      element.animate(
        [
          { opacity: 0, transform: this.towardsRail(shift) },
          { opacity: 1, transform: 'none' },
        ],
        timing,
      );
    }
  }

  /** A removed card moves towards the rail. Screen readers do not read its copy. */
  private goBack(was: Seen, delay: number): void {
    const copy = this.traceOf(was, 'card-leaving');
    copy.textContent = was.title;
    this.remove(
      copy,
      [
        { opacity: 1, transform: 'none' },
        { opacity: 0, transform: this.towardsRail(BACK_SHIFT) },
      ],
      { duration: SLIDE_MS, easing: LEAVE, delay, fill: 'both' },
    );
  }

  /** Shows an empty outline at the place of a removed card. */
  private fade(was: Seen): void {
    const trace = this.traceOf(was, 'card-trace');
    this.remove(
      trace,
      [
        { opacity: 1, transform: 'none' },
        { opacity: 0, transform: 'scale(0.94)' },
      ],
      { duration: MOVE_MS, easing: LEAVE },
    );
  }

  private traceOf({ rect }: Seen, className: string): HTMLElement {
    const origin = this.layer.getBoundingClientRect();
    const trace = document.createElement('div');
    trace.className = className;
    Object.assign(trace.style, {
      left: `${rect.left - origin.left}px`,
      top: `${rect.top - origin.top}px`,
      width: `${rect.width}px`,
      height: `${rect.height}px`,
    });
    this.layer.append(trace);
    return trace;
  }

  private remove(trace: HTMLElement, frames: Keyframe[], timing: KeyframeAnimationOptions): void {
    const remove = () => trace.remove();
    trace.animate(frames, timing).finished.then(remove, remove);
  }

  /** The chat and its rail are beside the board; on a phone they are below it. */
  private towardsRail(pixels: number): string {
    const chat = document.querySelector('.chat-region')?.getBoundingClientRect();
    const isBelow =
      chat !== undefined && chat.top > this.board.getBoundingClientRect().top + 40 && chat.left < 40;
    return isBelow ? `translateY(${pixels}px)` : `translateX(${pixels}px)`;
  }
}

function seen(element: HTMLElement): Seen {
  return {
    column: element.closest<HTMLElement>('[data-column]')?.dataset.column,
    // The place in the layout, because `getBoundingClientRect` would include a running animation.
    left: element.offsetLeft,
    top: element.offsetTop,
    rect: element.getBoundingClientRect(),
    title: element.querySelector('.card-title')?.textContent ?? '',
  };
}
