import { receiptGroups, type Receipt } from '../../session/receipt.js';
import { visibleText } from '../../text/visible-text.js';

export function ReceiptView({ receipt }: { readonly receipt: Receipt }) {
  const { title, lines } = receipt;
  return (
    <section className="receipt" aria-label="Receipt">
      <h3>{title}</h3>
      {lines.length === 0 && <p className="receipt-nothing">Nothing on the board was changed.</p>}
      {receiptGroups(receipt).map((group) => (
        <div key={group.kind} className="receipt-group" data-kind={group.kind}>
          <h4>{group.heading}</h4>
          <ul>
            {group.lines.map(({ text, reason }, index) => (
              <li key={index}>
                {visibleText(text)}
                {reason !== undefined && <span className="receipt-reason">{visibleText(reason)}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
