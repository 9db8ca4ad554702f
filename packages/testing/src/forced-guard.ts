import { defineGuard, type Guard, type GuardedCall, type Verdict } from '@banister/session';

/** The verdict of a {@link forcedGuard} for every call. */
export type ForcedVerdict = Verdict | 'throw' | 'hang' | ((call: GuardedCall) => Verdict | Promise<Verdict>);

/** A guard that remembers what it was asked. */
export type ForcedGuard = Guard & { readonly calls: readonly GuardedCall[] };

/**
 * A guard with a fixed verdict, or a guard that throws or hangs.
 *
 * @example
 * const guard = forcedGuard('ask-always', { confirm: 'Really?' });
 * const session = createAgentSession({ provider, domains: [board], guards: [guard] });
 */
export function forcedGuard(name: string, verdict: ForcedVerdict): ForcedGuard {
  const calls: GuardedCall[] = [];
  const guard = defineGuard(name, (call) => {
    calls.push(call);
    if (verdict === 'throw') throw new Error(`Scripted failure of the guard ${name}.`);
    if (verdict === 'hang') return new Promise<never>(() => {});
    return typeof verdict === 'function' ? verdict(call) : verdict;
  });
  return Object.assign(guard, { calls });
}
