import type { Receipt, ReceiptLine } from '../../session/receipt.js';
import { visibleText } from '../../text/visible-text.js';

const titles: readonly (readonly [ReceiptLine['kind'], string])[] = [
  ['taken-back', 'Made and taken back'],
  ['redone', 'Done again'],
  ['never-ran', 'Never ran'],
  ['in-effect', 'Still in effect'],
];

export function ReceiptView({ receipt }: { readonly receipt: Receipt }) {
  const { title, lines } = receipt;
  return (
    <section className="receipt" aria-label="Receipt">
      <h3>{title}</h3>
      {lines.length === 0 && <p className="receipt-nothing">Nothing on the board was changed.</p>}
      {titles.map(([kind, heading]) => {
        const listed = lines.filter((line) => line.kind === kind);
        if (listed.length === 0) return null;
        return (
          <div key={kind} className="receipt-group" data-kind={kind}>
            <h4>{heading}</h4>
            <ul>
              {listed.map(({ text, reason }, index) => (
                <li key={index}>
                  {visibleText(text)}
                  {reason !== undefined && <span className="receipt-reason">{visibleText(reason)}</span>}
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </section>
  );
}
