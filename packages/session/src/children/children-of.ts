import { fromAsync } from '../operations/from-async.js';
import { LazyCode } from '../ports/lazy-code.js';
import { openBelow, recordOf } from '../state/child-state.js';
import type { Turn } from '../turn/turn-context.js';
import type { Children, PartSettings } from '../turn/turn-parts.js';
import { endChildren } from './end-children.js';
import type { MakeChildParts, RunningChild } from './runs.js';

/** Loads the code that runs child turns, once for all sessions of a page. */
export const childrenCode = new LazyCode(() => import('./run-child.js'));

/** Returns the child turns of a turn that the user sent. Their code is loaded in the background if the session has agents. */
export function childrenOf(root: Turn, agents: PartSettings['agents'], makeParts: MakeChildParts): Children {
  // The page may be offline when an agent first runs. If the fetch fails now, the run fetches again.
  if (agents.length > 0) Promise.resolve(childrenCode.get(root.ports.clock)).catch(() => {});
  const open = new Map<string, RunningChild>();
  const runs = { root, tools: root.tools, open, makeParts };
  return {
    open,
    run: async (call, agent, input, options = {}) => {
      const { runChild } = await childrenCode.get(root.ports.clock);
      return runChild(runs, call, agent, input, options);
    },
    delegation: (turnId) => {
      const isOffered = agents.some(({ description }) => description !== undefined);
      if (turnId !== root.id || root.structured !== undefined || !isOffered) return [];
      const loaded = fromAsync<never>(async () => {
        const { delegating } = await childrenCode.get(root.ports.clock);
        root.tools = delegating(root, root.tools);
      });
      return loaded.pipe(root.cancellation.untilCancelled());
    },
    end: (turnId, error) => endChildren(runs, turnId, error),
    abandoned: (turnId, callId, runsAgain) => {
      const state = root.current();
      const has = (agent: string) => runsAgain && agents.some(({ id }) => id === agent);
      const lost = openBelow(state, turnId === root.id ? undefined : turnId).flatMap((notes) => {
        const child = recordOf(state, notes);
        return notes.callId !== callId || has(child.agent) ? [] : [child];
      });
      if (lost.length === 0) return null;
      return fromAsync(async () => {
        const { abandonChild } = await childrenCode.get(root.ports.clock);
        for (const child of lost) await abandonChild(runs, child);
      });
    },
  };
}
