import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import type { Compacting } from '../../session/compacting.js';
import { contextGauge, sameGauge } from '../../session/context-gauge.js';

interface ContextMeterProps {
  readonly session: AgentSession;
  readonly compacting: Compacting;
}

/** How full the model's context is, and a button that makes room; nothing where that is unknown. */
export function ContextMeter({ session, compacting }: ContextMeterProps) {
  const canCompact = useSignalValue(compacting.canCompact);
  const gauge = useSession(session, contextGauge, sameGauge);
  if (gauge === null) return null;
  const { percent, words, isHigh } = gauge;
  return (
    <>
      <div
        role="meter"
        aria-label="Context"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
        title={words}
        data-high={isHigh}
        className="gauge"
      >
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect className="gauge-track" width="100" height="10" />
          <rect className="gauge-fill" width={percent} height="10" />
        </svg>
        <span>{percent} %</span>
      </div>
      <button type="button" className="compact" disabled={!canCompact} onClick={compacting.compact}>
        Compact
      </button>
    </>
  );
}
