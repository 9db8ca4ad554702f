// A revision names content, not a count.
import { describe, expect, it } from 'vitest';
import { contentRevision } from '@banister/session';
import { callTools, say } from '@banister/testing';
import { addCard } from './board.js';
import { dataBoard } from './data-board.js';
import { fixture, rejection } from './fixture.js';

describe('a revision of content', () => {
  it('is equal for equal content, in any key order and in every release', () => {
    const revision = contentRevision(() => ({ b: [1, { d: 2, c: 'x' }], a: null }));
    expect(revision()).toBe(contentRevision(() => ({ a: null, b: [1, { c: 'x', d: 2 }] }))());
    // A saved turn carries it: another algorithm would make every saved turn a conflict.
    expect(revision()).toMatchInlineSnapshot(`"13hfbfn-bi0mn5"`);
  });

  it('differs for content that differs', () => {
    const contents = Array.from({ length: 5_000 }, (_, index) => [
      [index],
      { index },
      `${index}`,
      { list: [index, index + 1] },
    ]).flat();
    const revisions = new Set(contents.map((content) => contentRevision(() => content)()));
    expect(revisions.size).toBe(contents.length);
  });

  it('throws for content that JSON cannot hold', () => {
    expect(() => contentRevision(() => new Map())()).toThrow(/Map/);
  });

  it('causes no conflict for an edit that the user reverted', async () => {
    const board = dataBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [board.domain()] });
    await f.session.send('Go');
    board.cards.push('Mine');
    expect((await rejection(f.session.undo())).code).toBe('conflict');
    board.cards.pop();
    expect((await f.session.undo()).done).toHaveLength(1);
  });
});
