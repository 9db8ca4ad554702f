import type {
  AgentSessionError,
  ModelIdentity,
  Provider,
  ProviderFallback,
  ProviderRequest,
} from '@banister/provider';
import { isSameModel } from '@banister/provider/internal/messages/model-identity';
import { identityOf } from '@banister/provider/internal/port/identity-of';
import { EMPTY, Observable } from 'rxjs';
import type { ProviderSwitched } from '../operations/model-operations.js';
import type { TurnNotes } from '../state/turn-notes.js';
import type { Turn } from './turn-context.js';

type AskingTurn = Pick<Turn, 'settings' | 'current'>;

/** Returns the provider of the next request. For a fallback this is the member that the log names, or else the first member. */
export function providerOf(turn: AskingTurn): Provider {
  const { provider } = turn.settings;
  const { fallback } = provider;
  return fallback === undefined ? provider : fallback.members[placeIn(fallback, noted(turn)) ?? 0]!;
}

/**
 * Returns the provider of a request outside of the rounds. For a fallback this is the member with which the turn goes on, or else the
 * fallback itself, which chooses a member.
 */
export function providerBeside(turn: AskingTurn): Provider {
  const { provider } = turn.settings;
  const place = provider.fallback === undefined ? null : placeIn(provider.fallback, noted(turn));
  return place === null ? provider : provider.fallback!.members[place]!;
}

/** Returns the member that receives the request, for the facts of a model call; undefined without a fallback. */
export function memberOf(turn: AskingTurn): ModelIdentity | undefined {
  return turn.settings.provider.fallback === undefined ? undefined : identityOf(providerOf(turn));
}

/** Completes when the rate limit of a fallback permits a request to its current member. Unsubscribing gives up the place in the queue. */
export function permitted(turn: AskingTurn, request: ProviderRequest): Observable<never> {
  const { fallback } = turn.settings.provider;
  if (fallback === undefined) return EMPTY;
  return new Observable((subscriber) => {
    const waiting = new AbortController();
    const permit = fallback.permit(placeIn(fallback, noted(turn)) ?? 0, request, waiting.signal);
    if (permit === null) return subscriber.complete();
    permit.then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => waiting.abort();
  });
}

/**
 * Returns the fact that a round begins with another provider, because the first provider is paused, or the provider in the log is missing.
 */
export function switchBefore(turn: AskingTurn): ProviderSwitched | null {
  const { fallback } = turn.settings.provider;
  const note = noted(turn);
  if (fallback === undefined || placeIn(fallback, note) !== null) return null;
  const { place, because } = fallback.first();
  if (note === undefined && place === 0) return null;
  const { code, message: reason } =
    because ?? ({ code: 'interrupted', message: 'The session no longer has this provider.' } as const);
  const from = note?.identity ?? identityOf(fallback.members[0]!);
  return switched(fallback, { attempt: 1, place, from, code, reason });
}

/** Returns the fact that the next member makes an attempt; null if no member is left, or if the error is final. */
export function switchAfter(
  turn: AskingTurn,
  error: AgentSessionError,
  attempt: number,
): ProviderSwitched | null {
  const { fallback } = turn.settings.provider;
  if (fallback === undefined) return null;
  const before = placeIn(fallback, noted(turn)) ?? 0;
  const place = fallback.after(before, error);
  if (place === null) return null;
  const from = identityOf(fallback.members[before]!);
  return switched(fallback, { attempt, place, from, code: error.code, reason: error.message });
}

function switched(
  { members }: ProviderFallback,
  { place, ...fields }: Omit<ProviderSwitched, 'type' | 'to' | 'member'> & { readonly place: number },
): ProviderSwitched {
  return { type: 'providerSwitched', ...fields, to: identityOf(members[place]!), member: place };
}

function noted({ current }: AskingTurn): TurnNotes['member'] {
  return current().fold.turn?.member;
}

/** Returns the current index of the member that a note names, which may have moved; null if the member is missing, or nothing was noted. */
function placeIn({ members }: ProviderFallback, note: TurnNotes['member']): number | null {
  if (note === undefined) return null;
  const isNoted = (member: Provider | undefined) =>
    member !== undefined && isSameModel(identityOf(member), note.identity);
  if (isNoted(members[note.place])) return note.place;
  const place = members.findIndex(isNoted);
  return place === -1 ? null : place;
}
