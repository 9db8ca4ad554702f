import type { JsonObject, JsonValue } from '../json/json.js';

/** Plain or markdown text. */
export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Structured data in a tool result. */
export interface JsonPart {
  readonly type: 'json';
  readonly value: JsonValue;
}

/** An image, stored as bytes, so that a saved conversation needs nothing else. */
export interface ImagePart {
  readonly type: 'image';
  /** For example `image/png`. */
  readonly mediaType: string;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

/** A piece of a tool result. */
export type ContentPart = TextPart | JsonPart | ImagePart;

/** The model's reasoning. Signed reasoning is only worth anything byte for byte: never edit it. */
export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
  /** Opaque proof of origin that some providers want back unchanged. */
  readonly signature?: string;
  /**
   * The {@link Provider.id} that signed it; others leave the signature out. Missing without a signature, and in conversations
   * that were saved before it was kept: then every provider takes the signature for its own.
   */
  readonly signedBy?: string;
}

/** A tool call as the model wrote it. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** The session's own id, unique for ever. Results refer to it. */
  readonly id: string;
  /** The provider's id, which some providers use twice. */
  readonly providerCallId?: string;
  /** `domain.tool`, or whatever name the model made up. */
  readonly tool: string;
  /** The arguments, byte for byte. */
  readonly argumentsText: string;
  /** The parsed arguments; null when the text is no acceptable JSON object. */
  readonly arguments: JsonObject | null;
  /** The arguments that really ran, where the user edited them. */
  readonly ranWith?: JsonObject;
}

/** How a tool call ended. */
export type ToolResultOutcome =
  /** It did its work. */
  | 'success'
  /** It did its work, and asked that the turn stop. */
  | 'stop'
  /** It answered that it could not. */
  | 'failed'
  /** It refused by itself. */
  | 'denied'
  /** The app's state had moved on. */
  | 'conflict'
  /** It threw. */
  | 'thrown'
  /** It did not answer in time. */
  | 'timed-out'
  /** It ran, but its answer could not be represented as JSON. */
  | 'unusable'
  /** It never ran. */
  | 'rejected';

/** The one answer to a tool call. */
export interface ToolResult {
  readonly outcome: ToolResultOutcome;
  readonly content: readonly ContentPart[];
}

/** A tool result in a message. */
export interface ToolResultPart extends ToolResult {
  readonly type: 'tool-result';
  /** {@link ToolCallPart.id} */
  readonly callId: string;
}

/** Something that only its provider understands; kept and returned unchanged, never shown as text. */
export interface OpaquePart {
  readonly type: 'opaque';
  /** The provider that wrote it; others leave it out. */
  readonly provider: string;
  readonly data: JsonValue;
}

export type MessagePart = TextPart | ImagePart | ThinkingPart | ToolCallPart | ToolResultPart | OpaquePart;

/** True for outcomes that a model should treat as an error. */
export function isErrorOutcome(outcome: ToolResultOutcome): boolean {
  return outcome !== 'success' && outcome !== 'stop';
}
