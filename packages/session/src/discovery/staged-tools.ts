import type { ToolDefinition } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import * as told from '../conversation/model-words.js';
import { domainOf } from '../conversation/tool-id.js';
import { activatedOnPath } from './active-domains.js';
import { failed, type ToolOutcome } from '../tools/tool-outcome.js';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.js';
import type { DiscoveringTurn, Discovery, StagedTools } from '../turn/turn-parts.js';
import { discoveryTools, listed } from './discovery-tools.js';
import { calledTools, isOwn, offeredTools, type Offer } from './offered-tools.js';

/** The highest number of unknown ids that an answer repeats. */
const MOST_NAMES = 5;

/** See `DiscoveryStages`. */
export function stagedTools(
  turn: DiscoveringTurn,
  { always, maxTools }: Pick<Discovery, 'always' | 'maxTools'>,
): StagedTools | null {
  const { tools, settings } = turn;
  const { model, capabilities } = settings.provider;
  const cap = Math.min(maxTools, capabilities?.maxTools ?? Infinity);
  const isOver = tools.definitions.length > cap;
  if (tools.domains.length === 0 || !(always || isOver)) return null;
  const staged = new Staged(turn, cap);
  if (staged.own >= cap)
    throw new AgentSessionError(
      'unsupported',
      `The model ${model} accepts ${cap} tools in a request, and those with which domains are activated are ${staged.own}.`,
    );
  return staged;
}

class Staged implements StagedTools {
  readonly hint = told.discoveryHint;
  readonly tools: ToolRegistry;
  readonly all: readonly ToolDefinition[];
  /** The number of tools that are in every request. */
  readonly own: number;
  private readonly added: readonly RegisteredTool[];
  private readonly always: readonly ToolDefinition[];
  private readonly required: string | null;
  /** Ids of the tools that the model has called on the path. They may be called even if their domain is inactive. */
  private readonly called: readonly string[];
  /** The last offer, and the domains that were activated at that time. */
  private known: { readonly activated: string; readonly offer: Offer } | null = null;

  constructor(
    private readonly turn: DiscoveringTurn,
    readonly cap: number,
  ) {
    const { tools, options, current } = turn;
    this.added = discoveryTools({ list: () => this.list(), use: (ids) => this.use(ids) });
    const own = this.added.map(({ id, tool, schema }) =>
      Object.freeze({ name: id, description: tool.description, parameters: schema }),
    );
    this.always = [...own, ...tools.definitions.filter(({ name }) => isOwn(name))];
    this.own = this.always.length;
    this.all = [...own, ...tools.definitions];
    const { toolChoice } = options ?? {};
    this.required = typeof toolChoice === 'object' ? toolChoice.tool : null;
    this.called = calledTools(current().conversation.messages);
    const definitions = () => this.offer.definitions;
    this.tools = {
      ...tools,
      get definitions() {
        return definitions();
      },
      get: (id) => this.get(id),
    };
  }

  isActive(domain: string): boolean {
    return this.offer.active.includes(domain);
  }

  activation(tool: string, round: number): ReturnType<StagedTools['activation']> {
    const { current, tools } = this.turn;
    const domain = domainOf(tool);
    const wasActivated = current().liveTurn?.activated?.includes(domain);
    // A resumed turn may name a tool that was removed.
    if (wasActivated || this.isActive(domain) || tools.get(tool) === undefined) return null;
    return { type: 'domainsActivated', ids: [domain], round, by: 'choice' };
  }

  refusal(tool: string): string | undefined {
    if (this.turn.tools.get(tool) === undefined) return undefined;
    const id = domainOf(tool);
    return told.inactiveTool(tool, id, this.offer.active);
  }

  private get(id: string): RegisteredTool | undefined {
    const added = this.added.find((tool) => tool.id === id);
    if (added !== undefined) return added;
    const mayBeCalled =
      isOwn(id) || this.isActive(domainOf(id)) || id === this.required || this.called.includes(id);
    return mayBeCalled ? this.turn.tools.get(id) : undefined;
  }

  private get offer(): Offer {
    const activated = activatedOnPath(this.turn.current());
    const key = activated.join(' ');
    if (this.known?.activated !== key) this.known = { activated: key, offer: this.offerOf(activated) };
    return this.known.offer;
  }

  private offerOf(activated: readonly string[]): Offer {
    const { always, required, called, cap, turn } = this;
    const domains = turn.tools.domains.map(({ id }) => id);
    return offeredTools({ domains, all: turn.tools.definitions, always, required, called, activated, cap });
  }

  private list() {
    return listed(this.turn.tools.domains, (id) => this.isActive(id));
  }

  private use(ids: readonly string[]): ToolOutcome | string {
    const { turn } = this;
    const domains = turn.tools.domains.map(({ id }) => id);
    const unknown = ids.filter((id) => !domains.includes(id));
    if (ids.length === 0) return failed(told.noDomain(domains));
    if (unknown.length > 0) {
      const names = unknown.slice(0, MOST_NAMES).map((id) => JSON.stringify(id.length > 200 ? '…' : id));
      return failed(told.unknownDomain(names, domains));
    }
    const fresh = [...new Set(ids)].filter((id) => !this.isActive(id));
    const obstacle = fresh.length === 0 ? null : this.obstacleOf(fresh);
    if (obstacle !== null) return failed(obstacle);
    const round = turn.current().budget.rounds.spent;
    if (fresh.length > 0) turn.emit({ type: 'domainsActivated', ids: fresh, round, by: 'model' });
    return told.activated([...new Set(ids)]);
  }

  /** Returns why domains cannot be activated now; null if they can. */
  private obstacleOf(fresh: readonly string[]): string | null {
    const { turn, offer, cap } = this;
    const { maxRebuilds } = turn.settings.limits;
    const { rebuilds = 0, round } = turn.current().fold.turn!;
    if (!round?.activated && rebuilds >= maxRebuilds) return told.noMoreRebuilds(maxRebuilds, offer.active);
    const wanted = [...fresh, ...offer.active];
    if (this.offerOf(wanted).active.length === wanted.length) return null;
    return told.tooManyTools(fresh, cap, offer.active);
  }
}
