import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals-core';
import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import type { JsonObject } from '../json/json.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { PublishScheduler } from '../ports/publish-scheduler.js';
import type { StateStore } from '../state/state-store.js';
import type { SessionState } from '../state/session-state.js';

/**
 * A call that waits on the user, and the ways to decide. One object for each request. Both methods do what
 * `session.respond` does, and may be taken off the object.
 *
 * @example
 * const outcome = await session.pendingConfirmation.value?.approve();
 */
export interface Confirmation extends ConfirmationRequest {
  /** Lets the call run, with other arguments if given. The first decision wins. */
  approve(options?: { readonly arguments?: JsonObject }): Promise<RespondOutcome>;
  /** Refuses the call; the model reads the reason. */
  deny(reason?: string): Promise<RespondOutcome>;
}

type Projected = Omit<SessionState, 'pendingConfirmations' | 'lastError'> & {
  /** The first request that waits on the user. */
  readonly pendingConfirmation: Confirmation | null;
  readonly pendingConfirmations: readonly Confirmation[];
  readonly lastError: AgentSessionError | null;
};

/** The state of a session as signals, one for each concern. */
export type Signals = { readonly [K in keyof Projected]: ReadonlySignal<Projected[K]> };

type ReadKey = 'liveTurn' | 'activeToolCalls';
type WrittenKey = Exclude<keyof Projected, ReadKey>;

/** What the projection attaches to plain state. */
export interface Attachments {
  respond(requestId: string, decision: Decision): Promise<RespondOutcome>;
  /** The error instance that an error in the state stands for. */
  errorOf(data: ErrorData): AgentSessionError;
  reportError(error: unknown): void;
}

/**
 * The state as signals. Deltas and progress are published when the scheduler says so, everything else at once and
 * together with what is pending, so that no reader sees one half of a change.
 */
export class Projection {
  readonly signals: Signals;
  private readonly written: { readonly [K in WrittenKey]: Signal<Projected[K]> };
  private readonly versions: { readonly [K in ReadKey]: Signal<number> } = {
    liveTurn: signal(0),
    activeToolCalls: signal(0),
  };
  private readonly confirmations = new Map<string, Confirmation>();
  private scheduled = false;
  private cancelScheduled = nothing;
  /** The scheduler publishes before it returns: nobody can look between a change and its publication. */
  private atOnce = false;
  /** One function for all appointments: making one per delta would cost as much as the publication. */
  private readonly publishScheduled = () => {
    this.scheduled = false;
    this.cancelScheduled = nothing;
    this.publish();
  };

  constructor(
    private readonly store: StateStore,
    private readonly scheduler: PublishScheduler,
    private readonly attachments: Attachments,
  ) {
    const {
      lastError,
      pendingConfirmations,
      liveTurn: _live,
      activeToolCalls: _calls,
      ...state
    } = store.snapshot();
    const initial: Pick<Projected, WrittenKey> = {
      ...withoutFold(state),
      pendingConfirmation: null,
      pendingConfirmations: this.confirmationsOf(pendingConfirmations),
      lastError: lastError === null ? null : attachments.errorOf(lastError),
    };
    this.written = Object.fromEntries(
      Object.entries(initial).map(([key, value]) => [key, signal<unknown>(value)]),
    ) as typeof this.written;
    this.signals = {
      ...this.written,
      liveTurn: this.read('liveTurn'),
      activeToolCalls: this.read('activeToolCalls'),
    };
  }

  /**
   * The two fields that change with every delta and are made of many objects. They are taken from the store when
   * somebody looks, so that a delta costs nothing for readers that are not there.
   */
  private read<Key extends ReadKey>(key: Key): ReadonlySignal<Projected[Key]> {
    return computed(() => {
      void this.versions[key].value;
      return this.store.take(key) as Projected[Key];
    });
  }

  /**
   * Call before a change that is published later. What nobody has looked at since the last publication is taken as it
   * is: whoever looks in between must not see more of the turn than the other signals show.
   */
  hold(): void {
    if (this.scheduled || this.atOnce) return;
    this.signals.liveTurn.peek();
    this.signals.activeToolCalls.peek();
  }

  /** Publishes soon, once for all that changes until then. */
  publishSoon(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    const cancel = this.scheduler.schedule(this.publishScheduled);
    // A scheduler may have published at once, before it returned.
    if (this.scheduled) this.cancelScheduled = cancel;
    this.atOnce = !this.scheduled;
  }

  /** Publishes everything that changed. What an effect throws goes to the error port and stops nobody. */
  publish(): void {
    if (this.scheduled) {
      this.scheduled = false;
      this.cancelScheduled();
      this.cancelScheduled = nothing;
    }
    const changed = this.store.takeChanged();
    if (changed.length === 0) return;
    try {
      batch(() => {
        for (const key of changed) this.write(key);
      });
    } catch (error) {
      this.attachments.reportError(error);
    }
  }

  private write(key: keyof SessionState): void {
    const { written, attachments, store } = this;
    if (key === 'liveTurn' || key === 'activeToolCalls') this.versions[key].value++;
    else if (key === 'pendingConfirmations') {
      const confirmations = this.confirmationsOf(store.take(key));
      written.pendingConfirmations.value = confirmations;
      written.pendingConfirmation.value = confirmations[0] ?? null;
    } else if (key === 'lastError') {
      const error = store.take(key);
      written.lastError.value = error === null ? null : attachments.errorOf(error);
    } else (written[key] as Signal<unknown>).value = store.take(key);
  }

  private confirmationsOf(requests: readonly ConfirmationRequest[]): readonly Confirmation[] {
    const confirmations = requests.map((request) => {
      const known = this.confirmations.get(request.id);
      return known && known.expiresAt === request.expiresAt ? known : this.confirmationOf(request);
    });
    this.confirmations.clear();
    for (const confirmation of confirmations) this.confirmations.set(confirmation.id, confirmation);
    return confirmations;
  }

  private confirmationOf(request: ConfirmationRequest): Confirmation {
    const { respond } = this.attachments;
    return {
      ...request,
      approve: (options) =>
        respond(request.id, {
          approve: true,
          ...(options?.arguments === undefined ? {} : { arguments: options.arguments }),
        }),
      deny: (reason) => respond(request.id, { approve: false, ...(reason === undefined ? {} : { reason }) }),
    };
  }
}

const nothing = (): void => {};

/** The fold's own notes are no concern of a view. */
function withoutFold<State extends object>(state: State): State {
  const { fold: _fold, ...rest } = state as State & { fold?: unknown };
  return rest as unknown as State;
}
