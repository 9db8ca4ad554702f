import { useSignalValue } from '@handrail/react';
import { operationWords } from '../../how/operation-words.js';
import type { OperationMeter } from '../../how/operation-meter.js';
import { visibleText } from '../../text/visible-text.js';

export function OperationLog({ meter }: { readonly meter: OperationMeter }) {
  const operations = useSignalValue(meter.operations);
  return (
    <section className="how-section">
      <h3>Operations</h3>
      {operations.length === 0 && <p className="how-empty">Send something, and watch.</p>}
      <ol className="operations" reversed>
        {operations.toReversed().map((operation) => (
          <li key={operation.sequence}>
            <span className="operation-type">{operation.type}</span>
            <span className="operation-words">{visibleText(operationWords(operation))}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
