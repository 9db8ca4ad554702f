import type { TextCitationParam } from '@anthropic-ai/sdk/resources/messages';
import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type JsonValue,
  type MessagePart,
} from '@banister/provider';
import { textIn } from '@banister/wire';

/**
 * The data of this provider's opaque parts: a content block exactly as the API sent it, or data about another
 * part of the message that has no field there. Only blocks have a `type`.
 */
export type OpaqueData =
  /** Redacted thinking, calls and results of server tools, and blocks of unknown types. */
  | { readonly kind: 'block'; readonly block: JsonObject & { readonly type: string } }
  /** Sources of the text part directly before. The API requires them together with the text. */
  | { readonly kind: 'citations'; readonly citations: readonly JsonValue[]; readonly textLength: number }
  /** The server tool that made a call of the message, and the container in which it waits. */
  | {
      readonly kind: 'caller';
      readonly callId: string;
      readonly caller: JsonObject;
      readonly container: string;
    }
  /** The server does not sign reasoning, and wants the reasoning of the message back beside its calls. */
  | { readonly kind: 'unsigned' };

/** The longest block that is stored, in characters. A document in base64 fits. */
const LONGEST_BLOCK = 64 * 1024 * 1024;

/**
 * Returns the data as JSON; null for data outside the limits for JSON from outside, because such data could
 * not stay in the conversation.
 */
export function toOpaque(data: OpaqueData): JsonValue | null {
  const { kind, ...fields } = data;
  const checked = strictParse(JSON.stringify('block' in fields ? fields.block : { [kind]: fields }), {
    maxLength: LONGEST_BLOCK,
  });
  return checked.ok ? checked.value : null;
}

/** Returns the data of a part; null for a part of another kind or provider. */
export function fromOpaque(part: MessagePart): OpaqueData | null {
  if (part.type !== 'opaque' || part.provider !== 'anthropic' || !isJsonObject(part.data)) return null;
  const { type, citations, caller, unsigned } = part.data;
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
  return unsigned === undefined ? null : { kind: 'unsigned' };
}

/** A piece of text, with or without its sources. */
export interface CitedText {
  readonly text: string;
  readonly citations: TextCitationParam[] | null;
}

/**
 * Splits text into the API's blocks, because the conversation joins text without sources with the cited text
 * after it.
 */
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
