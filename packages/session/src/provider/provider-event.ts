import type { ToolResult } from '../conversation/content.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { JsonValue } from '../json/json.js';

/**
 * The reason why an answer ended. With `tool-calls` and with `stop` the calls of the answer run, since providers confuse the two.
 * `length`, `refusal` and `content-filter` stop the turn, and no call runs; so does `approval`, with which a server asks for a
 * permission before it continues. `unknown`: the provider gave no reason.
 */
export type FinishReason = (typeof finishReasons)[number];

export const finishReasons = [
  'stop',
  'tool-calls',
  'length',
  'refusal',
  'content-filter',
  'approval',
  'unknown',
] as const;

/** A piece of an answer, as a provider streams it. */
export type ProviderEvent =
  /** Visible text; `refusal` marks the text in which the model refuses, where the API marks it. */
  | { readonly type: 'text'; readonly delta: string; readonly refusal?: true | undefined }
  /**
   * Reasoning. A `signature` closes the block that is open; a signature without a text is a block of its own. An empty `delta` without a
   * signature tells that the model thinks: its time counts for the limit `maxThinkingMs` from there on.
   */
  | { readonly type: 'thinking'; readonly delta: string; readonly signature?: string | undefined }
  /** A piece of a tool call. `index` is 0-based in order of arrival; the first piece of a call names the tool. */
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string | undefined;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool?: string | undefined;
      /**
       * On the first piece of the call of a tool that the provider hosts, and for which it asks for an approval. Its `tool` is `server.tool`. The
       * user is asked; with a success as its result, the tool may run, with any other one it may not.
       */
      readonly hosted?: true | undefined;
      readonly delta: string;
    }
  /**
   * A whole call that the model makes inside its own session, and whose result it needs before it continues the same answer. The
   * session decides and runs such calls like any other, one at a time in order of arrival, and calls `answer` once with the
   * result; never when the turn ends first, which fires the stream's signal. Must not follow a `tool-call`.
   */
  | {
      readonly type: 'inner-call';
      readonly id?: string | undefined;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool: string;
      /** The arguments as the model wrote them; the session parses and checks them. */
      readonly argumentsText: string;
      answer(result: ToolResult): void;
    }
  /** Data that only this provider can read, and that it requires back unchanged. */
  | { readonly type: 'opaque'; readonly data: JsonValue }
  /** Usage of this answer so far; the last one counts. Each count and the cost are finite numbers from 0 on. */
  | { readonly type: 'usage'; readonly usage: UsageReport }
  /**
   * The evidence that the answer is whole. Only `usage` may follow. `raw` is the server's own name of the reason, `detail`
   * the server's explanation, as sentences for the user.
   */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly raw?: string | undefined;
      readonly detail?: string | undefined;
    };
