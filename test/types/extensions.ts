// The request for more of a limit, its answers, and the option that asks.
import {
  createAgentSession,
  createMirror,
  type AgentSession,
  type ExtendableLimit,
  type Extension,
  type ExtensionDecision,
  type ExtensionRequest,
  type GivenLimits,
  type Provider,
  type RespondOutcome,
  type SendOptions,
} from '@banister/session';

declare const provider: Provider;

export const limits: GivenLimits = { maxToolCalls: 12, onTrip: 'ask' };
export const options: SendOptions = { limits: { onTrip: 'ask' } };
const session: AgentSession = createAgentSession({ provider, limits });
const request: Extension | null = session.pendingExtension.value;
const plain: ExtensionRequest | null = session.state.pendingExtension;
export const limit: ExtendableLimit | undefined = plain?.limit;
export const shown: readonly (number | string | null | undefined)[] = [
  plain?.spent,
  plain?.allowed,
  plain?.suggested,
  plain?.currency,
  plain?.expiresAt,
];
// @ts-expect-error -- the state is plain JSON
void plain?.extend();

export const outcomes: readonly (Promise<RespondOutcome> | undefined)[] = [
  request?.extend(),
  request?.extend(5),
  request?.end(),
  session.respond('extension-1', { extend: {} }),
  session.respond('extension-1', { extend: { maxToolCalls: 5, 'session.maxCost': 1 } }),
  session.respond('extension-1', { end: true }),
];
// @ts-expect-error -- no limit of which the user can give more
export const wrong: ExtensionDecision = { extend: { maxRebuilds: 1 } };
// @ts-expect-error -- an end is an end
export const no: ExtensionDecision = { end: false };

export const mirror = createMirror(session.state, {
  respond: (id, decision) => session.respond(id, decision),
});
