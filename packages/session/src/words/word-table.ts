import type { ErrorCode, JsonObject, RetryHint } from '@banister/provider';
import type { RejectionReason, StopReason } from '../conversation/turn-record.js';
import type { FailureReason } from '../conversation/failure-reason.js';
import type { AskReason, ConfirmationRequest, PreviewFailure } from '../consent/confirmation-operations.js';

/** A sentence for the user: a string, or a function that creates it from the values. */
export type Phrase<Values> = string | ((values: Values) => string);

/**
 * The words that the user sees instead of the English words. Each section and each key is optional. If a key is missing, or if its function
 * throws or returns no text, the English words stay.
 *
 * @example
 * const german: WordTable = {
 *   errors: { 'max-rounds': ({ limit }) => `Nach ${limit} Runden ist Schluss.` },
 *   questions: { tool: ({ name }) => `Der Agent möchte „${name}“ ausführen.` },
 *   titles: { 'board.publish': 'Tafel veröffentlichen' },
 * };
 */
export interface WordTable {
  /** Errors by code: of turns, of commands, and of a provider that was replaced by another provider. */
  readonly errors?: { readonly [Code in ErrorCode]?: Phrase<ErrorValues<Code>> | undefined } | undefined;
  /**
   * Why a turn stopped before the model had finished, by kind. If the phrase for `limit` is missing, the phrase of the error is used. A
   * `tool` that stops the turn gives its own sentence.
   */
  readonly stops?:
    { readonly [Kind in Exclude<StopReason['kind'], 'tool'>]?: Phrase<StopValues> | undefined } | undefined;
  /** Questions of this library, by code. A guard of the app gives its own sentence. */
  readonly questions?:
    { readonly [Code in AskReason['code']]?: Phrase<QuestionValues> | undefined } | undefined;
  /** Why the preview of a call failed, by code of this library. */
  readonly previews?:
    | {
        readonly [Code in PreviewFailure['code']]?:
          Phrase<Extract<PreviewFailure, { readonly code: Code }>> | undefined;
      }
    | undefined;
  /** Why an effect could not be taken back, or made again, by code of this library. */
  readonly failures?:
    { readonly [Code in FailureReason['code']]?: Phrase<FailureValues<Code>> | undefined } | undefined;
  /** Why a call did not run, or failed, by code. */
  readonly calls?: { readonly [Code in CallProblem]?: Phrase<CallValues> | undefined } | undefined;
  /** Titles of tools by id, `domain.tool`, which replace the titles in the log. */
  readonly titles?: { readonly [tool: string]: Phrase<TitleValues> | undefined } | undefined;
}

/** The values of an error: its `details`, each of which may be missing, and the English message. */
export type ErrorValues<Code extends ErrorCode> = Partial<
  Code extends keyof ErrorDetails ? ErrorDetails[Code] : JsonObject
> & {
  /** The English message, including the message of the server if it sent one. */
  readonly message: string;
  readonly retry: RetryHint;
};

interface Limited {
  /** The limit in its unit: rounds, calls, milliseconds, tokens, or money. */
  readonly limit: number;
}

interface Answered {
  /** The HTTP status. */
  readonly status: number;
}

/** The details of errors, by code. A code that is not listed has details of its provider, or none. */
export interface ErrorDetails {
  'max-rounds': Limited;
  'max-tool-calls': Limited;
  'max-calls-per-answer': Limited;
  'max-children': Limited;
  'max-depth': Limited;
  'repeated-call': Limited;
  /** In milliseconds. With `of`, the limit of the model's thinking. */
  timeout: Limited & { readonly of: 'thinking' };
  /** With `of`, the limit for all turns of the session. */
  'token-budget': Limited & { readonly of: 'session' };
  'cost-budget': Limited & { readonly of: 'session'; readonly currency: string };
  /** Turns in the way, domains that the user changed, obstacles of a branch command, or an interrupted turn. */
  conflict: {
    readonly inTheWay: readonly string[];
    readonly domains: readonly string[];
    readonly obstacles: readonly JsonObject[];
    readonly reason: 'interrupted';
  };
  /** A file that is too large. `size` and `bound` are in bytes: `limit` is the name of the limit, `bound` its value. */
  'invalid-input': {
    readonly name: string;
    readonly size: number;
    readonly limit: string;
    readonly bound: number;
  };
  /**
   * One of these: a release that is too old; a model that does not accept the input; a file of another type; a conversation that is open
   * elsewhere.
   */
  unsupported: {
    readonly version: number;
    readonly supported: number;
    readonly model: string;
    readonly name: string;
    readonly reason: 'open-elsewhere';
  };
  /** The name of the file. */
  'unreadable-attachment': { readonly name: string };
  /**
   * A turn that was abandoned, or left by a reload; or a command whose session ended. Without these details, the answer of the model was
   * interrupted.
   */
  interrupted: { readonly abandoned: true; readonly reason: 'page-left' | 'command' };
  'tool-choice-not-honored': { readonly called: readonly string[] };
  'egress-refused': { readonly middleware: string };
  'tool-escalated': { readonly tool: string; readonly callId: string; readonly middleware: string };
  'structured-output-invalid': { readonly reason: string };
  /** `code`: a part of the page could not be loaded. Without `reason`, the server could not be reached. */
  network: Answered & { readonly reason: 'code' };
  /** The reason, for example `fenced`, `damaged`, `evicted`, `quota`. */
  storage: { readonly reason: string; readonly outcome: string };
  auth: Answered;
  model: Answered;
  'rate-limit': Answered;
  quota: Answered;
  'context-length': Answered;
  refused: Answered;
  overloaded: Answered;
  server: Answered;
}

/** The values of a turn that stopped. */
export type StopValues = Omit<StopReason, 'kind'>;

/** The tool of a call, for sentences. */
export interface NamedTool {
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool, or its id if it has no title. */
  readonly name: string;
}

/** The values of a question. */
export interface QuestionValues
  extends NamedTool, Pick<ConfirmationRequest, 'irreversible' | 'cost' | 'guard'> {
  readonly arguments: JsonObject;
  /** With the code `capabilities`: the capabilities of the tool about which the guard asks. */
  readonly capabilities: readonly string[];
}

/** The values of an effect that stays as it is. */
export type FailureValues<Code extends FailureReason['code']> = Extract<
  FailureReason,
  { readonly code: Code }
>;

/**
 * Why a call did not run, or failed. If it did not run, the reason of its rejection. `tool-failed`, `tool-threw`, `tool-refused` and
 * `tool-conflict`: the tool ran and failed. `timed-out`: it was aborted. `unusable`: its result cannot be used. `interrupted`: it may or
 * may not have acted, unless it is `readOnly`.
 */
export type CallProblem =
  | RejectionReason
  | 'tool-failed'
  | 'tool-threw'
  | 'tool-refused'
  | 'tool-conflict'
  | 'timed-out'
  | 'unusable'
  | 'interrupted';

/** The values of a call that did not run, or failed. */
export interface CallValues extends NamedTool {
  /** The texts of its result, as the model reads them. */
  readonly text: string;
  /** Whether the tool is `readOnly`. If so, an aborted call has not changed anything. */
  readonly readOnly: boolean;
}

/** The values of a title. */
export interface TitleValues {
  /** The title in the log; undefined if the tool had none. */
  readonly title: string | undefined;
  /** The part of the arguments that has arrived. */
  readonly arguments: JsonObject;
}
