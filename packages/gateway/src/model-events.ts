import {
  identityOf,
  readableMessages,
  type ModelIdentity,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@banister/provider';

/** The events of an answer, and the model that streams them. */
export interface ModelAnswer {
  readonly events: AsyncIterable<ProviderEvent>;
  /** The model that streams the current event. */
  owner(): ModelIdentity;
}

/** Asks a provider. A fallback asks its members in order, but changes the member only while no part of an answer was visible. */
export function askModel(provider: Provider, request: ProviderRequest, signal: AbortSignal): ModelAnswer {
  const { fallback } = provider;
  if (fallback === undefined) {
    const owner = identityOf(provider);
    return { events: provider.stream(readableRequest(request, owner), signal), owner: () => owner };
  }
  let current = identityOf(provider);
  const ask = (member: Provider) => {
    current = identityOf(member);
    return member.stream(readableRequest(request, current), signal);
  };
  return { events: fallback.stream(ask, signal), owner: () => current };
}

function readableRequest(request: ProviderRequest, owner: ModelIdentity): ProviderRequest {
  return { ...request, messages: readableMessages(request.messages, owner) };
}
