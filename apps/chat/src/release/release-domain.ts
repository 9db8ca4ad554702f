import { defineDomain, defineTool, type Domain } from '@banister/session';
import { releaseAgentIds, releaseAgents } from './release-agents.js';

export const prepareRelease = {
  name: 'prepare',
  title: 'Prepare a release',
  parameters: {
    type: 'object',
    properties: {
      release: {
        type: 'string',
        title: 'Release',
        minLength: 1,
        maxLength: 40,
        description: 'Its number, such as 1.4.',
      },
    },
    required: ['release'],
    additionalProperties: false,
  },
} as const;

export const prepareReleaseId = `release.${prepareRelease.name}`;

/** Longer than three agents need. */
const LONGEST_MS = 600_000;

/** Creates the domain whose tool lets three agents work side by side. The tool itself changes nothing. */
export function createReleaseDomain(): Domain {
  const prepare = defineTool({
    ...prepareRelease,
    description:
      'Lets three agents prepare a release at the same time: one writes the notes, one adds the checks, and one publishes the board.',
    capabilities: ['readOnly'],
    timeoutMs: LONGEST_MS,
    execute: ({ release }, { run }) =>
      Promise.all(
        releaseAgentIds.map(async (id) => {
          const { agent, task } = releaseAgents[id];
          const { status, text, effects, report } = await run(id, task(release), { key: id });
          const final = effects.filter(({ irreversible }) => irreversible);
          return {
            agent: agent.title,
            status,
            changes: effects.length,
            final: final.length,
            back: report?.done.length ?? 0,
            text,
          };
        }),
      ),
  });
  return defineDomain({
    id: 'release',
    version: '1',
    summary: 'Prepares a release with several agents.',
    tools: [prepare],
  });
}
