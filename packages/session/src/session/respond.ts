import type { Decision, ExtensionDecision, RespondOutcome } from '../guards/decision.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { SessionCore } from './session-core.js';

/** Settles an open question or an extension request. */
export function respond(
  { core, host }: { readonly core: Pick<SessionCore, 'current'>; readonly host: TurnHost },
  requestId: string,
  decision: Decision | ExtensionDecision,
): RespondOutcome {
  const { extensions, consent } = host;
  const isExtension = core.current.pendingExtension?.id === requestId;
  const outcome = isExtension
    ? extensions?.respond(requestId, decision)
    : consent?.desk.respond(requestId, decision as Decision);
  return outcome ?? 'already-settled';
}
