// A page with a session over `indexedDbLog`, whose tool works until the test lets it end, whatever the session says.
import { createAgentSession, defineDomain, immediate } from '@handrail/session';
import { indexedDbLog } from '@handrail/storage';
import { callTools, say, scriptedProvider } from '@handrail/testing';
import { cardTool } from '../card-tool.js';

const cards: string[] = [];
const errors: string[] = [];
let endTool = () => {};
const toolHasEnded = new Promise<void>((resolve) => (endTool = resolve));

const session = createAgentSession({
  provider: scriptedProvider([callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('Done.')]),
  domains: [defineDomain({ id: 'board', tools: [cardTool(cards, toolHasEnded)] })],
  id: 'chat',
  log: indexedDbLog({ name: 'hidden' }),
  ports: { scheduler: immediate(), reportError: (error) => void errors.push(String(error)) },
});

/** The changes of the writer that this page was told of. */
let ownerChanges = 0;
session.operations$.subscribe(({ type }) => (ownerChanges += type === 'ownerChanged' ? 1 : 0));

/** How often a timer of 10 ms ends in a second. */
async function timersInASecond(): Promise<number> {
  let count = 0;
  for (const end = Date.now() + 1_000; Date.now() < end; count++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return count;
}

const page = {
  isOpen: () => session.link.peek().open,
  state: () => ({
    visibility: document.visibilityState,
    role: session.link.peek().role,
    phase: session.phase.peek(),
    outcome: session.lastOutcome.peek()?.status,
    ownerChanges,
    cards,
    errors,
  }),
  timersInASecond,
  /** Begins a turn, and returns at once. */
  begin: () => void session.send('Add Plan').catch(() => {}),
  endTool: () => endTool(),
  async cancel() {
    const { landed } = await session.cancel();
    return landed;
  },
};

export type HiddenPage = typeof page;

Object.assign(window, { page });
