import { defineTool, type Domain } from '@banister/session';

/** A domain beside that of the app. Its tool changes nothing. */
export const clockDomain: Domain = {
  id: 'clock',
  summary: 'The time.',
  tools: [
    defineTool({
      name: 'now',
      description: 'Returns the time.',
      parameters: { type: 'object' },
      capabilities: ['readOnly'],
      execute: () => 'Noon.',
    }),
  ],
};
