import type { Phase } from '@handrail/react';
import { codeLines } from '../../how/code-lines.js';
import type { ViewName } from '../../view/chat-views.js';

interface CodeListProps {
  readonly phase: Phase;
  /** The view that draws the chat: its own lines are shown. */
  readonly view: ViewName;
}

/** The lines of code behind what is on the screen; those at work now stand out. */
export function CodeList({ phase, view }: CodeListProps) {
  return (
    <section className="how-section">
      <h3>The lines that do it</h3>
      {codeLines.map(({ job, code, phases }) => (
        <figure key={job} className="code-lines" data-active={phases.includes(phase) || undefined}>
          <figcaption>{job}</figcaption>
          <pre className="code">{typeof code === 'string' ? code : code[view]}</pre>
        </figure>
      ))}
    </section>
  );
}
