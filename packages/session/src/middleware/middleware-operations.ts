import type { JsonObject } from '@banister/provider';

/** The hooks of middleware, which are called at these places of a turn. */
export type HookName =
  'beforeRequest' | 'afterResponse' | 'beforeToolCalls' | 'afterToolCall' | 'onToolError' | 'afterTurn';

/** What a middleware did. A hook that changed nothing has no act. */
export type MiddlewareAct = { readonly middleware: string } & (
  | { readonly did: 'changed-request' }
  | { readonly did: 'replaced'; readonly callId: string; readonly arguments: JsonObject }
  | { readonly did: 'rejected'; readonly callId: string; readonly reason: string }
  /** The hook replaced the result of a call. The earlier result is in no operation. */
  | { readonly did: 'replaced-result'; readonly callId: string }
  | { readonly did: 'escalated'; readonly reason: string }
  | { readonly did: 'continued'; readonly note: string }
  /** The hook asked for a continuation that the limits do not permit. */
  | { readonly did: 'not-continued'; readonly reason: string }
  /** The hook threw, took too long, or returned a value that it must not return. */
  | { readonly did: 'failed'; readonly reason: string }
);

/**
 * The hooks of one place were called: each middleware with this hook, until a middleware ended the list. The operation has no turn if the
 * request is for a summary between two turns.
 */
export interface MiddlewareActed {
  readonly type: 'middlewareActed';
  readonly hook: HookName;
  /** Ids of the calls that the hooks received; present for `beforeToolCalls`, `afterToolCall` and `onToolError`. */
  readonly calls?: readonly string[];
  readonly acts: readonly MiddlewareAct[];
}

/**
 * A middleware withheld the answer of a round. Its text and its thinking are removed, and its calls are rejected. Only the messages of
 * calls that ran inside the answer join the conversation.
 */
export interface AnswerWithheld {
  readonly type: 'answerWithheld';
  /** 1-based. */
  readonly round: number;
  /** The name of the middleware. */
  readonly middleware: string;
  /** A sentence for the user, from the middleware, or an English one. */
  readonly reason: string;
  /** `unchecked`: the middleware failed. `cut`: the answer was interrupted before the middleware received it. */
  readonly because?: 'unchecked' | 'cut';
  /** The note with which the next round requests the answer again; absent if the turn stops. */
  readonly again?: string;
}

export type MiddlewareOperation = MiddlewareActed | AnswerWithheld;
