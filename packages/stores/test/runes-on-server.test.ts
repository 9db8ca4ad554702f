// Without a document, the Svelte plugin compiles runes for a server.
import { createAgentSession, defineTool } from '@banister/session';
import { undoable } from '@banister/stores';
import { runesState } from '@banister/stores/runes';
import { callTools, say, scriptedProvider } from '@banister/testing';
import type { Component } from 'svelte';
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import { stateOf } from './state-of.svelte.js';

/** Runs a function as a component that a server renders. */
function renderOnServer(run: () => void): void {
  const component = () => void run();
  // A page is rendered when its markup is read.
  expect(render(component as unknown as Component).body).toBeTypeOf('string');
}

it('a copy equals the object, even in a component that a server renders', () => {
  const state = stateOf({ cards: [{ id: 'a', title: 'Plan' }] });
  const { copy } = runesState(state);
  const seen: unknown[] = [];
  renderOnServer(() => {
    seen.push(copy!('cards'));
    state.cards[0]!.title = 'Draft';
    state.cards.push({ id: 'b', title: 'Test' });
    seen.push(copy!('cards'));
  });
  state.cards.shift();
  seen.push(copy!('cards'));
  expect(seen).toEqual([
    [{ id: 'a', title: 'Plan' }],
    [
      { id: 'a', title: 'Draft' },
      { id: 'b', title: 'Test' },
    ],
    [{ id: 'b', title: 'Test' }],
  ]);
});

it('a change is undone if a component that a server rendered has read the object first', async () => {
  const state = stateOf({ cards: [{ id: 'a', title: 'Plan' }] });
  const board = undoable(runesState(state), { roots: ['cards'] });
  const rename = defineTool({
    name: 'rename',
    description: 'Renames the card.',
    parameters: { type: 'object', properties: {} },
    execute: () => void (state.cards[0]!.title = 'Draft'),
  });
  renderOnServer(() => void board.revision());

  const session = createAgentSession({
    provider: scriptedProvider([callTools({ tool: 'board.rename', args: {} }), say('Renamed.')]),
    domains: [{ id: 'board', tools: [board.wrap(rename)], revision: board.revision }],
  });
  await session.send('Rename it');
  expect(state.cards[0]!.title).toBe('Draft');
  await session.undo();
  expect(state.cards[0]!.title).toBe('Plan');
});
