import type { Operation } from '../operations/operation.js';

/**
 * Writes the operations of a session to a place that outlives the page. The session hands over every operation, in order and without a
 * gap, and makes one write at a time: the next one begins when `write` has returned, or its promise is settled.
 *
 * A step that acts on the app waits until the operations before it are written: the call of an executor, the commit, the first revert of an
 * undo. Operations that are refused stay in memory, and are written again together with those after them.
 *
 * @example
 * const journal: Journal = {
 *   async write(operations) {
 *     const { ok } = await fetch('/journal', { method: 'POST', body: JSON.stringify(operations) });
 *     if (!ok) throw new Error('The journal was not written.');
 *   },
 * };
 * const session = createAgentSession({ provider, ports: { journal } });
 */
export interface Journal {
  /**
   * Writes operations that follow those of the last write. When it throws, rejects, or takes longer than 5 seconds, the write counts as
   * refused. A write that is accepted later than that counts as written.
   *
   * Rejects with an `AgentSessionError` `storage` whose `details.reason` is `fenced` when another writer owns the session: this session
   * then ends its turn without a rollback, and writes nothing more.
   *
   * @param operations at least one; readonly, with the request to the model in `modelCallStarted`
   * @param options `barrier`: true when the session waits for this write. Every operation up to here must then outlive a crash when
   *   the write is done. False for text on its way, which may still be lost then
   * @returns nothing when the write is done, which holds up nothing; else a promise that resolves when it is
   */
  write(operations: readonly Operation[], options: { readonly barrier: boolean }): void | Promise<void>;
}
