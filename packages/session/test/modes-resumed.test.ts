// A mode that was chosen while a turn was interrupted holds for its calls.
import { describe, expect, it } from 'vitest';
import { callTools, checkOrder, say, settle, spyTool } from '@banister/testing';
import {
  callsOf,
  confirmCapabilities,
  defineGuard,
  denyCapabilities,
  type AgentSession,
  type Guard,
  type Tool,
} from '@banister/session';
import { codeOf, createSession, opened, recordsOf } from './opened.js';

const modes = [
  { id: 'act', title: 'Act', guards: [] },
  { id: 'plan', title: 'Plan', guards: [denyCapabilities('mutating')] },
];

/** Leaves a turn while its only call runs, and opens its log. */
async function interrupted(replay: NonNullable<Tool['replay']>, guards: readonly Guard[] = []) {
  const tool = spyTool('work', { replay, execute: () => new Promise(() => {}) } as never);
  const domains = [{ id: 'board', tools: [tool] }];
  const first = createSession([callTools({ tool: 'board.work', args: {} })], { domains, modes });
  const turn = codeOf(first.session.send('Go'));
  await settle();
  expect(tool.runs).toHaveLength(1);
  await first.session.dispose({ turn: 'leave' });
  await turn;
  const again = spyTool('work', { replay });
  const next = createSession([say('Done.')], {
    domains: [{ id: 'board', tools: [again] }],
    modes,
    guards,
    restored: { snapshot: null, records: recordsOf([first.operations]) },
  });
  await opened(next.session);
  return { ...next, tool: again, before: first.operations };
}

const resultsIn = (session: AgentSession) =>
  session.turns.value.flatMap(({ rounds }) => rounds.flatMap(callsOf)).map(({ result }) => result);

describe('a call that was cut, in a mode that denies it', () => {
  it.each(['safe', 'ask'] as const)('does not run again, and opens no question: %s', async (replay) => {
    const { session, tool, operations, before } = await interrupted(replay);
    await session.setMode('plan');
    expect(await codeOf(session.resume())).toBe('resolved');
    expect(tool.runs).toEqual([]);
    expect(operations.map(({ type }) => type)).not.toContain('confirmationRequested');
    // It was cut, and may have acted: the model is told that instead of the denial.
    expect(resultsIn(session)).toMatchObject([{ outcome: 'interrupted' }]);
    expect(operations).toContainEqual(expect.objectContaining({ type: 'guardDecided', verdict: 'deny' }));
    expect(checkOrder([...before, ...operations])).toEqual([]);
    await session.dispose();
  });

  it('runs again if the guards then allow it', async () => {
    const { session, tool } = await interrupted('safe');
    await session.setMode('plan');
    await session.setMode('act');
    expect(await codeOf(session.resume())).toBe('resolved');
    expect(tool.runs).toHaveLength(1);
    await session.dispose();
  });
});

it('a guard of the app that now denies stops a cut call; a guard that asks does not ask again', async () => {
  const denied = await interrupted('safe', [defineGuard('closed', () => ({ deny: 'Closed.' }))]);
  expect(await codeOf(denied.session.resume())).toBe('resolved');
  expect(denied.tool.runs).toEqual([]);
  const asked = await interrupted('safe', [confirmCapabilities('mutating')]);
  expect(await codeOf(asked.session.resume())).toBe('resolved');
  expect(asked.tool.runs).toHaveLength(1);
  await Promise.all([denied.session.dispose(), asked.session.dispose()]);
});
