import { useSignalValue } from '@handrail/react';
import type { Interruption } from '../../session/interruption.js';
import { visibleText } from '../../text/visible-text.js';

/** The choice after a reload in the middle of a turn. */
export function InterruptionView({ interruption }: { readonly interruption: Interruption }) {
  const notice = useSignalValue(interruption.notice);
  if (notice === null) return null;
  const { text, unknown, goOn, canTakeBack } = notice;

  return (
    <section className="interruption" aria-label="Interruption">
      <div role="status">
        <p>{text}</p>
        {unknown.length > 0 && (
          <>
            <p className="interruption-unknown">May or may not have happened:</p>
            <ul>
              {unknown.map((call, index) => (
                <li key={index}>{visibleText(call)}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="row-end">
        {canTakeBack && (
          <button type="button" className="button" onClick={interruption.takeBack}>
            Take back
          </button>
        )}
        <button type="button" className="button button-primary" onClick={interruption.goOn}>
          {goOn}
        </button>
      </div>
    </section>
  );
}
