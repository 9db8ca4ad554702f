// A page with a session over `indexedDbLog`. Its tool runs until the test ends it, even if the session
// cancels it.
import { createAgentSession, defineDomain, immediate, type AgentSessionError } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { indexedDbGrants } from '@banister/storage/grants';
import { callTools, say, scriptedProvider } from '@banister/testing';
import { cardTool } from '../card-tool.js';

const cards: string[] = [];
const errors: string[] = [];
/** The reason of the last message that was refused. */
let failure: unknown;
let endTool = () => {};
const toolHasEnded = new Promise<void>((resolve) => (endTool = resolve));

const session = createAgentSession({
  provider: scriptedProvider([callTools({ tool: 'board.add', args: { title: 'Plan' } }), say('Done.')]),
  domains: [defineDomain({ id: 'board', tools: [cardTool(cards, toolHasEnded)] })],
  id: 'chat',
  log: indexedDbLog({ name: 'hidden' }),
  ports: { scheduler: immediate(), reportError: (error) => void errors.push(String(error)) },
});

/** The changes of the writer that this page was told about. */
let ownerChanges = 0;
session.operations$.subscribe(({ type }) => (ownerChanges += type === 'ownerChanged' ? 1 : 0));

const grants = indexedDbGrants();
let granted: readonly string[] = [];
async function showGrants(): Promise<void> {
  granted = (await grants.load()).map(({ id }) => id);
}
grants.subscribe!(() => void showGrants());
void showGrants();

/** Returns how often a timer of 10 ms fires in a second. */
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
    failure,
    ownerChanges,
    cards,
    grants: granted,
    errors,
  }),
  timersInASecond,
  /** Begins a turn, and returns at once. */
  begin() {
    session.send('Add Plan').catch(({ details }: AgentSessionError) => (failure = details['reason']));
  },
  endTool: () => endTool(),
  async cancel() {
    const { landed } = await session.cancel();
    return landed;
  },
  /** Stores a grant, and returns the ids of all grants. */
  async grant(id: string) {
    const given = {
      tool: 'board.add',
      definition: '{}',
      remember: 'always',
      at: 1_000,
      session: 'chat',
    } as const;
    await grants.put({ id, ...given });
    await showGrants();
    return granted;
  },
};

export type HiddenPage = typeof page;

Object.assign(window, { page });
