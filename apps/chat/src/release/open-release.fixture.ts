import { createAgentSession, stagedDiscovery, type SessionLog } from '@banister/session';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardGuards } from '../board/board-guards.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createFault } from '../offline/fault.js';
import { offline } from '../offline/offline-provider.js';
import { releaseAgentIds, releaseAgents } from './release-agents.js';
import { createReleaseDomain } from './release-domain.js';
import { releaseNotes, releasePlanning } from './release-planning.js';

/** Opens a session with all that a release needs, over the rules. It is as the demo opens one, but for the pace. */
export function openRelease({ log, board = new BoardStore(firstBoard), change = 0 }: Given = {}) {
  const domain = createBoardDomain(board, { change, publish: 0 });
  const domains = [domain, createReleaseDomain(), releasePlanning.domain, releaseNotes];
  const session = createAgentSession({
    ...(log === undefined ? {} : { id: 'release', log }),
    provider: offline({
      pace: { start: 0, thought: 0, word: 0, fragment: 0 },
      fault: createFault(null),
    }),
    domains,
    discovery: stagedDiscovery(),
    agents: releaseAgentIds.map((id) => releaseAgents[id].agent),
    guards: [releasePlanning.guard, ...createBoardGuards(board)],
  });
  return {
    session,
    board,
    toolOf: (id: string) =>
      domains.flatMap((one) => one.tools.filter((tool) => id === `${one.id}.${tool.name}`))[0],
    /** The number of cards in each column. */
    counts: () => board.columns.peek().map(({ cards }) => cards.length),
  };
}

interface Given {
  readonly log?: SessionLog;
  readonly board?: BoardStore;
  /** How long a change of the board takes, in milliseconds. Default 0. */
  readonly change?: number;
}
