import type { FinishReason } from '@banister/provider';
import type { StopReason } from '../conversation/turn-record.js';

const sentences = {
  length: 'The answer reached the token limit and was cut.',
  refusal: 'The model refused to answer.',
  'content-filter': 'A content filter of the provider stopped the answer.',
  approval: 'The server asks for an approval, which cannot be given from here.',
} as const;

/**
 * Returns why an answer stops its turn; null if it does not.
 *
 * @param detail a sentence of the provider, which is appended to the message
 */
export function stopReasonOf(reason: FinishReason | null, detail?: string): StopReason | null {
  if (reason === null || !Object.hasOwn(sentences, reason)) return null;
  const kind = reason as keyof typeof sentences;
  const message = sentences[kind];
  return detail ? { kind, message: `${message} ${detail}`, detail } : { kind, message };
}
