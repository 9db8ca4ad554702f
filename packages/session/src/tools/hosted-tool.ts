import type { Validate } from '@banister/schema';
import * as told from '../conversation/model-words.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import { success } from './tool-outcome.js';
import type { RegisteredTool } from './tool-registry.js';

/**
 * Returns a tool for the session that stands for a tool hosted by the provider: a call of it answers that the user approves. The hosted
 * tool itself runs at the provider, with the next request, so its effect cannot be taken back.
 *
 * @param id `server.tool`
 */
export function hostedTool(id: string): RegisteredTool {
  const dot = id.indexOf('.');
  const capabilities = ['mutating', 'networking'] as const;
  const tool = {
    name: id.slice(dot + 1),
    description: '',
    parameters: {},
    capabilities,
    execute: () => success(told.approved),
  };
  return {
    id,
    domain: { id: id.slice(0, Math.max(dot, 0)), tools: [] },
    tool,
    source: tool,
    capabilities,
    readOnly: false,
    irreversible: true,
    abortable: false,
    replay: 'safe',
    schema: {},
  };
}

/** Returns the question to the user about a call of a hosted tool. */
export function hostedQuestion(id: string): Pick<ConfirmationRequest, 'guard' | 'reason' | 'because'> {
  return {
    guard: 'banister.hosted',
    reason: `The provider asks for an approval to run ${id}.`,
    because: { code: 'hosted' },
  };
}

/** Refuses edited arguments, because an answer to the provider cannot contain arguments. */
export const refuseEdit: Validate = () => [
  { path: [], message: 'the arguments of a tool that the provider hosts cannot be changed' },
];
