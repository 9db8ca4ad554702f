import { EMPTY, type Observable, type Subscriber } from 'rxjs';
import type { Remembered } from '../guards/decision.js';
import { defined } from '../json/defined.js';
import type { JsonObject } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import type { Grant } from '../operations/consent-operations.js';
import { fromAsync } from '../operations/from-async.js';
import type { GuardQuestion } from '../operations/guard-question.js';
import type { TurnFact } from '../operations/operation.js';
import type { BatchCall } from '../turn/batch-call.js';
import type { AskingTurn } from '../turn/turn-request.js';
import { definitionOf } from './definition-of.js';
import { ownGrants, sessionIdOf, showGrants } from './own-grants.js';
import { changeGrants, loadGrants } from './stored-grants.js';

/** A call that a guard asks about, as grants see it. */
interface AskedCall {
  readonly question: GuardQuestion;
  /** The id of the grant that allows it; null where none does. */
  grant: string | null;
}

/** The approvals that are remembered, as a turn uses them: it reads them at each decision, and makes those that the user gives. */
export class TurnGrants {
  private readonly asked = new Map<BatchCall, AskedCall>();

  constructor(private readonly turn: AskingTurn) {}

  /** Allows the calls for which a grant stands, out of those that a guard asks about. */
  allow(calls: readonly BatchCall[]): Observable<TurnFact> {
    const asked = calls.filter((call) => call.confirm !== null && canBeRemembered(call));
    if (asked.length === 0) return EMPTY;
    return fromAsync<TurnFact>(async (facts) => {
      const grants = await this.inForce();
      if (facts.closed) return;
      for (const call of asked) {
        const one: AskedCall = { question: call.confirm!, grant: null };
        this.asked.set(call, one);
        this.decide(call, one, grants, facts);
      }
    });
  }

  /** Whether a grant allows a call that the user was not asked about. */
  isAllowing(call: BatchCall): boolean {
    return this.asked.get(call)?.grant != null;
  }

  /** Puts the question to a call again, where no grant stands for it any longer. */
  check(call: BatchCall): Observable<TurnFact> {
    return fromAsync<TurnFact>(async (facts) => {
      const one = this.asked.get(call)!;
      const grants = await this.inForce();
      if (!facts.closed) this.decide(call, one, grants, facts);
    });
  }

  private decide(
    call: BatchCall,
    one: AskedCall,
    grants: readonly Grant[],
    facts: Subscriber<TurnFact>,
  ): void {
    const covering = grants.filter((given) => stands(given, call, one));
    const grant = (covering.find(({ id }) => id === one.grant) ?? covering[0])?.id ?? null;
    call.confirm = grant === null ? one.question : null;
    if (grant !== null && grant !== one.grant) {
      const { callId } = call.requested;
      facts.next({ type: 'guardDecided', callId, guard: one.question.guard, verdict: 'allow', grant });
    }
    one.grant = grant;
  }

  /** Returns the grant for an approval of a call with these arguments; the reasons where it cannot be remembered. */
  grant(call: BatchCall, { remember, scope }: Remembered, args: JsonObject): Grant | readonly string[] {
    const { turn } = this;
    const { tool } = call.ready!;
    const asked = this.asked.get(call);
    if (asked === undefined) return ['The answer to this question cannot be remembered.'];
    if (remember === 'always' && turn.settings.grants === null)
      return ['This session has no store of grants, so that nothing is remembered for always.'];
    return defined({
      id: turn.ports.ids.next('grant'),
      tool: tool.id,
      definition: definitionOf(tool),
      remember,
      arguments: scope === 'arguments' || isGrave(call, asked) ? args : undefined,
      at: turn.ports.clock.now(),
      session: sessionIdOf(turn),
      turnId: remember === 'turn' ? turn.id : undefined,
    });
  }

  /** Is called with the grant of an approval: one for always is kept. Where that fails, it is not in the list of the next reading. */
  given(grant: Grant | undefined): void {
    const { settings, ports } = this.turn;
    const { grants: store } = settings;
    if (grant?.remember !== 'always' || store === null) return;
    changeGrants(store, ports.clock, () => store.put(grant)).catch(ports.reportError);
    void this.inForce();
  }

  /** Ends the grants of the turn. */
  ended(): void {
    const { current, host } = this.turn;
    const grants = current().grants.filter(({ remember }) => remember !== 'turn');
    if (grants.length < current().grants.length) host.emit({ type: 'grantsChanged', grants });
  }

  /** Returns the grants that stand now, and shows those of the store. A store that cannot be read has none. */
  private async inForce(): Promise<readonly Grant[]> {
    const { settings, ports } = this.turn;
    const always = await loadGrants(settings.grants, ports);
    showGrants(this.turn, always);
    return [...ownGrants(this.turn), ...(always ?? [])];
  }
}

/** Whether the answer about a call can be remembered: one about a call that may have run cannot, nor one about a call of a file. */
function canBeRemembered({ ready, rejected, asksForRerun, confirm }: BatchCall): boolean {
  return !rejected && ready !== null && !asksForRerun && confirm?.because?.code !== 'imported';
}

/** Whether a grant stands for a call. */
function stands(grant: Grant, call: BatchCall, asked: AskedCall): boolean {
  const { tool, arguments: args } = call.ready!;
  if (grant.tool !== tool.id || grant.definition !== definitionOf(tool)) return false;
  if (grant.arguments === undefined) return !isGrave(call, asked);
  return sameJson(grant.arguments, args);
}

/** Whether an approval of a call stands for its arguments alone. One of a tool that the provider hosts may stand for its `server.tool`. */
function isGrave({ requested, ready }: BatchCall, { question }: AskedCall): boolean {
  const { capabilities, irreversible } = ready!.tool;
  return (
    (irreversible && !requested.hosted) ||
    question.cost !== undefined ||
    capabilities.includes('destructive') ||
    capabilities.includes('paid')
  );
}
