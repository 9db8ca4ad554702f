import { missingTools } from '@banister/crew/skills';
import { expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { releaseNotes } from './release-planning.js';
import { releaseSkills } from './release-skills.js';

test('the skill that waits in the session is that of its SKILL.md, and expects no tool that the page lacks', async () => {
  const [skill, ...others] = releaseSkills;
  expect(others).toEqual([]);
  const { id, version, summary, staged } = skill!;
  expect(releaseNotes).toMatchObject({ id, version, summary, staged });
  expect(await (releaseNotes.instructions as () => Promise<string>)()).toBe(skill!.instructions);
  const board = createBoardDomain(new BoardStore(firstBoard), { change: 0, publish: 0 });
  expect(missingTools(releaseSkills, [board])).toEqual(new Map());
});
