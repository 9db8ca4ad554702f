import { planning } from '@banister/crew/plan';
import { defineDomain, type Domain } from '@banister/session';
import { releaseAgentIds, releaseNotesId } from './release-agents.js';

/** The tool that carries out a plan with the agents of a release, and the guard that asks the user about it. */
export const releasePlanning = planning({ agents: releaseAgentIds });

/** The id of the tool whose arguments are a plan. */
export const carryOutId = `plan.${releasePlanning.domain.tools[0]!.name}`;

/**
 * The skill for a release. The page loads its text when the model reads it, so that the first page is small.
 * The id and the summary are those of its `SKILL.md`.
 */
export const releaseNotes: Domain = defineDomain({
  id: releaseNotesId,
  version: '1',
  summary: 'Use before you plan a release or write its notes.',
  staged: true,
  tools: [],
  instructions: async () => {
    const { releaseSkills } = await import('./release-skills.js');
    return releaseSkills.find(({ id }) => id === releaseNotesId)!.instructions as string;
  },
});

/** Loads the texts of the skills, so that a page that was loaded once needs no network for them. Never rejects. */
export async function preloadSkills(): Promise<void> {
  await import('./release-skills.js').catch(() => {});
}
