import { defined } from '@banister/provider/internal/json/defined';
import type { AllHandlers } from '../state/handlers.js';
import { openParts } from '../state/round-handlers.js';
import { noteRound, noteTurn } from '../state/turn-notes.js';
import { withParts } from '../state/with-parts.js';

export const middlewareHandlers = {
  middlewareActed: (state, { hook, calls = [], acts }) => {
    const last = acts.at(-1);
    return [
      ...noteRound(state, ({ acted = [] }) => ({ acted: [...acted, { hook, calls, acts }] })),
      ...(last?.did === 'continued'
        ? [
            ...noteRound(state, () => ({ continuation: last.note })),
            ...noteTurn(state, ({ continuations = 0 }) => ({
              continuations: continuations + 1,
              ending: null,
            })),
          ]
        : []),
    ];
  },

  answerWithheld: (state, { round, middleware, reason, because, again }) => [
    ...withParts(
      state,
      openParts(state).filter((part) => part.type === 'tool-call'),
    ),
    ...noteRound(state, () => ({ withheld: true })),
    ...noteTurn(state, () =>
      again === undefined
        ? {
            ending: {
              kind: 'stopped',
              stop: defined({ kind: 'withheld', message: reason, middleware, because } as const),
            },
          }
        : { ending: null, askedAgain: { round, note: again } },
    ),
  ],
} satisfies Partial<AllHandlers>;
