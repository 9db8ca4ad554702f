import type { JsonObject } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { EMPTY, type Observable, type Subscriber } from 'rxjs';
import type { Remembered } from '../guards/decision.js';
import type { Grant } from './consent-operations.js';
import { fromAsync } from '../operations/from-async.js';
import type { GuardQuestion } from '../operations/guard-question.js';
import type { TurnFact } from '../operations/operation.js';
import type { BatchCall } from '../turn/batch-call.js';
import type { Turn } from '../turn/turn-context.js';
import { definitionOf } from './definition-of.js';
import { ownGrants, sessionIdOf, showGrants } from './own-grants.js';
import { changeGrants, loadGrants } from './stored-grants.js';

/** A call about which a guard asks, for the grants. */
interface AskedCall {
  readonly question: GuardQuestion;
  /** The id of the grant that allows the call; null if none does. */
  grant: string | null;
}

/** The remembered approvals in a turn. It reads the grants at each decision, and creates grants for the user's approvals. */
export class TurnGrants {
  private readonly asked = new Map<BatchCall, AskedCall>();

  constructor(private readonly turn: Turn) {}

  /** Allows the calls with a grant, among the calls about which a guard asks. */
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

  /** Returns true if a grant allows a call, so that the user was not asked. */
  isAllowing(call: BatchCall): boolean {
    return this.asked.get(call)?.grant != null;
  }

  /** If the call has no valid grant any more, restores its question. */
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

  /** Returns the grant for an approval of a call with these arguments, or the reasons why the approval cannot be remembered. */
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
      turnId: remember === 'turn' ? turn.effectsOf : undefined,
      agent: turn.agent?.id,
    });
  }

  /** Called with the grant of an approval. Stores a grant for `always`. If that fails, the next reading of the store does not have it. */
  given(grant: Grant | undefined): void {
    const { settings, ports } = this.turn;
    const { grants: store } = settings;
    if (grant?.remember !== 'always' || store === null) return;
    changeGrants(store, ports.clock, () => store.put(grant)).catch(ports.reportError);
    void this.inForce();
  }

  /** Ends the grants for this turn, also of its child turns. */
  ended(): void {
    const { current, host } = this.turn;
    const grants = current().grants.filter(({ remember }) => remember !== 'turn');
    if (grants.length < current().grants.length) host.emit({ type: 'grantsChanged', grants });
  }

  /** Returns the grants that are valid now, and shows the grants of the store. A store that cannot be read has no grants. */
  private async inForce(): Promise<readonly Grant[]> {
    const { settings, ports } = this.turn;
    const always = await loadGrants(settings.grants, ports);
    showGrants(this.turn, always);
    return [...ownGrants(this.turn), ...(always ?? [])].filter((grant) => isOf(grant, this.turn));
  }
}

/**
 * Returns true if the answer about a call can be remembered. It cannot if the call may have run already, or comes from an imported
 * conversation.
 */
function canBeRemembered({ ready, rejected, asksForRerun, confirm }: BatchCall): boolean {
  return !rejected && ready !== null && !asksForRerun && confirm?.because?.code !== 'imported';
}

/** Returns true if a grant was given to the agent of a turn. A grant for one turn must also have been given in this turn. */
function isOf({ agent, turnId }: Grant, turn: Turn): boolean {
  return agent === turn.agent?.id && (turnId ?? turn.effectsOf) === turn.effectsOf;
}

/** Returns true if a grant is valid for a call. */
function stands(grant: Grant, call: BatchCall, asked: AskedCall): boolean {
  const { tool, arguments: args } = call.ready!;
  if (grant.tool !== tool.id || grant.definition !== definitionOf(tool)) return false;
  if (grant.arguments === undefined) return !isGrave(call, asked);
  return sameJson(grant.arguments, args);
}

/**
 * Returns true if an approval of a call is valid only for its arguments. For a tool that the provider hosts, it may be valid for its
 * `server.tool`.
 */
function isGrave({ requested, ready }: BatchCall, { question }: AskedCall): boolean {
  const { capabilities, irreversible } = ready!.tool;
  return (
    (irreversible && !requested.hosted) ||
    question.cost !== undefined ||
    capabilities.includes('destructive') ||
    capabilities.includes('paid')
  );
}
