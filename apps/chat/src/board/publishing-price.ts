/** The price of publishing one card, in euros. */
const PRICE_PER_CARD = 0.03;

/** An amount of money in questions and results. */
export interface Price {
  readonly amount: number;
  readonly currency: string;
}

/** Returns the price of publishing a number of cards. */
export function publishingPrice(cards: number): Price {
  return { amount: Number((cards * PRICE_PER_CARD).toFixed(2)), currency: 'EUR' };
}

/** Returns a price in words: "€0.24" */
export function priceWords({ amount, currency }: Price): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
}
