import { createAgentSession } from '@banister/session';
import { say, scriptedProvider } from '@banister/testing';

/** Loads the code of `generate`, so that a test under a virtual clock does not wait for it. */
export async function generateLoaded(): Promise<void> {
  const provider = scriptedProvider([say('{}')]);
  const session = createAgentSession({ provider });
  await session.generate('Load', { type: 'object' });
  await session.dispose();
  await import('../src/structured/structured-stages.js');
}
