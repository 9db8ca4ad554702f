import type { ToolCallView } from '@banister/session';
import { isJsonObject } from '@banister/provider';

/**
 * Returns the card that a call is about: its id, or else its title; null if the call has not ended, or is not
 * about exactly one card.
 */
export function cardOfCall({ state, result, ranWith, arguments: given }: ToolCallView): string | null {
  if (state !== 'settled') return null;
  for (const part of result?.content ?? []) {
    const id = part.type === 'json' && isJsonObject(part.value) ? part.value['id'] : undefined;
    if (typeof id === 'string') return id;
  }
  const args = ranWith ?? given;
  const card = isJsonObject(args) ? (args['card'] ?? args['title']) : undefined;
  return typeof card === 'string' ? card : null;
}
