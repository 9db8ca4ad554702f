import type { TextCitationParam } from '@anthropic-ai/sdk/resources/messages';
import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type JsonValue,
  type MessagePart,
} from '@handrail/session/provider';
import { textIn } from '@handrail/wire';

/**
 * What the opaque parts of this provider hold: a content block, exactly as the API sent it, or something that belongs to a
 * part of another kind and has no place in it. Only blocks have a `type`.
 */
export type OpaqueData =
  /** Redacted thinking, what server tools do, and every kind of block that is not known here. */
  | { readonly kind: 'block'; readonly block: JsonObject & { readonly type: string } }
  /** Sources of the text that stands right before; the API wants them back with it. */
  | { readonly kind: 'citations'; readonly citations: readonly JsonValue[]; readonly textLength: number }
  /** Which server tool made a call of the message, and the container that it waits in. */
  | {
      readonly kind: 'caller';
      readonly callId: string;
      readonly caller: JsonObject;
      readonly container: string;
    };

/** Characters of the longest block that is kept: a document in base64 fits. */
const LONGEST_BLOCK = 64 * 1024 * 1024;

/** What goes into the conversation; null for what is no acceptable JSON. Kept for ever and sent back, so it is held to bounds. */
export function toOpaque(data: OpaqueData): JsonValue | null {
  const { kind, ...fields } = data;
  const checked = strictParse(JSON.stringify('block' in fields ? fields.block : { [kind]: fields }), {
    maxLength: LONGEST_BLOCK,
  });
  return checked.ok ? checked.value : null;
}

/** What a part of the conversation holds, when this provider wrote it. */
export function fromOpaque(part: MessagePart): OpaqueData | null {
  if (part.type !== 'opaque' || part.provider !== 'anthropic' || !isJsonObject(part.data)) return null;
  const { type, citations, caller } = part.data;
  if (typeof type === 'string') return { kind: 'block', block: { ...part.data, type } };
  if (isJsonObject(citations) && Array.isArray(citations['citations'])) {
    const { textLength } = citations;
    return {
      kind: 'citations',
      citations: citations['citations'] as readonly JsonValue[],
      textLength: typeof textLength === 'number' ? textLength : 0,
    };
  }
  if (isJsonObject(caller) && isJsonObject(caller['caller'])) {
    const { callId, container } = caller;
    return { kind: 'caller', callId: textIn(callId), caller: caller['caller'], container: textIn(container) };
  }
  return null;
}

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
