import { foldedGroups } from '../../session/effect-group.js';
import type { Receipt } from '../../session/receipt.js';
import { EffectLists } from './EffectLists.js';

/** The outcome of a turn. Facts that the steps above do not show are unfolded; other facts are folded. */
export function ReceiptView({ receipt: { title, detail, groups } }: { readonly receipt: Receipt }) {
  const { open, folded, summary } = foldedGroups(groups);
  return (
    <section className="receipt" aria-label="Receipt">
      <h3>{title}</h3>
      {detail !== '' && <p className="receipt-detail">{detail}</p>}
      {groups.length === 0 && <p className="receipt-nothing">Nothing on the board was changed.</p>}
      <EffectLists groups={open} level={4} />
      {folded.length > 0 && (
        <details className="receipt-steps">
          <summary>{summary}</summary>
          <EffectLists groups={folded} level={4} />
        </details>
      )}
    </section>
  );
}
