import type { JsonObject } from '../json/json.js';

/** The places of a turn at which middleware is called. */
export type HookName =
  'beforeRequest' | 'afterResponse' | 'beforeToolCalls' | 'afterToolCall' | 'onToolError' | 'afterTurn';

/** One effect of a middleware. A hook that changed nothing has none. */
export type MiddlewareAct = { readonly middleware: string } & (
  | { readonly did: 'changed-request' }
  | { readonly did: 'replaced'; readonly callId: string; readonly arguments: JsonObject }
  | { readonly did: 'rejected'; readonly callId: string; readonly reason: string }
  /** The result of a call; what it was before is in no operation. */
  | { readonly did: 'replaced-result'; readonly callId: string }
  | { readonly did: 'escalated'; readonly reason: string }
  | { readonly did: 'continued'; readonly note: string }
  /** The hook asked for a continuation that the limits do not permit. */
  | { readonly did: 'not-continued'; readonly reason: string }
  /** The hook threw, took too long, or returned a value that it must not return. */
  | { readonly did: 'failed'; readonly reason: string }
);

/**
 * The hooks of one place were called: each middleware that has the hook, until the first that ends the list. It has no turn where the request is
 * that for a summary between two turns.
 */
export interface MiddlewareActed {
  readonly type: 'middlewareActed';
  readonly hook: HookName;
  /** Ids of the calls that the hooks got; present for `beforeToolCalls`, `afterToolCall` and `onToolError`. */
  readonly calls?: readonly string[];
  readonly acts: readonly MiddlewareAct[];
}

/**
 * A middleware withheld the answer of a round: its text and its thinking are removed, and its calls are rejected. Of its messages only
 * those of calls that ran inside the answer join the conversation.
 */
export interface AnswerWithheld {
  readonly type: 'answerWithheld';
  /** 1-based. */
  readonly round: number;
  /** The name of the middleware. */
  readonly middleware: string;
  /** A sentence for the user: the words of the middleware, else an English one. */
  readonly reason: string;
  /** Present where the middleware failed, and where the answer broke off before the middleware had it. */
  readonly because?: 'unchecked' | 'cut';
  /** The note with which the next round asks again; absent where the turn stops. */
  readonly again?: string;
}

export type MiddlewareOperation = MiddlewareActed | AnswerWithheld;
