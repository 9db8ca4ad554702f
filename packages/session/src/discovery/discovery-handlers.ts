import { set } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';
import { noteRound, noteTurn } from '../state/turn-notes.js';

export const discoveryHandlers = {
  domainsActivated: (state, { ids, by, sameTools }) => [
    set(['liveTurn', 'activated'], [...(state.liveTurn?.activated ?? []), ...ids]),
    ...(by === 'choice' || sameTools
      ? []
      : [
          ...noteRound(state, () => ({ activated: true })),
          ...noteTurn(state, ({ round, rebuilds = 0 }) => ({
            rebuilds: round?.activated ? rebuilds : rebuilds + 1,
          })),
        ]),
  ],
} satisfies Partial<AllHandlers>;
