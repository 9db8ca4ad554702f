import { useSignalValue } from '@handrail/react';
import type { OperationMeter } from '../../how/operation-meter.js';

/** Many operations, few publications: what arrives within a frame is drawn once. */
export function MeterRates({ meter }: { readonly meter: OperationMeter }) {
  const { operationsPerSecond, publicationsPerSecond } = useSignalValue(meter.reading);
  return (
    <dl className="rates">
      <div>
        <dt>Operations per second</dt>
        <dd>{operationsPerSecond}</dd>
      </div>
      <div>
        <dt>Publications per second</dt>
        <dd>{publicationsPerSecond}</dd>
      </div>
    </dl>
  );
}
