import { defineAgent, type Agent } from '@banister/session';

/** An agent that does a part of a release. */
export interface ReleaseAgent {
  readonly agent: Agent;
  /** Returns what the agent is asked to do. */
  readonly task: (release: string) => string;
}

const look = 'board.list_cards';
const add = 'board.add_card';

/** The id of the skill for a release. */
export const releaseNotesId = 'release-notes';

/** The agents of a release. */
export const releaseAgents = {
  notes: {
    agent: defineAgent({
      id: 'notes',
      title: 'Notes',
      role: 'You write the notes of a release, and add a card for each part that is missing. End with the text of the notes.',
      tools: [look, add, releaseNotesId],
    }),
    task: (release) => `Write the notes of release ${release}.`,
  },
  checks: {
    agent: defineAgent({
      id: 'checks',
      title: 'Checks',
      role: 'You add a card for each check that a release needs. End with a list of them.',
      tools: [look, add],
    }),
    task: (release) => `Add the checks of release ${release}.`,
  },
  launch: {
    agent: defineAgent({
      id: 'launch',
      title: 'Launch',
      role: 'You announce a release: you publish the board, or add a card for what has to be said. Say briefly what you did.',
      tools: [look, add, 'board.publish_board'],
    }),
    task: (release) => `Publish the board for release ${release}.`,
  },
} as const satisfies Readonly<Record<string, ReleaseAgent>>;

export type ReleaseAgentId = keyof typeof releaseAgents;

export const releaseAgentIds = Object.keys(releaseAgents) as readonly ReleaseAgentId[];
