import {
  AgentSessionError,
  identityOf,
  isAgentSessionError,
  messageOf,
  readableMessages,
  type ModelIdentity,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@handrail/session/provider';

/** The events of an answer, with the model that gives it. */
export interface ModelAnswer {
  readonly events: AsyncIterable<ProviderEvent>;
  /** The model that streams the current event. */
  owner(): ModelIdentity;
}

/** Asks a provider; of a fallback one member after the other, as long as no piece of an answer was visible. */
export function askModel(provider: Provider, request: ProviderRequest, signal: AbortSignal): ModelAnswer {
  const { fallback } = provider;
  if (fallback === undefined) {
    const owner = identityOf(provider);
    return { events: provider.stream(readableRequest(request, owner), signal), owner: () => owner };
  }
  let current = identityOf(provider);
  async function* eachMember(members: NonNullable<Provider['fallback']>) {
    let place: number | null = members.first().place;
    while (place !== null) {
      const member: Provider = members.members[place]!;
      current = identityOf(member);
      let isVisible = false;
      try {
        for await (const event of member.stream(readableRequest(request, current), signal)) {
          isVisible ||= event.type !== 'usage';
          yield event;
        }
        if (isVisible) return;
        throw new AgentSessionError('interrupted', 'The model sent no answer.');
      } catch (thrown) {
        const error = isAgentSessionError(thrown)
          ? thrown
          : new AgentSessionError('provider-contract', messageOf(thrown), { cause: thrown });
        place = isVisible || signal.aborted ? null : members.after(place, error);
        if (place === null) throw error;
      }
    }
  }
  return { events: eachMember(fallback), owner: () => current };
}

function readableRequest(request: ProviderRequest, owner: ModelIdentity): ProviderRequest {
  return { ...request, messages: readableMessages(request.messages, owner) };
}
