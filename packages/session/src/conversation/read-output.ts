import type { JsonObject } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { TurnRecord } from './turn-record.js';

/** Returns the output of a completed turn, which is the text of its last round; undefined for any other turn. */
export function readOutput({ rounds, status }: TurnRecord): JsonObject | undefined {
  if (status !== 'completed') return undefined;
  const texts = rounds.at(-1)?.parts.flatMap((part) => (part.type === 'text' ? part.text : [])) ?? [];
  try {
    const value: unknown = JSON.parse(texts.join(''));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
