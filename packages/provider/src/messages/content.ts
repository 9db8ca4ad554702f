import type { AttachedFile } from './attachment.js';
import type { ModelIdentity } from './model-identity.js';
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

/** An image with its bytes, so that a saved conversation does not refer to other files. */
export interface ImagePart {
  readonly type: 'image';
  /** For example `image/png`. */
  readonly mediaType: string;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
  /** The name of the file, if it is known. */
  readonly name?: string;
}

/**
 * A file of the user. All messages share its content, which is `attachments[id]` of the state. In a request, the content replaces this
 * part.
 */
export interface AttachmentPart extends AttachedFile {
  readonly type: 'attachment';
}

/** A PDF with its bytes. In requests it replaces an {@link AttachmentPart}. */
export interface FilePart {
  readonly type: 'file';
  readonly name: string;
  readonly mediaType: string;
  /** Base64, without a `data:` prefix. */
  readonly data: string;
}

/** A piece of a tool result. */
export type ContentPart = TextPart | JsonPart | ImagePart;

/** The model's reasoning. A provider accepts signed reasoning only byte for byte: never edit it. */
export interface ThinkingPart {
  readonly type: 'thinking';
  readonly text: string;
  /** An opaque proof of origin. Some providers require it back, unchanged. */
  readonly signature?: string;
  /**
   * The {@link Provider.id} that signed it. Requests to other providers leave the signature out. Absent without a signature, and in
   * conversations that were saved by releases without this field; then each provider treats the signature as its own.
   */
  readonly signedBy?: string;
  /**
   * The model that signed it. Requests to any other model leave the signature out. Absent if `signedBy` is absent, and in conversations of
   * older releases.
   */
  readonly owner?: ModelIdentity;
}

/** A tool call as the model wrote it. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  /** The session's own id, unique in the conversation. Results refer to it. */
  readonly id: string;
  /** The provider's id. Some providers use an id twice. */
  readonly providerCallId?: string;
  /** `domain.tool`, or a name that the model made up. */
  readonly tool: string;
  /**
   * True for a call of a tool that the provider hosts itself, and for which it asks for an approval: `server.tool`. The session answers
   * with the user's decision, and the tool runs at the provider.
   */
  readonly hosted?: true;
  /** The arguments as the model wrote them, byte for byte. */
  readonly argumentsText: string;
  /** The parsed arguments; null if the text is not an acceptable JSON object. */
  readonly arguments: JsonObject | null;
  /** The arguments that the executor received, if the user edited them, or a middleware replaced them. */
  readonly ranWith?: JsonObject;
}

/** How a tool call ended. */
export type ToolResultOutcome =
  /** The tool did its work. */
  | 'success'
  /** The tool did its work and stopped the turn, with `stop(…)`. */
  | 'stop'
  /** The tool could not do its work: it returned `failed(…)`. */
  | 'failed'
  /** The tool refused: it returned `denied(…)`. */
  | 'denied'
  /** The app's state had changed since the model read it: the tool returned `conflict(…)`. */
  | 'conflict'
  /** The tool threw. */
  | 'thrown'
  /** The tool did not return in time. */
  | 'timed-out'
  /** The tool ran, but its result is not JSON, or too large. */
  | 'unusable'
  /** The session ended while the tool ran: it may or may not have done its work. */
  | 'interrupted'
  /** The tool never ran. */
  | 'rejected';

/** The result of a tool call. Each call has exactly one. */
export interface ToolResult {
  readonly outcome: ToolResultOutcome;
  /** The result as the model reads it. */
  readonly content: readonly ContentPart[];
  /** Why the call did not run, or failed, as a sentence for the user, if the guard or the tool gave one. The model does not read it. */
  readonly forUser?: string;
}

/** A tool result in a message. */
export interface ToolResultPart extends Omit<ToolResult, 'forUser'> {
  readonly type: 'tool-result';
  /** {@link ToolCallPart.id} */
  readonly callId: string;
}

/** Data that only its provider can read. It is kept and sent back unchanged, and never shown as text. */
export interface OpaquePart {
  readonly type: 'opaque';
  /** The {@link Provider.id} that wrote it. Requests to other providers leave the part out. */
  readonly provider: string;
  /** The model that wrote it. Requests to any other model leave the part out. Absent in conversations of older releases. */
  readonly owner?: ModelIdentity;
  readonly data: JsonValue;
}

/** A part of a message. */
export type MessagePart =
  | TextPart
  | ImagePart
  | AttachmentPart
  | FilePart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart
  | OpaquePart;

/** Returns true for each outcome except `success` and `stop`. Adapters mark such a result as an error for the model. */
export function isErrorOutcome(outcome: ToolResultOutcome): boolean {
  return outcome !== 'success' && outcome !== 'stop';
}
