import { expect, it } from 'vitest';
import { markOfEffect } from './card-mark.js';
import type { PendingEffect } from './pending-effects.js';

const effect = (stage: PendingEffect['stage']) =>
  ({ type: 'delete', callId: 'a', cardId: 'c', stage }) as PendingEffect;

it("the card of a waiting call has the same words as the call's row in the chat", () => {
  expect(markOfEffect(effect('waiting'), 'asked').words).toBe('Delete?');
  expect(markOfEffect(effect('waiting'), 'approved')).toEqual({
    state: 'ready',
    icon: 'waits',
    words: 'Approved',
  });
  expect(markOfEffect(effect('waiting'), null).words).toBe('Ready');
  expect(markOfEffect(effect('executing'), null).words).toBe('Deleting…');
});
