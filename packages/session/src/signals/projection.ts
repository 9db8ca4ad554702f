import type { AgentSessionError } from '@banister/provider';
import type { ErrorInstances } from '@banister/provider/internal/errors/error-instances';
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals-core';
import type { ApproveOptions, Decision, ExtensionDecision, RespondOutcome } from '../guards/decision.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { ExtensionRequest } from '../extension/extension-operations.js';
import type { PublishScheduler } from '../ports/publish-scheduler.js';
import type { SessionState } from '../state/session-state.js';
import type { Field, StateSource } from '../state/state-source.js';
import { keepRaw } from './keep-raw.js';

/**
 * A call that waits for the user's decision, with methods for the decision. The object of a request stays the same until its deadline or
 * its preview changes. Both methods call `session.respond`, and can be detached from the object.
 *
 * @example
 * const outcome = await session.pendingConfirmation.value?.approve();
 */
export interface Confirmation extends ConfirmationRequest {
  /**
   * Lets the call run, with other arguments if given. Only the first decision on a request counts. It passes the `digest` of this object,
   * unless the options have another one. If the question has another preview by now, the outcome is `errors`.
   */
  approve(options?: ApproveOptions): Promise<RespondOutcome>;
  /** Refuses the call. The model reads the reason. */
  deny(reason?: string): Promise<RespondOutcome>;
}

/**
 * The question whether the turn gets more of a limit, with methods for the answer. The object of a request stays the same until its
 * deadline changes. Both methods call `session.respond`, and can be detached from the object.
 *
 * @example
 * const outcome = await session.pendingExtension.value?.extend();
 */
export interface Extension extends ExtensionRequest {
  /**
   * Lets the turn go on. Only the first answer to a request counts.
   *
   * @param by the amount of the extension, in the unit of the limit. Default: `suggested`
   */
  extend(by?: number): Promise<RespondOutcome>;
  /** Stops the turn, and keeps its effects until then. */
  end(): Promise<RespondOutcome>;
}

type Projected = Omit<SessionState, 'fold' | 'pendingConfirmations' | 'pendingExtension' | 'lastError'> & {
  /** The first of the open requests; null if none is open. */
  readonly pendingConfirmation: Confirmation | null;
  readonly pendingConfirmations: readonly Confirmation[];
  readonly pendingExtension: Extension | null;
  readonly lastError: AgentSessionError | null;
};

/** The state of a session as signals, one for each field. */
export type Signals = { readonly [K in keyof Projected]: ReadonlySignal<Projected[K]> };

const readKeys = ['liveTurn', 'activeToolCalls', 'partialOutput'] as const;
type ReadKey = (typeof readKeys)[number];
type WrittenKey = Exclude<keyof Projected, ReadKey>;

/** What the projection adds to the plain state. */
export interface Attachments {
  respond(requestId: string, decision: Decision | ExtensionDecision): Promise<RespondOutcome>;
  readonly errors: ErrorInstances;
  reportError(error: unknown): void;
  /** The words for the user, which replace the English words in the signals. Default: the English words. */
  readonly words?: { shown(signals: Signals): Signals } | undefined;
}

/**
 * The state as signals. A paced change (deltas, progress, usage) is published at once if no frame is open, and opens a frame; further paced
 * changes wait for its end. Every other change is published at once, together with the waiting changes, so that the signals never
 * contradict each other. While no reader follows a signal, no frame is opened: on a server its timer would cost more than the publications
 * that it saves.
 */
export class Projection {
  readonly signals: Signals;
  private readonly written: { readonly [K in WrittenKey]: Signal<Projected[K]> };
  private readonly versions: { readonly [K in ReadKey]: Signal<number> } = {
    liveTurn: signal(0),
    activeToolCalls: signal(0),
    partialOutput: signal(0),
  };
  private readonly confirmations = new Map<string, Confirmation>();
  /** The signals that an effect or a view follows. */
  private readonly followed = new Set<string>();
  private frameIsOpen = false;
  private cancelFrame = nothing;
  /** True while a paced change waits for the end of the open frame. */
  private isWaiting = false;
  /**
   * Called at the end of a frame. All frames share one function, because a new function per frame would cost as much as the publication.
   */
  private readonly frameEnded = () => {
    this.frameIsOpen = false;
    if (!this.isWaiting) return;
    this.openFrame();
    this.publishAll();
  };

  constructor(
    private readonly source: StateSource,
    private readonly scheduler: PublishScheduler,
    private readonly attachments: Attachments,
  ) {
    const {
      lastError,
      pendingConfirmations,
      pendingExtension,
      liveTurn: _live,
      activeToolCalls: _calls,
      partialOutput: _output,
      fold: _fold,
      ...state
    } = source.snapshot();
    const confirmations = this.confirmationsOf(pendingConfirmations);
    const initial: Pick<Projected, WrittenKey> = {
      ...state,
      pendingConfirmation: confirmations[0] ?? null,
      pendingConfirmations: confirmations,
      pendingExtension: this.extensionOf(pendingExtension),
      lastError: lastError === null ? null : attachments.errors.of(lastError),
    };
    this.written = Object.fromEntries(
      Object.entries(initial).map(([key, value]) => [key, signal<unknown>(value, this.watched(key))]),
    ) as typeof this.written;
    const signals: Signals = {
      ...this.written,
      liveTurn: this.read('liveTurn'),
      activeToolCalls: this.read('activeToolCalls'),
      partialOutput: this.read('partialOutput'),
    };
    for (const signal of Object.values(signals)) keepRaw(signal);
    this.signals = attachments.words?.shown(signals) ?? signals;
  }

  /** Whether an effect or a view follows a signal that shows how turns end. */
  get showsEnds(): boolean {
    return ['lastError', 'lastOutcome', 'turns'].some((key) => this.followed.has(key));
  }

  private watched(key: string) {
    return { watched: () => void this.followed.add(key), unwatched: () => void this.followed.delete(key) };
  }

  /**
   * Returns the signal of a field that changes with every delta and consists of many objects. The field is taken from the store only when
   * the signal is read, so that a delta costs nothing without a reader.
   */
  private read<Key extends ReadKey>(key: Key): ReadonlySignal<Projected[Key]> {
    return computed(() => {
      void this.versions[key].value;
      return this.source.take(key) as Projected[Key];
    }, this.watched(key));
  }

  /**
   * Must be called before each change. While a frame is open, a paced change waits. A first read during the frame must not show more of the
   * turn than the other signals. So the fields that are usually taken when they are read are taken now.
   */
  hold(paced: boolean): void {
    if (!paced || !this.frameIsOpen || this.isWaiting) return;
    for (const key of readKeys) this.signals[key].peek();
  }

  /** Must be called after each change. Publishes a paced change at the end of the open frame, and every other change at once. */
  publish(paced: boolean): void {
    if (paced && this.frameIsOpen) {
      this.isWaiting = true;
      return;
    }
    // The frame is opened first, because an effect of the publication may end the turn, which closes the frame.
    if (paced && this.followed.size > 0) this.openFrame();
    this.publishAll();
  }

  /** Publishes the waiting changes, and ends the frame, so that no timer is left. */
  close(): void {
    this.publishAll();
    if (this.frameIsOpen) this.closeFrame();
  }

  private publishAll(): void {
    this.isWaiting = false;
    this.publishFields(this.source.takeChanged());
    if (this.frameIsOpen && !this.written.isRunning.peek()) this.closeFrame();
  }

  private publishFields(fields: readonly Field[]): void {
    if (fields.length === 0) return;
    this.together(() => fields.forEach((key) => this.write(key)));
  }

  /**
   * Publishes all changes of a step together: effects run at its end. If an effect throws, the error is reported, and the other effects
   * run.
   */
  together(change: () => void): void {
    try {
      batch(change);
    } catch (error) {
      this.attachments.reportError(error);
    }
  }

  private openFrame(): void {
    this.frameIsOpen = true;
    const cancel = this.scheduler.schedule(this.frameEnded);
    // A scheduler without frames calls `frameEnded` before it returns.
    this.cancelFrame = this.frameIsOpen ? cancel : nothing;
  }

  /** Closes the frame at the end of a turn, so that the next turn begins without a frame. */
  private closeFrame(): void {
    this.frameIsOpen = false;
    this.cancelFrame();
    this.cancelFrame = nothing;
  }

  private write(key: Field): void {
    const { written, attachments, source } = this;
    const version = this.versions[key as ReadKey] as Signal<number> | undefined;
    if (version !== undefined) version.value++;
    else if (key === 'pendingConfirmations') {
      const confirmations = this.confirmationsOf(source.take(key));
      written.pendingConfirmations.value = confirmations;
      written.pendingConfirmation.value = confirmations[0] ?? null;
    } else if (key === 'pendingExtension') written[key].value = this.extensionOf(source.take(key));
    else if (key === 'lastError') {
      const error = source.take(key);
      written.lastError.value = error === null ? null : attachments.errors.of(error);
    } else (written[key as WrittenKey] as Signal<unknown>).value = source.take(key);
  }

  private confirmationsOf(requests: readonly ConfirmationRequest[]): readonly Confirmation[] {
    const confirmations = requests.map((request) => {
      const known = this.confirmations.get(request.id);
      return known && isShown(known, request) ? known : this.confirmationOf(request);
    });
    this.confirmations.clear();
    for (const confirmation of confirmations) this.confirmations.set(confirmation.id, confirmation);
    return confirmations;
  }

  private extensionOf(request: ExtensionRequest | null): Extension | null {
    if (request === null) return null;
    const { respond } = this.attachments;
    const { id, limit } = request;
    return {
      ...request,
      extend: (by) => respond(id, { extend: by === undefined ? {} : { [limit]: by } }),
      end: () => respond(id, { end: true }),
    };
  }

  private confirmationOf(request: ConfirmationRequest): Confirmation {
    const { respond } = this.attachments;
    return {
      ...request,
      approve: (options) => {
        const { digest = request.digest } = options ?? {};
        return respond(request.id, {
          ...options,
          ...(digest === undefined ? {} : { digest }),
          approve: true,
        });
      },
      deny: (reason) => respond(request.id, { approve: false, reason }),
    };
  }
}

/** Returns true if a confirmation still shows the current request. */
function isShown(known: Confirmation, request: ConfirmationRequest): boolean {
  const { expiresAt, digest, changed, attended } = request;
  return (
    known.expiresAt === expiresAt &&
    known.digest === digest &&
    known.changed === changed &&
    known.attended === attended
  );
}

const nothing = (): void => {};
