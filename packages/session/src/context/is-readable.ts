import type { ContextSource } from './context-source.js';

/** Whether the model can ask for a source: a session with one has the tool `banister.read_context`. */
export function isReadable({ policy, detail }: ContextSource): boolean {
  return policy === 'onDemand' || detail !== undefined;
}
