import {
  UndoHistory,
  type CommittedEffects,
  type Revision,
  type UndoEntry,
  type UndoProvider,
  type UndoTransaction,
} from '@banister/session';

/** The methods of an undo provider, of its transaction and of its committed effects. */
export type HistoryMethod = 'begin' | 'record' | 'commit' | 'rollback' | 'revert' | 'reapply';

/** How a method fails. */
export type HistoryFault = 'throw' | 'hang' | Error;

/** One call of a method, even if the method failed. */
export interface HistoryCall {
  readonly method: HistoryMethod;
  /** Of `begin`. */
  readonly label?: string;
  /** Of `record`. */
  readonly entry?: UndoEntry;
  /** Of `rollback`, `revert` and `reapply`. */
  readonly expected?: Revision;
}

/** An undo provider that records its calls, and fails where the test wants it to fail. */
export interface RecordingHistory extends UndoProvider {
  readonly calls: readonly HistoryCall[];
  /** The entries of all turns, in the order in which they were recorded. */
  readonly added: readonly UndoEntry[];
  /** Entries of the turns that committed. */
  readonly committed: readonly UndoEntry[];
  /** Entries of the turns that rolled back. */
  readonly rolledBack: readonly UndoEntry[];
  /** Methods that fail; can be changed at any time. */
  faults: { readonly [M in HistoryMethod]?: HistoryFault };
}

/**
 * Records the calls that a session makes to its history, and passes them on to a real history.
 *
 * @param faults methods that fail from the start
 * @param inner the real history. Default: the built-in history
 * @example
 * const history = recordingHistory({ commit: 'throw' });
 * const session = createAgentSession({ provider, domains: [board], history });
 * await session.send('Add a card').catch(() => {});
 * console.log(session.lastError.value?.code); // 'undo-failed'
 * console.log(history.rolledBack.length); // 1
 */
export function recordingHistory(
  faults: RecordingHistory['faults'] = {},
  inner: UndoProvider = new UndoHistory(),
): RecordingHistory {
  const history = {
    calls: [] as HistoryCall[],
    added: [] as UndoEntry[],
    committed: [] as UndoEntry[],
    rolledBack: [] as UndoEntry[],
    faults,
    begin: (label: string): Promise<UndoTransaction> =>
      answer({ method: 'begin', label }, async () =>
        recordTransaction(await inner.begin(label), history, answer),
      ),
  };

  const answer: Responder = async (call, run) => {
    history.calls.push(call);
    const fault = history.faults[call.method];
    if (fault === 'hang') return new Promise<never>(() => {});
    if (fault !== undefined)
      throw fault === 'throw' ? new Error(`Scripted failure of ${call.method}.`) : fault;
    return run();
  };

  return history;
}

/** Records the call. Fails or hangs if the test wants that; otherwise calls `run`. */
type Responder = <T>(call: HistoryCall, run: () => T | Promise<T>) => Promise<T>;

/** The lists to which a transaction adds its entries. */
interface Recorded {
  readonly added: UndoEntry[];
  readonly committed: UndoEntry[];
  readonly rolledBack: UndoEntry[];
}

function recordTransaction(inner: UndoTransaction, recorded: Recorded, answer: Responder): UndoTransaction {
  const entries: UndoEntry[] = [];
  return {
    record: (entry) =>
      answer({ method: 'record', entry }, () => {
        recorded.added.push(entry);
        entries.push(entry);
        return inner.record(entry);
      }),
    commit: () =>
      answer({ method: 'commit' }, async () => {
        const effects = await inner.commit();
        recorded.committed.push(...entries);
        return recordEffects(effects, answer);
      }),
    rollback: (expected) =>
      answer({ method: 'rollback', expected }, () => {
        recorded.rolledBack.push(...entries);
        return inner.rollback(expected);
      }),
  };
}

function recordEffects(effects: CommittedEffects, answer: Responder): CommittedEffects {
  const { revert, reapply } = effects;
  return {
    ...effects,
    revert: (expected) => answer({ method: 'revert', expected }, () => revert(expected)),
    ...(reapply && {
      reapply: (expected) => answer({ method: 'reapply', expected }, () => reapply(expected)),
    }),
  };
}
