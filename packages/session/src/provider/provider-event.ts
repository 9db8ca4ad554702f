import type { ToolResult } from '../conversation/content.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { JsonValue } from '../json/json.js';

/**
 * Why an answer ended. `tool-calls` and `stop` both let the calls of the answer run, since providers mix them up;
 * `length`, `refusal` and `content-filter` stop the turn and run nothing; so does `approval`, where the server wants to be
 * allowed something before it goes on. `unknown`: the provider did not say.
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
  /** Visible text; `refusal` marks the words in which the model refuses, where the API tells them apart. */
  | { readonly type: 'text'; readonly delta: string; readonly refusal?: true }
  /** Reasoning. A `signature` closes the block that is open; a signature without text is a block of its own. */
  | { readonly type: 'thinking'; readonly delta: string; readonly signature?: string }
  /** A piece of a tool call. `index` is 0-based in order of arrival; the first piece of a call names the tool. */
  | {
      readonly type: 'tool-call';
      readonly index: number;
      readonly id?: string;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool?: string;
      readonly delta: string;
    }
  /**
   * A whole call that the model makes inside its own session, and waits for before it goes on with the same answer. The
   * session decides and runs it like any other call, one after the other in order of arrival, and hands the result to
   * `answer`, once; never when the turn ends first, which fires the stream's signal. Must not follow a `tool-call`.
   */
  | {
      readonly type: 'inner-call';
      readonly id?: string;
      /** `domain.tool`, already mapped back from the wire name. */
      readonly tool: string;
      /** As the model wrote them: JSON, whether it fits or not. */
      readonly argumentsText: string;
      answer(result: ToolResult): void;
    }
  /** Something that only this provider understands and wants back unchanged. */
  | { readonly type: 'opaque'; readonly data: JsonValue }
  /** Usage of this answer so far; the last one counts. Each count and the cost are finite numbers from 0 on. */
  | { readonly type: 'usage'; readonly usage: UsageReport }
  /**
   * The evidence that the answer is whole. Only `usage` may follow. `raw` is the server's own word for the reason, `detail`
   * what it says about it, as sentences for the user.
   */
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly raw?: string;
      readonly detail?: string;
    };
