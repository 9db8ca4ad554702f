import type { UndoEntry } from '@banister/session';
import { describe, expect, test } from 'vitest';
import { recordingHistory } from './recording-history.js';
import { settle } from './settle.js';

const entry = (description: string, more: Partial<UndoEntry> = {}): UndoEntry => ({
  toolCallId: description,
  toolName: 'board.add',
  description,
  revert: () => {},
  reapply: () => {},
  ...more,
});

describe('a recording history', () => {
  test('AK-K4 records which entries were added, committed, undone and redone', async () => {
    const history = recordingHistory();
    const transaction = await history.begin('Add');
    await transaction.record(entry('a'));
    await transaction.record(entry('b'));
    const effects = await transaction.commit();
    expect((await effects.revert(7)).done.map(({ description }) => description)).toEqual(['b', 'a']);
    expect((await effects.reapply?.(8))?.done).toHaveLength(2);
    expect(history.calls.map(({ method }) => method)).toEqual([
      'begin',
      'record',
      'record',
      'commit',
      'revert',
      'reapply',
    ]);
    expect(history.calls[0]).toEqual({ method: 'begin', label: 'Add' });
    expect(history.calls[4]).toEqual({ method: 'revert', expected: 7 });
    expect([history.added.length, history.committed.length, history.rolledBack.length]).toEqual([2, 2, 0]);
  });

  test('rolls back through the real history', async () => {
    const reverted: string[] = [];
    const history = recordingHistory();
    const transaction = await history.begin('Add');
    await transaction.record(entry('a', { revert: () => void reverted.push('a') }));
    await transaction.record(entry('b', { revert: undefined }));
    const report = await transaction.rollback(1);
    expect(reverted).toEqual(['a']);
    expect(report.irreversible.map(({ description }) => description)).toEqual(['b']);
    expect([history.committed.length, history.rolledBack.length]).toEqual([0, 2]);
  });

  test('offers no redo if the real history has none', async () => {
    const transaction = await recordingHistory().begin('Add');
    await transaction.record(entry('a', { reapply: undefined }));
    expect((await transaction.commit()).reapply).toBeUndefined();
  });

  test('throws in the chosen method, until the fault is removed', async () => {
    const history = recordingHistory({ begin: 'throw' });
    await expect(history.begin('Add')).rejects.toThrow('Scripted failure of begin.');
    history.faults = { commit: new Error('Disk full.') };
    const transaction = await history.begin('Add');
    await expect(transaction.commit()).rejects.toThrow('Disk full.');
    history.faults = {};
    await expect(transaction.commit()).resolves.toBeDefined();
    expect(history.calls.map(({ method }) => method)).toEqual(['begin', 'begin', 'commit', 'commit']);
  });

  test('hangs in the chosen method', async () => {
    const history = recordingHistory({ rollback: 'hang', record: 'throw' });
    const transaction = await history.begin('Add');
    await expect(transaction.record(entry('a'))).rejects.toThrow();
    let settled = false;
    void transaction.rollback(undefined).finally(() => (settled = true));
    await settle();
    expect(settled).toBe(false);
    expect([history.added, history.rolledBack]).toEqual([[], []]);
  });
});
