export { missingTools } from './missing-tools.js';
export type { SkillFiles } from './read-file-tool.js';
export { skill, skills, type Skill, type SkillNotes, type SkillOptions } from './skill.js';
