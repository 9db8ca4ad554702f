import { defineGuard, denyCapabilities, type Mode } from '@banister/session';

/** The ways of working that the composer offers: the modes of the session, and the review. */
export type WorkMode = 'plan' | 'ask' | 'auto' | 'review';

/** In the order of the picker: the most restrictive mode comes first. */
export const modes: readonly { readonly mode: WorkMode; readonly label: string }[] = [
  { mode: 'plan', label: 'Plan only' },
  { mode: 'ask', label: 'Ask first' },
  { mode: 'auto', label: 'Act at once' },
  { mode: 'review', label: 'Review first' },
];

const askFirst = defineGuard('ask-first', ({ capabilities, irreversible }) => {
  if (capabilities.includes('readOnly')) return 'allow';
  return { confirm: irreversible ? 'It cannot be taken back.' : 'It can be taken back afterwards.' };
});

/** The modes of a session. The first mode is in force at first. */
export const sessionModes: readonly Mode[] = [
  { id: 'auto', title: 'Act at once', guards: [] },
  { id: 'ask', title: 'Ask first', guards: [askFirst] },
  {
    id: 'plan',
    title: 'Plan only',
    guards: [denyCapabilities('mutating', 'destructive', 'paid')],
    note: 'The user wants a plan. Change nothing, say what you would do.',
  },
];
