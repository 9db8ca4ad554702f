// The two kinds of revision that docs/undo.md describes: a counter, and one made of the content.
import { describe, expect, it } from 'vitest';
import { callTools, say, spyTool } from '@banister/testing';
import type { Domain } from '@banister/session';
import { fixture, rejection } from './fixture.js';

/** A text that the agent and the user change, and change back. */
function note(kind: 'counter' | 'content') {
  let text = '';
  let changes = 0;
  const write = (next: string) => {
    text = next;
    changes++;
  };
  const append = spyTool('append', {
    execute({ word }, context) {
      const added = String(word);
      write(text + added);
      context.undo({ description: added, revert: () => write(text.replace(added, '')) });
    },
  });
  const domain: Domain = {
    id: 'note',
    tools: [append],
    revision: () => (kind === 'counter' ? changes : text),
  };
  return {
    domain,
    write,
    get text() {
      return text;
    },
  };
}

const turn = (word: string) => [callTools({ tool: 'note.append', args: { word } }), say('Done.')];

describe('a user who edits, reverts the edit, and undoes the turn', () => {
  it('C11: gets a conflict if the revision is a counter', async () => {
    const paper = note('counter');
    await using f = fixture(turn('A'), { domains: [paper.domain] });
    await f.session.send('Go');
    paper.write('A, mine');
    paper.write('A');
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    expect((await f.session.undo({ force: true })).done).toHaveLength(1);
  });

  it('C11: gets no conflict if the revision is made from the content', async () => {
    const paper = note('content');
    await using f = fixture([...turn('A'), ...turn('B')], { domains: [paper.domain] });
    await f.session.send('Go');
    await f.session.send('Go on');
    paper.write('AB, mine');
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    paper.write('AB');
    await f.session.undo();
    expect(paper.text).toBe('A');
    await f.session.undo();
    expect(paper.text).toBe('');
  });
});
