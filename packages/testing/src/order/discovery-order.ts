import type { OperationOf, TurnOptions } from '@banister/session';
import type { Complain } from './round-order.js';

/** The tool with which the model activates domains. */
const USE_DOMAIN = 'banister.use_domain';

/** The rules for staged discovery: which round of a turn may activate which domains. */
export class DiscoveryOrder {
  private readonly active = new Set<string>();
  /** The rounds in which the model activated domains. */
  private readonly rebuilds = new Set<number>();
  /** Ids of the running calls of `banister.use_domain`. */
  private readonly running = new Set<string>();

  constructor(
    private readonly options: Pick<TurnOptions, 'toolChoice' | 'use'> | undefined,
    /** The limit of the turn; undefined if the turn has none. */
    private readonly maxRebuilds: unknown,
  ) {}

  started({ callId, tool }: OperationOf<'toolStarted'>): void {
    if (tool === USE_DOMAIN) this.running.add(callId);
  }

  settled(callId: string): void {
    this.running.delete(callId);
  }

  activated(
    { ids, by, round, sameTools }: OperationOf<'domainsActivated'>,
    open: number,
    complain: Complain,
  ): void {
    if (round !== open) complain(`round ${open} is open, not ${round}`);
    if (ids.length === 0) complain('no domains');
    for (const id of ids) {
      if (this.active.has(id)) complain(`the turn activated ${id} before`);
      this.active.add(id);
    }
    if (by === 'model') this.byModel(round, sameTools === true, complain);
    else this.byChoice(ids, round, complain);
  }

  private byModel(round: number, sameTools: boolean, complain: Complain): void {
    if (this.running.size === 0) complain(`no call of ${USE_DOMAIN} runs`);
    if (sameTools) return;
    this.rebuilds.add(round);
    const { maxRebuilds } = this;
    if (typeof maxRebuilds === 'number' && this.rebuilds.size > maxRebuilds)
      complain(`the limit maxRebuilds permits only ${maxRebuilds} of the rounds that activate domains`);
  }

  private byChoice(ids: readonly string[], round: number, complain: Complain): void {
    const { toolChoice: choice, use = [] } = this.options ?? {};
    if (round !== 1) complain('options that name domains bind the first round');
    const chosen = typeof choice === 'object' ? choice.tool.slice(0, choice.tool.indexOf('.')) : undefined;
    for (const id of ids)
      if (id !== chosen && !use.includes(id)) complain(`the options of the turn do not name ${id}`);
  }
}
