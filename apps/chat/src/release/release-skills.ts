import { skills } from '@banister/crew/skills';

/** The skills in the folder `skills`, one for each folder with a `SKILL.md`. */
export const releaseSkills = skills(
  import.meta.glob<string>('./skills/**/*.md', { query: '?raw', import: 'default', eager: true }),
);
