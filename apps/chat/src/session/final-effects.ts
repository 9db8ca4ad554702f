import type { ToolCallView, TurnRecord } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { priceWords } from '../board/publishing-price.js';
import { visibleText } from '../text/visible-text.js';
import type { QuestionFact } from './question-words.js';

const noFacts: readonly QuestionFact[] = [];

/**
 * Returns the facts of a call's question in the past tense: its price, and that it cannot be undone. Empty if
 * it can be undone.
 */
export function factsAfter(
  { id, result }: Pick<ToolCallView, 'id' | 'result'>,
  { effects }: Pick<TurnRecord, 'effects'>,
): readonly QuestionFact[] {
  if (!effects.some(({ toolCallId, irreversible }) => toolCallId === id && irreversible)) return noFacts;
  const price = priceIn(result);
  return [
    ...(price === null ? [] : [{ kind: 'cost', text: `Cost ${price}` } as const]),
    { kind: 'final', text: 'Cannot be taken back' },
  ];
}

function priceIn(result: ToolCallView['result']): string | null {
  for (const part of result?.content ?? []) {
    const price = part.type === 'json' && isJsonObject(part.value) ? part.value['price'] : undefined;
    if (!isJsonObject(price)) continue;
    const { amount, currency } = price;
    if (typeof amount === 'number' && typeof currency === 'string') return priceWords({ amount, currency });
  }
  return null;
}

/**
 * Says why nothing can be undone: the newest turn with effects has only irreversible effects. null if that is
 * not so.
 */
export function finalWords(turns: readonly TurnRecord[]): string | null {
  const newest = turns.findLast(({ effects }) => effects.length > 0);
  const [first, ...others] = newest?.effects ?? [];
  if (first === undefined || ![first, ...others].every(({ irreversible }) => irreversible)) return null;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `“${visibleText(first.description)}”${more} cannot be taken back`;
}
