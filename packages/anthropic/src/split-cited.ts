import type { TextCitationParam } from '@anthropic-ai/sdk/resources/messages';
import type { MessagePart } from '@handrail/session/provider';
import { fromOpaque } from './opaque-data.js';

/** A piece of text that has its sources, or none. */
export interface CitedText {
  readonly text: string;
  readonly citations: TextCitationParam[] | null;
}

/** Text as the API sent it: the conversation joins blocks without sources with the block after them that has some. */
export function splitCited(text: string, next: MessagePart | undefined): readonly CitedText[] {
  const data = next === undefined ? null : fromOpaque(next);
  if (data?.kind !== 'citations' || data.textLength > text.length) return [{ text, citations: null }];
  const start = text.length - data.textLength;
  const citations = data.citations as unknown as TextCitationParam[];
  return [
    { text: text.slice(0, start), citations: null },
    { text: text.slice(start), citations },
  ];
}
