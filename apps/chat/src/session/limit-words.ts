import type { ExtensionRequest } from '@banister/session';
import { priceWords } from '../board/publishing-price.js';
import { clockWords } from './grip-clock.js';

/** A limit that a turn has reached, and the answer that lets it continue. */
export interface LimitWords {
  /** For example "12 of 12 steps used". */
  readonly title: string;
  /** For example "12 more". */
  readonly more: string;
}

export function limitWords({
  limit,
  spent,
  allowed,
  suggested,
  currency = 'USD',
}: Pick<ExtensionRequest, 'limit' | 'spent' | 'allowed' | 'suggested' | 'currency'>): LimitWords {
  switch (limit) {
    case 'maxToolCalls':
      return { title: `${spent} of ${allowed} steps used`, more: `${suggested} more` };
    case 'maxRounds':
      return { title: `${spent} of ${allowed} answers used`, more: `${suggested} more` };
    case 'timeoutMs':
      return { title: `${clockWords(allowed)} of work used`, more: `${clockWords(suggested)} more` };
    case 'maxThinkingMs':
      return { title: `${clockWords(allowed)} of thinking used`, more: `${clockWords(suggested)} more` };
    case 'maxCost':
    case 'session.maxCost': {
      const price = (amount: number): string => priceWords({ amount, currency });
      return { title: `${price(spent)} of ${price(allowed)} spent`, more: `${price(suggested)} more` };
    }
    case 'maxTokens':
      return { title: 'All text of this turn used', more: 'As much again' };
    case 'session.maxTokens':
      return { title: 'All text of this chat used', more: 'As much again' };
  }
}

/** Returns why a turn ended early, in the words of the earlier question. */
export function endWords(message: string): string {
  return message.replace(/ tool call(s?)\.$/, ' step$1.').replace(/ round(s?)\.$/, ' answer$1.');
}
