import type { ToolResult } from '../messages/content.js';
import type { UsageReport } from '../messages/usage-report.js';
import type { JsonValue } from '../json/json.js';

/**
 * Why an answer ended. With both `tool-calls` and `stop` the calls of the answer run, because providers confuse the two. `length`,
 * `refusal` and `content-filter` stop the turn, and no call runs. `approval` does the same: a server asks for a permission before it
 * continues. `unknown`: the provider gave no reason.
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
  /** Visible text. `refusal` marks text in which the model refuses, if the API marks it. */
  | { readonly type: 'text'; readonly delta: string; readonly refusal?: true | undefined }
  /**
   * Reasoning. A `signature` closes the open block; a signature without a text is a block of its own. An empty `delta` without a signature
   * says that the model has begun to think: from then on its time counts for the limit `maxThinkingMs`.
   */
  | { readonly type: 'thinking'; readonly delta: string; readonly signature?: string | undefined }
  /** A piece of a tool call. `index` is 0-based in order of arrival. The first piece of a call names the tool. */
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string | undefined;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool?: string | undefined;
      /**
       * Present on the first piece of a call of a tool that the provider hosts, and for which it asks for an approval. Its `tool` is
       * `server.tool`. The user is asked. If the result is a success, the tool may run; with any other result it may not.
       */
      readonly hosted?: true | undefined;
      readonly delta: string;
    }
  /**
   * A complete call that the model makes inside its own session. The model waits for its result before it continues the same answer. The
   * session decides about such calls and runs them like any other call, one at a time in order of arrival, and calls `answer` once with the
   * result. If the turn ends first, the stream's signal fires, and `answer` is not called. Must not follow a `tool-call`.
   */
  | {
      readonly type: 'inner-call';
      readonly id?: string | undefined;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool: string;
      /** The arguments as the model wrote them. The session parses and checks them. */
      readonly argumentsText: string;
      answer(result: ToolResult): void;
    }
  /** Data that only this provider can read, and that it requires back unchanged. */
  | { readonly type: 'opaque'; readonly data: JsonValue }
  /** Usage of this answer until now; only the last report counts. Each count and the cost must be finite numbers that are not negative. */
  | { readonly type: 'usage'; readonly usage: UsageReport }
  /**
   * Shows that the answer is complete. Only `usage` may follow. `raw` is the server's own name of the reason, and `detail` the server's
   * explanation, as sentences for the user.
   */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly raw?: string | undefined;
      readonly detail?: string | undefined;
    };
