import type { Domain } from '@banister/session';
import type { Skill } from './skill.js';

/**
 * Returns the tools that skills expect and that no domain has, by the name of the skill. An app shows them, or leaves such a skill out: a
 * skill that expects a shell is of no use in an app without one. A name stands for a tool id, `board.add_card`, or for a domain.
 *
 * @example
 * for (const [name, tools] of missingTools(found, domains)) console.warn(`${name} expects ${tools.join(', ')}.`);
 */
export function missingTools(
  skills: readonly Skill[],
  domains: readonly Domain[],
): ReadonlyMap<string, readonly string[]> {
  const all = [...domains, ...skills];
  const has = (name: string) =>
    all.some(({ id, tools }) => name === id || tools.some((tool) => name === `${id}.${tool.name}`));
  const missing = skills.map(
    ({ id, notes }) => [id, notes.allowedTools.filter((name) => !has(name))] as const,
  );
  return new Map(missing.filter(([, tools]) => tools.length > 0));
}
