import { useEffect, useRef } from 'react';
import { showWithin } from '../../board/show-within.js';
import { codeLines, type Job } from '../../how/code-lines.js';
import type { ViewName } from '../../view/chat-views.js';

interface CodeListProps {
  /** The tasks that are running now. */
  readonly lit: ReadonlySet<Job>;
  /** The task whose steps the reader has selected. */
  readonly picked: Job | null;
  onPick(job: Job | null): void;
  /** The view that draws the chat. The list shows the code of this view. */
  readonly view: ViewName;
}

/**
 * The lines of code that cause what is on the screen. Lines light up together with their steps. A press marks
 * the steps of a task.
 */
export function CodeList({ lit, picked, onPick, view }: CodeListProps) {
  const list = useRef<HTMLElement>(null);
  const shown = codeLines.find(({ job }) => lit.has(job))?.job;
  useEffect(() => {
    const scroller = list.current!;
    const first = scroller.querySelector<HTMLElement>('[data-lit]');
    // Does not scroll while the reader uses the list, or if the whole drawer scrolls, because then the steps
    // would leave the screen.
    if (first === null || scroller.matches(':hover, :focus-within')) return;
    showWithin(scroller, first);
  }, [shown]);

  return (
    <section ref={list} className="how-section">
      <h3>The lines that do it</h3>
      {codeLines.map(({ job, title, code }) => (
        <figure
          key={job}
          className="code-lines"
          data-lit={lit.has(job) || undefined}
          data-picked={picked === job || undefined}
        >
          <figcaption>
            <button
              type="button"
              className="code-job"
              aria-pressed={picked === job}
              title="Marks the operations of these lines"
              onClick={() => onPick(picked === job ? null : job)}
            >
              {title}
            </button>
          </figcaption>
          <pre className="code">{typeof code === 'string' ? code : code[view]}</pre>
        </figure>
      ))}
    </section>
  );
}
