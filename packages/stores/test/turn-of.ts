import { createAgentSession, immediate, type Tool } from '@banister/session';
import { undoable, type StoreAdapter, type UndoableOptions } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { vi } from 'vitest';

/** The parameters of a tool that has none. */
export const schema = { type: 'object', properties: {} } as const;

/** Runs a turn with one call of a tool of a wrapped store, and returns its session. */
export async function turnOf(
  adapter: StoreAdapter,
  tool: Partial<Tool>,
  options: UndoableOptions = {},
  commit?: 'review',
) {
  const board = undoable(adapter, { development: false, ...options });
  const act: Tool = { name: 'act', description: 'Acts.', parameters: schema, execute: () => {}, ...tool };
  const session = createAgentSession({
    provider: scriptedProvider([callTools({ tool: 'board.act' }), say('Done.')]),
    domains: [{ id: 'board', tools: [board.wrap(act)], revision: board.revision }],
    ports: { scheduler: immediate() },
  });
  const turn = session.send('Go', { commit });
  // The user decides about a reviewed turn.
  await (commit === 'review' ? vi.waitUntil(() => session.pendingReview.value !== null) : turn);
  return session;
}

/** A value that is replaced, with its adapter. */
export function valueOf<T>(value: T) {
  const held = { value };
  return {
    held,
    adapter: immerValue(
      () => held.value,
      (next: T) => void (held.value = next),
    ),
  };
}
