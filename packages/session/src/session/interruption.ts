import type { UndoReport } from '../conversation/turn-record.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Clock } from '../ports/clock.js';
import type { Decision, RespondOutcome } from '../guards/confirmation.js';
import type { CancelReport, TurnResult } from './agent-session.js';
import { cancelReport } from './cancel-report.js';
import type { InterruptedParts } from './end-interruption.js';
import { interruptionCode, type InterruptionCode } from './interruption-code.js';
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
  resume(): Promise<TurnResult | UndoReport> {
    return this.withCode(({ resume }) => resume(this.parts));
  }

  /** Takes the work back, or ends it where its end had begun. Rejects `nothing-to-resume`. */
  abandon(): Promise<UndoReport> {
    return this.withCode(({ abandon }) => abandon(this.parts));
  }

  /** Abandons the work, as a cancel that resolves with its report. */
  async cancel(): Promise<CancelReport> {
    const { turnId } = this.parts.core.current.interrupted!;
    await this.abandon();
    const record = this.parts.core.state.turns.findLast((turn) => turn.id === turnId);
    return cancelReport('idle', record ?? null);
  }

  /** Settles a request that was open at the interruption: goes on with the turn, which asks again. */
  respond(requestId: string, decision: Decision): Promise<RespondOutcome> {
    return this.withCode(({ respond }) => respond(this.parts, requestId, decision));
  }

  /** Loads the code, and acts with it. The session is busy from the call on, until the work itself runs. */
  private async withCode<Result>(act: (code: InterruptionCode) => Promise<Result>): Promise<Result> {
    this.lifetime.assertFree();
    if (!this.isThere) throw new AgentSessionError('nothing-to-resume', 'Nothing was interrupted.');
    const loading = Promise.all([interruptionCode.get(this.clock), turnCode.get(this.clock)]);
    this.loading = loading.catch(() => {});
    let code: InterruptionCode;
    try {
      [code] = await loading;
    } finally {
      this.loading = null;
      this.lifetime.assertAlive();
    }
    // Without a further wait, in which another command would find the session free.
    return act(code);
  }
}
