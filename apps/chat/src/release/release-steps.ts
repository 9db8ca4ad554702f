import { releaseAgents, type ReleaseAgentId } from './release-agents.js';

/** A step of the plan for a release. */
interface ReleaseStep {
  readonly id: string;
  readonly title: string;
  readonly agent: ReleaseAgentId;
  /** The ids of the steps whose results it needs. */
  readonly after: readonly string[];
  /** Returns what the agent is asked to do. */
  readonly task: (release: string) => string;
}

/** The steps of the plan for a release, in the order of the plan. */
export const releaseSteps = [
  { id: 'notes', title: 'Write the notes', agent: 'notes', after: [], task: releaseAgents.notes.task },
  {
    id: 'announce',
    title: 'Announce the release',
    agent: 'launch',
    after: ['notes'],
    task: (release) => `Announce release ${release}.`,
  },
  { id: 'checks', title: 'Add the checks', agent: 'checks', after: [], task: releaseAgents.checks.task },
  {
    id: 'rehearse',
    title: 'Rehearse going back',
    agent: 'checks',
    after: ['checks'],
    task: (release) => `Rehearse going back from release ${release}.`,
  },
  { id: 'publish', title: 'Publish the board', agent: 'launch', after: [], task: releaseAgents.launch.task },
] as const satisfies readonly ReleaseStep[];

export type ReleaseStepId = (typeof releaseSteps)[number]['id'];
