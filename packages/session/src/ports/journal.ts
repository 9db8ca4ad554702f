import type { Operation } from '../operations/operation.js';

/**
 * Writes the operations of a session to a place that outlives the page. The session passes every operation, in order and without a gap, and
 * makes one write at a time: the next write begins after `write` has returned, or after its promise has settled.
 *
 * A step that acts on the app waits until the earlier operations are written: the call of an executor, the commit, the first revert of an
 * undo. Refused operations stay in memory, and are written again together with later operations.
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
   * Writes the operations after the operations of the last write. If it throws, rejects, or takes longer than 5 seconds, the write counts
   * as refused. If the write succeeds after that, it counts as written.
   *
   * Rejects with an `AgentSessionError` `storage` with the `details.reason` `fenced` if another writer owns the session. Then this session
   * ends its turn without a rollback, and writes nothing more.
   *
   * @param operations at least one; readonly, with the request to the model in `modelCallStarted`
   * @param options `barrier`: true if the session waits for this write; then, when the write is done, every operation until here must
   *   outlive a crash. False for text that is still arriving; such text may be lost in a crash
   * @returns undefined if the write is already done, so that no step waits; otherwise a promise that resolves when the write is done
   */
  write(operations: readonly Operation[], options: { readonly barrier: boolean }): void | Promise<void>;
}
