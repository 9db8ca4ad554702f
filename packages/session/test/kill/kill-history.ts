import type { CommittedEffects, UndoEntry, UndoProvider } from '@banister/session';
import type { KillApp } from './kill-app.js';

type Report = Awaited<ReturnType<CommittedEffects['revert']>>;

/**
 * The app's own history. It takes an effect back by the code of its tool; where that is gone, by the cards of the call, which the description names.
 *
 * @param restores whether it takes up turns of earlier sessions
 */
export function killHistory(app: KillApp, restores: boolean): UndoProvider {
  const move = (direction: 'revert' | 'reapply', entries: readonly UndoEntry[]) =>
    moveAll(app, direction, entries);
  const committed = (entries: readonly UndoEntry[]): CommittedEffects => {
    /** Ids of the calls that are taken back. */
    const gone = new Set(entries.filter((entry) => entry.isReverted).map((entry) => entry.toolCallId));
    const run = async (direction: 'revert' | 'reapply', callIds?: ReadonlySet<string>) => {
      const meant = entries.filter(({ toolCallId }) => callIds?.has(toolCallId) ?? true);
      const wanted = meant.filter((entry) => gone.has(entry.toolCallId) === (direction === 'reapply'));
      const report = await move(direction, direction === 'revert' ? wanted.toReversed() : wanted);
      for (const { toolCallId } of report.done) {
        if (direction === 'revert') gone.add(toolCallId);
        else gone.delete(toolCallId);
      }
      return report;
    };
    return {
      revert: (_expected, callIds) => run('revert', callIds),
      reapply: (_expected, callIds) => run('reapply', callIds),
    };
  };
  return {
    groups: true,
    begin: () => {
      const entries: UndoEntry[] = [];
      return {
        record: (entry) => void entries.push(entry),
        commit: async () => committed(entries),
        rollback: () => move('revert', entries.toReversed()),
      };
    },
    ...(restores ? { restore: (_turnId, entries) => committed(entries) } : {}),
  };
}

async function moveAll(
  app: KillApp,
  direction: 'revert' | 'reapply',
  entries: readonly UndoEntry[],
): Promise<Report> {
  const items: Record<keyof Report, UndoEntry[]> = { done: [], failed: [], irreversible: [] };
  for (const entry of entries) {
    if (entry.irreversible) items.irreversible.push(entry);
    else {
      items[(await isMoved(app, direction, entry)) ? 'done' : 'failed'].push(entry);
    }
  }
  return { ...items, failed: items.failed.map((entry) => ({ ...entry, reason: 'It is gone.' })) };
}

async function isMoved(app: KillApp, direction: 'revert' | 'reapply', entry: UndoEntry): Promise<boolean> {
  try {
    const outcome = entry[direction] ? await entry[direction](undefined) : moveCards(app, direction, entry);
    return outcome === undefined;
  } catch {
    return false;
  }
}

function moveCards(
  app: KillApp,
  direction: 'revert' | 'reapply',
  { toolCallId, description }: UndoEntry,
): void {
  if (direction === 'revert') app.takeCardsOf(toolCallId);
  else for (const title of description.split('; ')) app.ensure(title, toolCallId);
}
