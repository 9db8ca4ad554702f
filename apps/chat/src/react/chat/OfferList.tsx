import { useSignalValue } from '@banister/react';
import type { CommandOffers } from '../../session/command-offers.js';

/** Commands similar to a message that was not understood. A press sends the command. */
export function OfferList({ offers }: { readonly offers: CommandOffers }) {
  const shown = useSignalValue(offers.shown);
  if (shown.length === 0) return null;
  return (
    <ul className="offers" aria-label="Commands to choose from">
      {shown.map((text) => (
        <li key={text}>
          <button type="button" className="offer" dir="auto" onClick={() => offers.take(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
