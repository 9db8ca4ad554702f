import { fromAsync } from '../operations/from-async.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { Turn } from '../turn/turn-context.js';
import type { Children, PartSettings } from '../turn/turn-parts.js';
import { endChildren } from './end-children.js';
import type { MakeChildParts, RunningChild } from './runs.js';

/** Loads the code that runs child turns, once for all sessions of a page. */
export const childrenCode = new LazyCode(() => import('./run-child.js'));

/** Returns the child turns of a turn that the user sent. */
export function childrenOf(root: Turn, agents: PartSettings['agents'], makeParts: MakeChildParts): Children {
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
    lines: (callId) => {
      const hasRun = root.current().fold.turn?.children !== undefined;
      return (hasRun && childrenCode.loaded?.replacedLines(root, callId)) || [];
    },
    end: (turnId, error) => endChildren(runs, turnId, error),
    abandoned: (callId, runsAgain) => {
      const children = Object.values(root.current().fold.turn?.children ?? {});
      const ofCall = children.filter((notes) => notes.callId === callId);
      if (ofCall.length === 0) return null;
      return fromAsync<never>(async () => {
        const { abandonLost } = await childrenCode.get(root.ports.clock);
        await abandonLost(runs, ofCall, runsAgain);
      });
    },
  };
}
