import type { Phase } from '@handrail/react';
import { codeLines } from '../../how/code-lines.js';

/** The lines of code behind what is on the screen; those at work now stand out. */
export function CodeList({ phase }: { readonly phase: Phase }) {
  return (
    <section className="how-section">
      <h3>The lines that do it</h3>
      {codeLines.map(({ job, code, phases }) => (
        <figure key={job} className="code-lines" data-active={phases.includes(phase) || undefined}>
          <figcaption>{job}</figcaption>
          <pre className="code">{code}</pre>
        </figure>
      ))}
    </section>
  );
}
