import type { RejectionReason, StopReason } from '../conversation/turn-record.js';
import type { FailureReason } from '../conversation/failure-reason.js';
import type { ErrorCode, RetryHint } from '../errors/agent-session-error.js';
import type { JsonObject } from '../json/json.js';
import type {
  AskReason,
  ConfirmationRequest,
  PreviewFailure,
} from '../operations/confirmation-operations.js';

/** Words for the user: a text, or a function that makes it of the values. */
export type Phrase<Values> = string | ((values: Values) => string);

/**
 * The words that the user sees in place of the English ones: each section, each key, is optional. A key that is missing keeps the English words;
 * so does one whose function throws, or returns no text.
 *
 * @example
 * const german: WordTable = {
 *   errors: { 'max-rounds': ({ limit }) => `Nach ${limit} Runden ist Schluss.` },
 *   questions: { tool: ({ name }) => `Der Agent möchte „${name}“ ausführen.` },
 *   titles: { 'board.publish': 'Tafel veröffentlichen' },
 * };
 */
export interface WordTable {
  /** Errors by code: of turns, of commands, of a provider that was replaced by another one. */
  readonly errors?: { readonly [Code in ErrorCode]?: Phrase<ErrorValues<Code>> | undefined } | undefined;
  /**
   * Reasons for which a turn stopped before the model had finished. One that is missing for `limit` is that of the error. A `tool` that stopped
   * the turn has words of its own.
   */
  readonly stops?:
    { readonly [Kind in Exclude<StopReason['kind'], 'tool'>]?: Phrase<StopValues> | undefined } | undefined;
  /** Questions of this library. A guard of the app has words of its own. */
  readonly questions?:
    { readonly [Code in AskReason['code']]?: Phrase<QuestionValues> | undefined } | undefined;
  /** Reasons of this library for which the preview of a call failed. */
  readonly previews?:
    | {
        readonly [Code in PreviewFailure['code']]?:
          Phrase<Extract<PreviewFailure, { readonly code: Code }>> | undefined;
      }
    | undefined;
  /** Reasons of this library for which an effect could not be taken back, or made again. */
  readonly failures?:
    { readonly [Code in FailureReason['code']]?: Phrase<FailureValues<Code>> | undefined } | undefined;
  /** Reasons for which a call did not run, or did not work. */
  readonly calls?: { readonly [Code in CallProblem]?: Phrase<CallValues> | undefined } | undefined;
  /** Titles of tools by id, `domain.tool`, in place of those that the log has. */
  readonly titles?: { readonly [tool: string]: Phrase<TitleValues> | undefined } | undefined;
}

/** The values of an error: its `details`, of which each may be missing, and the English words. */
export type ErrorValues<Code extends ErrorCode> = Partial<
  Code extends keyof ErrorDetails ? ErrorDetails[Code] : JsonObject
> & {
  /** The English words, with those of a server where it said something. */
  readonly message: string;
  readonly retry: RetryHint;
};

interface Limited {
  /** In the unit of the limit: rounds, calls, milliseconds, tokens, money. */
  readonly limit: number;
}

interface Answered {
  /** The HTTP status. */
  readonly status: number;
}

/** The details of errors, by code. A code that is not here has details of its provider, or none. */
export interface ErrorDetails {
  'max-rounds': Limited;
  'max-tool-calls': Limited;
  'max-calls-per-answer': Limited;
  'repeated-call': Limited;
  /** In milliseconds; of the model's thinking with `of`. */
  timeout: Limited & { readonly of: 'thinking' };
  /** Of all turns with `of`. */
  'token-budget': Limited & { readonly of: 'session' };
  'cost-budget': Limited & { readonly of: 'session'; readonly currency: string };
  /** Turns in the way, domains that the user changed, obstacles on the way to a branch, or an interrupted turn. */
  conflict: {
    readonly inTheWay: readonly string[];
    readonly domains: readonly string[];
    readonly obstacles: readonly JsonObject[];
    readonly reason: 'interrupted';
  };
  /** A file that is too large, in bytes: `limit` is the name of the limit, `bound` its value. */
  'invalid-input': {
    readonly name: string;
    readonly size: number;
    readonly limit: string;
    readonly bound: number;
  };
  /** A release that is too old; a model that does not accept this; a file of another type; a conversation that is open elsewhere. */
  unsupported: {
    readonly version: number;
    readonly supported: number;
    readonly model: string;
    readonly name: string;
    readonly reason: 'open-elsewhere';
  };
  /** The name of the file. */
  'unreadable-attachment': { readonly name: string };
  /** A turn that was abandoned, or that a reload left; a command whose session ended. None: the answer of the model broke off. */
  interrupted: { readonly abandoned: true; readonly reason: 'page-left' | 'command' };
  'tool-choice-not-honored': { readonly called: readonly string[] };
  'egress-refused': { readonly middleware: string };
  'tool-escalated': { readonly tool: string; readonly callId: string; readonly middleware: string };
  'structured-output-invalid': { readonly reason: string };
  /** `code`: a part of the page could not be loaded. None: the server could not be reached. */
  network: Answered & { readonly reason: 'code' };
  /** For example `fenced`, `damaged`, `evicted`, `quota`. */
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

/** The tool of a call in words. */
export interface NamedTool {
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool, or else its id. */
  readonly name: string;
}

/** The values of a question. */
export interface QuestionValues
  extends NamedTool, Pick<ConfirmationRequest, 'irreversible' | 'cost' | 'guard'> {
  readonly arguments: JsonObject;
  /** With the code `capabilities`: those of the tool that the guard asks about. */
  readonly capabilities: readonly string[];
}

/** The values of an effect that stays as it is. */
export type FailureValues<Code extends FailureReason['code']> = Extract<
  FailureReason,
  { readonly code: Code }
>;

/**
 * The reason for which a call did not run, or did not work: that of its rejection, or `tool-failed`, `tool-threw`, `tool-refused` and
 * `tool-conflict` of a tool that ran. `timed-out`: it was cut. `unusable`: its result cannot be used. `interrupted`: it may or
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

/** The values of a call that did not run, or did not work. */
export interface CallValues extends NamedTool {
  /** The texts of its result, as the model reads them. */
  readonly text: string;
  /** Whether it changes nothing: a call of a `readOnly` tool that was cut has not acted. */
  readonly readOnly: boolean;
}

/** The values of a title. */
export interface TitleValues {
  /** The title of the log; undefined where the tool had none. */
  readonly title: string | undefined;
  /** The arguments, as far as they have arrived. */
  readonly arguments: JsonObject;
}
