import { AgentSessionError, type Journal, type Operation } from '@banister/session';

/**
 * How a journal answers a write. `done`: it returns nothing, the write is done. `resolve`: it returns a resolved promise. `wait`: it returns a
 * promise that the test settles. `refuse`: it rejects. `throw`: it throws. `fence`: it rejects because another writer owns the session.
 */
export type JournalAnswer = 'done' | 'resolve' | 'wait' | 'refuse' | 'throw' | 'fence';

/** A write, as the journal received it. */
export interface JournalWrite {
  readonly operations: readonly Operation[];
  readonly barrier: boolean;
  /** `open` until the journal has answered. */
  readonly state: 'open' | 'accepted' | 'refused';
  /** Accepts the write. No effect if the write is already answered. */
  accept(): void;
  /** Refuses the write. No effect if the write is already answered. */
  refuse(error?: unknown): void;
}

/** A journal that keeps the operations it has accepted, and answers as the test wants. */
export interface RecordingJournal extends Journal {
  /** All writes, including refused writes. */
  readonly writes: readonly JournalWrite[];
  /** The accepted operations, in order. */
  readonly operations: readonly Operation[];
  /** The answer to the next writes; can be changed at any time. A function is called for each write. */
  answer: JournalAnswer | ((write: JournalWrite) => JournalAnswer);
  /** Accepts all open writes. */
  acceptAll(): void;
  /** Throws if two writes were open at the same time, or if an operation is missing or arrived twice. */
  check(): void;
}

/**
 * Creates a journal in memory, for tests.
 *
 * @param answer the answer to the first writes. Default `done`
 * @example
 * const journal = recordingJournal('wait');
 * const session = createAgentSession({ provider, ports: { journal } });
 * void session.send('Hello');
 * // … no request is sent until the test calls journal.acceptAll()
 */
export function recordingJournal(answer: RecordingJournal['answer'] = 'done'): RecordingJournal {
  const writes: JournalWrite[] = [];
  const operations: Operation[] = [];
  const problems: string[] = [];

  const journal: RecordingJournal = {
    writes,
    operations,
    answer,
    write(given, { barrier }) {
      if (writes.some(({ state }) => state === 'open')) problems.push('a write began while another was open');
      problems.push(...gaps(operations.at(-1), given));
      const open = openWrite(given, barrier, (accepted) => operations.push(...accepted));
      writes.push(open.write);
      const { answer: chosen } = journal;
      return open.answer(typeof chosen === 'function' ? chosen(open.write) : chosen);
    },
    acceptAll() {
      for (const write of writes) write.accept();
    },
    check() {
      if (problems.length > 0)
        throw new Error(['The journal was not written as promised:', ...problems].join('\n- '));
    },
  };
  return journal;
}

function openWrite(
  operations: readonly Operation[],
  barrier: boolean,
  keep: (operations: readonly Operation[]) => void,
): { readonly write: JournalWrite; answer(how: JournalAnswer): void | Promise<void> } {
  let state: JournalWrite['state'] = 'open';
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const settled = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  settled.catch(() => {});
  const write: JournalWrite = {
    operations,
    barrier,
    get state() {
      return state;
    },
    accept() {
      if (state !== 'open') return;
      state = 'accepted';
      keep(operations);
      resolve();
    },
    refuse(error = new Error('Scripted refusal of a write.')) {
      if (state !== 'open') return;
      state = 'refused';
      reject(error);
    },
  };
  const answer = (how: JournalAnswer): void | Promise<void> => {
    if (how === 'done' || how === 'resolve') write.accept();
    if (how === 'refuse' || how === 'throw') write.refuse();
    if (how === 'fence') write.refuse(fencedError());
    if (how === 'throw') throw new Error('Scripted failure of a write.');
    return how === 'done' ? undefined : settled;
  };
  return { write, answer };
}

function fencedError(): AgentSessionError {
  return new AgentSessionError('storage', 'Another tab has taken over this conversation.', {
    details: { reason: 'fenced' },
  });
}

function gaps(last: Operation | undefined, operations: readonly Operation[]): readonly string[] {
  if (operations.length === 0) return ['a write without an operation'];
  const problems: string[] = [];
  let before = last?.sequence ?? operations[0]!.sequence - 1;
  for (const { sequence } of operations) {
    if (sequence !== before + 1) problems.push(`#${sequence} follows #${before}`);
    before = sequence;
  }
  return problems;
}
