import type { ErrorData, JsonObject, JsonValue } from '@banister/provider';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import type { EffectFailure } from '../conversation/failure-reason.js';
import type { StopReason, ToolCallView } from '../conversation/turn-record.js';
import type { CallPreview, ConfirmationRequest } from '../consent/confirmation-operations.js';
import { englishOf, problemOf, textOfResult } from './call-problem.js';
import type { CallProblem, Phrase, WordTable } from './word-table.js';

/** A tool, in the form of calls and questions. */
export interface TitledCall {
  /** `domain.tool` */
  readonly tool: string;
  readonly title?: string;
  readonly arguments?: JsonValue;
}

/** Turns codes and values into sentences with one table. If a phrase is missing or fails, the English sentence stays. */
export class Phrases {
  /** The places of the phrases whose failure was reported. */
  private readonly failed = new Set<string>();

  constructor(
    readonly table: WordTable,
    private readonly reportError: (error: unknown) => void,
  ) {}

  error({ code, message, details, retry }: ErrorData): string {
    return this.phrase('errors', code, { ...details, message, retry }, message);
  }

  stop(stop: StopReason): string {
    const { kind, message, limit, ...values } = stop;
    if (kind === 'tool') return message;
    const english = limit === undefined ? message : this.error({ ...limit, message, retry: 'after-action' });
    return this.phrase('stops', kind, { ...values, limit, message }, english);
  }

  question({ because, reason, call, irreversible, cost, guard }: ConfirmationRequest): string {
    if (because === undefined) return reason;
    const { code } = because;
    const capabilities = code === 'capabilities' ? because.capabilities : [];
    const values = {
      ...this.named(call),
      arguments: call.arguments,
      irreversible,
      cost,
      guard,
      capabilities,
    };
    return this.phrase('questions', code, values, reason);
  }

  preview(preview: CallPreview): CallPreview {
    if (preview.kind !== 'failed' || preview.because === undefined) return preview;
    const { because, reason } = preview;
    const words = this.phrase('previews', because.code, because, reason);
    return words === reason ? preview : { ...preview, reason: words };
  }

  failure({ because, reason }: EffectFailure): string {
    return because === undefined ? reason : this.phrase('failures', because.code, because, reason);
  }

  call(call: ToolCallView): string | null {
    const problem: CallProblem | null = problemOf(call);
    if (problem === null) return null;
    if (call.result?.forUser) return call.result.forUser;
    const { readOnly = false } = call;
    const values = { ...this.named(call), text: textOfResult(call), readOnly };
    return this.phrase('calls', problem, values, englishOf(problem, call));
  }

  title(call: TitledCall): string {
    return this.ownTitle(call) ?? call.tool;
  }

  /** Returns the title of a call; undefined if neither the table nor the log has one. */
  ownTitle({ tool, title, arguments: given }: TitledCall): string | undefined {
    const values = { title, arguments: isJsonObject(given) ? given : {} };
    return this.phrase('titles', tool, values, title);
  }

  private named(call: TitledCall) {
    return { tool: call.tool, name: this.title(call) };
  }

  private phrase<English extends string | undefined>(
    section: keyof WordTable,
    key: string,
    values: JsonObject | object,
    english: English,
  ): string | English {
    const phrases = this.table[section] as { readonly [key: string]: Phrase<object> } | undefined;
    if (phrases === undefined || !Object.hasOwn(phrases, key)) return english;
    const phrase = phrases[key];
    if (phrase === undefined) return english;
    try {
      const words: unknown = typeof phrase === 'function' ? phrase(values) : phrase;
      if (typeof words === 'string' && words.trim() !== '') return words;
      throw new TypeError('it gave no text');
    } catch (cause) {
      this.report(`${section}["${key}"]`, cause);
      return english;
    }
  }

  /** Reports a failing phrase only once, because it would fail again with each publication. */
  private report(place: string, cause: unknown): void {
    if (this.failed.has(place)) return;
    this.failed.add(place);
    this.reportError(
      new Error(sentence(`The words ${place} cannot be used: ${messageOf(cause)}`), { cause }),
    );
  }
}
