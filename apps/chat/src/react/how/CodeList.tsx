import { useEffect, useRef } from 'react';
import { showWithin } from '../../board/show-within.js';
import { codeLines, type Job } from '../../how/code-lines.js';
import type { ViewName } from '../../view/chat-views.js';

interface CodeListProps {
  /** The jobs at work now. */
  readonly lit: ReadonlySet<Job>;
  /** The job whose steps the reader looks for. */
  readonly picked: Job | null;
  onPick(job: Job | null): void;
  /** The view that draws the chat: its own lines are shown. */
  readonly view: ViewName;
}

/** The lines of code behind what is on the screen. Those at work light up with their steps; a press marks the steps of a job. */
export function CodeList({ lit, picked, onPick, view }: CodeListProps) {
  const list = useRef<HTMLElement>(null);
  const shown = codeLines.find(({ job }) => lit.has(job))?.job;
  useEffect(() => {
    const scroller = list.current!;
    const first = scroller.querySelector<HTMLElement>('[data-lit]');
    // Not under a reader's hand. Where the whole drawer scrolls, its steps would go out of sight.
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
