import type { ContextSource } from './context-source.js';

/** Returns true if the model can ask for a source. A session with such a source has the tool `banister.read_context`. */
export function isReadable({ policy, detail }: ContextSource): boolean {
  return policy === 'onDemand' || detail !== undefined;
}
