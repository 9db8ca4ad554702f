import type { Receipt } from '../../session/receipt.js';
import { EffectLists } from './EffectLists.js';

export function ReceiptView({ receipt: { title, detail, groups } }: { readonly receipt: Receipt }) {
  return (
    <section className="receipt" aria-label="Receipt">
      <h3>{title}</h3>
      {detail !== '' && <p className="receipt-detail">{detail}</p>}
      {groups.length === 0 && <p className="receipt-nothing">Nothing on the board was changed.</p>}
      <EffectLists groups={groups} level={4} />
    </section>
  );
}
