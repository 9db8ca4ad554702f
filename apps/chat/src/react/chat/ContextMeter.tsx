import { useSession, useSignalValue, type AgentSession } from '@banister/react';
import type { Compacting } from '../../session/compacting.js';
import { contextGauge, gaugeMeaning, sameGauge } from '../../session/context-gauge.js';

interface ContextMeterProps {
  readonly session: AgentSession;
  readonly compacting: Compacting;
  /** The id of the meter's menu, different in each place of the page. */
  readonly menuId: string;
}

/** How full the model's context is, with a menu to shorten the conversation; nothing if that is unknown. */
export function ContextMeter({ session, compacting, menuId }: ContextMeterProps) {
  const canCompact = useSignalValue(compacting.canCompact);
  const gauge = useSession(session, contextGauge, sameGauge);
  if (gauge === null) return null;
  const { percent, words, number, isHigh } = gauge;
  return (
    <>
      <button
        type="button"
        className="gauge"
        data-high={isHigh}
        aria-label={words}
        title={words}
        aria-haspopup="menu"
        popoverTarget={menuId}
      >
        <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect className="gauge-track" width="100" height="10" />
          <rect className="gauge-fill" width={percent} height="10" />
        </svg>
        {number !== null && <span>{number}</span>}
      </button>
      <div id={menuId} popover="auto" role="menu" aria-label={words} className="menu gauge-menu">
        <p role="none">
          {gaugeMeaning} {words}.
        </p>
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          aria-disabled={!canCompact}
          onClick={compacting.compact}
        >
          Make shorter
        </button>
      </div>
    </>
  );
}
