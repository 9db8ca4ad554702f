import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Clock } from '../ports/clock.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import type { CancelReport, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import type { InterruptedParts } from './end-interruption.js';
import { interruptionCode } from './interruption-code.js';
import type { SessionLifetime } from './session-lifetime.js';
import { turnCode } from './turn-code.js';
import type { Work } from './work.js';

/** The work that the last owner of the log did not end, and the commands that end it. */
export class InterruptedWork implements Work {
  private loading: Promise<unknown> | null = null;

  constructor(
    private readonly parts: InterruptedParts,
    private readonly lifetime: SessionLifetime,
    private readonly clock: Clock,
  ) {}

  get isRunning(): boolean {
    return this.loading !== null;
  }

  get ended(): Promise<unknown> {
    return this.loading ?? Promise.resolve();
  }

  /** Whether there is work to end. */
  get isThere(): boolean {
    return this.parts.core.current.interrupted !== null;
  }

  /** Goes on with the work. Rejects `nothing-to-resume`. */
  async resume(): Promise<TurnResult | UndoReport> {
    const { resume } = await this.code();
    return resume(this.parts);
  }

  /** Takes the work back, or ends it where its end had begun. Rejects `nothing-to-resume`. */
  async abandon(): Promise<UndoReport> {
    const { abandon } = await this.code();
    return abandon(this.parts);
  }

  /** Abandons the work, as a cancel that resolves with its report. */
  async cancel(): Promise<CancelReport> {
    const { turnId } = this.parts.core.current.interrupted!;
    await this.abandon();
    const record = this.parts.core.state.turns.findLast((turn) => turn.id === turnId);
    return cancelReport('idle', record ?? null);
  }

  /** Settles a request that was open at the interruption: goes on with the turn, which asks again. */
  async respond(requestId: string, decision: Decision): Promise<RespondOutcome> {
    const { respond } = await this.code();
    return respond(this.parts, requestId, decision);
  }

  /** Loads the code. The session is busy meanwhile. */
  private async code() {
    this.lifetime.assertFree();
    if (!this.isThere) throw new AgentSessionError('nothing-to-resume', 'Nothing was interrupted.');
    const loading = Promise.all([interruptionCode.get(this.clock), turnCode.get(this.clock)]);
    this.loading = loading.catch(() => {});
    try {
      const [code] = await loading;
      return code;
    } finally {
      this.loading = null;
      this.lifetime.assertAlive();
    }
  }
}
