import { operationWords } from '../../how/operation-words.js';
import type { Job } from '../../how/code-lines.js';
import type { RecordedStep } from '../../how/operation-recorder.js';
import { visibleText } from '../../text/visible-text.js';

interface OperationLogProps {
  readonly steps: readonly RecordedStep[];
  /** The task whose steps are marked. */
  readonly picked: Job | null;
}

/** The operations since the page was opened, the newest at the top. */
export function OperationLog({ steps, picked }: OperationLogProps) {
  return (
    <section className="how-section how-operations">
      <h3 id="how-operations">Operations</h3>
      {steps.length === 0 && <p className="how-empty">Send something, and watch.</p>}
      <ol className="operations" reversed tabIndex={0} aria-labelledby="how-operations">
        {steps.toReversed().map(({ operation, job, isLit }) => (
          <li
            key={operation.sequence}
            data-lit={isLit || undefined}
            data-picked={(picked !== null && job === picked) || undefined}
          >
            <span className="operation-number">{operation.sequence}</span>
            <span className="operation-type">{operation.type}</span>
            <span className="operation-words">{visibleText(operationWords(operation))}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
