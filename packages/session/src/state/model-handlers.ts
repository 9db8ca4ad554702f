import type { ModelOperation } from '../operations/model-operations.js';
import { set } from './change.js';
import type { Handlers } from './handlers.js';

export const modelHandlers: Handlers<ModelOperation['type']> = {
  modelCallStarted: () => [set(['phase'], 'streaming')],
  modelCallFinished: (_state, { budget }) => [set(['budget'], budget)],
  retrying: () => [set(['phase'], 'retrying')],
};
