// The paths of effects: the parts of a domain that they touch.
import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import type { ToolContext } from '@banister/session';
import { fixture, resultTexts } from './fixture.js';

/** Runs one turn whose only call records effects in this way. */
async function recorded(record: (context: ToolContext) => void) {
  const paint = spyTool('paint', {
    undo: { revert() {} },
    execute: (_args, context) => record(context),
  });
  await using f = fixture([callTools({ tool: 'board.paint' }), say('Done.')], {
    domains: [{ id: 'board', tools: [paint] }],
  });
  await f.session.send('Go');
  return {
    paths: f.observed.operations.flatMap((operation) =>
      operation.type === 'effectRecorded' ? [operation.paths] : [],
    ),
    saved: f.session.save().turns[0]?.undo?.calls.flatMap(({ steps }) => steps.map(({ paths }) => paths)),
    results: resultTexts(f.session.state.conversation),
  };
}

describe('the paths of an effect', () => {
  it('an effect names the paths that it touches; its operation and the saved conversation have them', async () => {
    const { paths, saved } = await recorded(({ undo, irreversible }) => {
      undo({ description: 'Painted', paths: ['cards/1'], revert() {} });
      void undo({ description: 'Painted', paths: ['cards/2', 'cards/3'], data: null });
      irreversible('Mailed', { paths: ['mails'] });
    });
    expect(paths).toEqual([['cards/1'], ['cards/2', 'cards/3'], ['mails']]);
    expect(saved).toEqual(paths);
  });

  it('are absent if the tool names none', async () => {
    const { paths } = await recorded(({ undo, irreversible }) => {
      undo({ description: 'Painted', revert() {} });
      undo({ description: 'Painted', paths: [], revert() {} });
      irreversible('Mailed');
    });
    expect(paths).toEqual([undefined, undefined, undefined]);
  });

  it('are a copy: a list that the tool changes later changes nothing', async () => {
    const { paths } = await recorded(({ undo }) => {
      const mine = ['cards/1'];
      undo({ description: 'Painted', paths: mine, revert() {} });
      mine.push('cards/2');
    });
    expect(paths).toEqual([['cards/1']]);
  });

  it.each([
    ['a text', 'cards/1'],
    ['a list with another value', ['cards/1', 5]],
  ])('that are %s are refused in the tool that gave them', async (_name, paths) => {
    const { results } = await recorded(({ undo }) =>
      undo({ description: 'Painted', paths: paths as never, revert() {} }),
    );
    expect(results[0]).toContain('context.undo needs a list of texts as its paths');
  });
});
