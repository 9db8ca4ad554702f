import { defineAgent } from '@banister/session';

/** The agent that does tasks in the background. */
export const helper = defineAgent({
  id: 'helper',
  title: 'Helper',
  description: 'Looks through the board, and changes cards.',
  role: 'You do one task on a board of cards, while the user goes on with something else. Use the tools; end with what you found or changed.',
});
