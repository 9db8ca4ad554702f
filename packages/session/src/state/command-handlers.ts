import { commandNoted } from './begun-commands.js';
import type { AllHandlers } from './handlers.js';

export const commandHandlers = {
  commandBegan: (state, { command }) => commandNoted(state, command),
} satisfies Partial<AllHandlers>;
