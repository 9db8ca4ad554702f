import type { Message, ToolDefinition } from '@banister/provider';
import { Observable } from '../operations/observable.js';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import * as told from '../conversation/model-words.js';
import { domainOf } from '../conversation/tool-id.js';
import { activatedOnPath } from './active-domains.js';
import type { Domain } from '../tools/domain.js';
import type { ToolContext } from '../tools/tool.js';
import { failed, success, type ToolOutcome } from '../tools/tool-outcome.js';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.js';
import type { Stage } from '../turn/concat.js';
import type { DiscoveringTurn, Discovery, StagedTools } from '../turn/turn-parts.js';
import { discoveryTools, listed, type DiscoveryActions } from './discovery-tools.js';
import { Instructions, LONGEST_INSTRUCTIONS } from './instructions.js';
import { calledTools, isOwn, offeredTools, type Offer } from './offered-tools.js';

/** The highest number of unknown ids that an answer repeats. */
const MOST_NAMES = 5;

/** The number of domains whose instructions, of the highest length, fit into one answer. */
const MOST_INSTRUCTIONS = 4;

/** The highest number of characters of the instructions in one answer, with a line for each domain. A longer result would be left out. */
const LONGEST_ANSWER = MOST_INSTRUCTIONS * (LONGEST_INSTRUCTIONS + 500);

/** The number of the tools of discovery. */
const OWN_TOOLS = 2;

/** See `DiscoveryStages`. */
export function stagedTools(
  turn: DiscoveringTurn,
  { always, maxTools }: Pick<Discovery, 'always' | 'maxTools'>,
): StagedTools | null {
  const { tools, settings } = turn;
  const { model, capabilities } = settings.provider;
  const cap = Math.min(maxTools, capabilities?.maxTools ?? Infinity);
  // An agent has what its list names, so nothing of that waits until its model asks.
  const waiting = turn.agent === undefined ? tools.domains.filter((domain) => domain.staged) : [];
  const atOnce = tools.definitions.length - waiting.reduce((sum, domain) => sum + domain.tools.length, 0);
  const isOver = atOnce + (waiting.length > 0 ? OWN_TOOLS : 0) > cap;
  const all = tools.domains.filter((domain) => turn.agent === undefined || domain.tools.length > 0);
  const inStages = always || isOver ? all : waiting;
  if (inStages.length === 0 && !tools.domains.some(({ instructions }) => instructions)) return null;
  const staged = new Staged(turn, cap, new Set(inStages.map(({ id }) => id)));
  if (inStages.length > 0 && staged.own >= cap)
    throw new AgentSessionError(
      'unsupported',
      `The model ${model} accepts ${cap} tools in a request, and those with which domains are activated are ${staged.own}.`,
    );
  return staged;
}

class Staged implements StagedTools {
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
  private readonly instructions: Instructions;

  /** @param inStages ids of the domains that become active when they are named; all other domains are active */
  constructor(
    private readonly turn: DiscoveringTurn,
    readonly cap: number,
    private readonly inStages: ReadonlySet<string>,
  ) {
    const { tools, options, current } = turn;
    this.instructions = new Instructions(turn);
    this.added =
      inStages.size === 0
        ? []
        : discoveryTools({ list: () => this.list(), use: (ids, context) => this.use(ids, context) });
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

  lines(messages: readonly Message[]): readonly string[] {
    const { domains } = this.turn.tools;
    const hints = [
      told.discoveryHint,
      ...(domains.some(({ instructions }) => instructions) ? [told.instructionsHint] : []),
    ];
    return [...(this.inStages.size === 0 ? [] : hints), ...this.instructions.unread(messages, this.active)];
  }

  beginning(tool: string | null, round: number): Stage {
    const { current, tools, options } = this.turn;
    const { activated = [] } = current().liveTurn ?? {};
    const has = (id: string) => tools.domains.some((domain) => domain.id === id);
    // A resumed turn may name a tool, or a domain, that was removed.
    const named = [
      ...(round === 1 ? (options?.use ?? []).filter(has) : []),
      ...(tool !== null && tools.get(tool) !== undefined ? [domainOf(tool)] : []),
    ];
    const ids = [...new Set(named)].filter((id) => !activated.includes(id) && !this.isActive(id));
    const used = ids.filter((id) => options?.use?.includes(id));
    if (used.length > 0 && !this.fits(used)) throw this.tooMany(used);
    return [
      ids.length === 0 ? [] : { type: 'domainsActivated', ids, round, by: 'choice' },
      () => this.withInstructions(),
    ];
  }

  /** Waits for the instructions of active domains, as long as for a tool. */
  private withInstructions(): Stage {
    const { active, instructions, turn } = this;
    const loading = instructions.loading(active);
    if (loading === null) return [];
    const { toolTimeoutMs: timeoutMs } = turn.settings.limits;
    return new Observable<never>((subscriber) => {
      const ends = () => subscriber.complete();
      void loading.then(ends);
      const givesUp = () => {
        instructions.giveUp(active, timeoutMs);
        ends();
      };
      if (timeoutMs !== Infinity) subscriber.add(turn.ports.clock.schedule(givesUp, timeoutMs));
    });
  }

  private get active(): readonly Domain[] {
    return this.turn.tools.domains.filter(({ id }) => this.isActive(id));
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
    const { tools, current } = this.turn;
    const others = tools.domains.filter(({ id }) => !this.inStages.has(id)).map(({ id }) => id);
    const activated = [...new Set([...others, ...activatedOnPath(current())])];
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

  private use(ids: readonly string[], context: ToolContext): ReturnType<DiscoveryActions['use']> {
    const { domains } = this.turn.tools;
    const all = domains.map(({ id }) => id);
    const unknown = ids.filter((id) => !all.includes(id));
    if (ids.length === 0) return failed(told.noDomain(all));
    if (unknown.length > 0) {
      const names = unknown.slice(0, MOST_NAMES).map((id) => JSON.stringify(id.length > 200 ? '…' : id));
      return failed(told.unknownDomain(names, all));
    }
    const named = domains.filter(({ id }) => ids.includes(id) && !this.isActive(id));
    const loading = this.instructions.loading(named);
    if (loading === null) return this.activate(ids);
    // The call may have been cut meanwhile. Then its turn may have ended.
    return loading.then(() => (context.signal.aborted ? failed(told.interruptedDomain) : this.activate(ids)));
  }

  private activate(ids: readonly string[]): ToolOutcome | string {
    const { turn } = this;
    const fresh = [...new Set(ids)].filter((id) => !this.isActive(id));
    const domains = fresh.map((id) => turn.tools.domains.find((domain) => domain.id === id)!);
    const hasTools = domains.some(({ tools }) => tools.length > 0);
    const obstacle = hasTools ? this.obstacleOf(fresh) : null;
    if (obstacle !== null) return failed(obstacle);
    const texts = domains.flatMap((domain) => this.instructions.of(domain) ?? []);
    if (texts.join('').length > LONGEST_ANSWER) return failed(told.manyInstructions(MOST_INSTRUCTIONS));
    const round = turn.current().budget.rounds.spent;
    const sameTools = hasTools ? {} : ({ sameTools: true } as const);
    if (fresh.length > 0)
      turn.emit({ type: 'domainsActivated', ids: fresh, round, by: 'model', ...sameTools });
    const answer = told.activated([...new Set(ids)]);
    return texts.length === 0 ? answer : success(answer, ...texts);
  }

  /** Returns true if the tools of domains fit beside those of the active domains. */
  private fits(fresh: readonly string[]): boolean {
    const wanted = [...fresh, ...this.offer.active];
    return this.offerOf(wanted).active.length === wanted.length;
  }

  private tooMany(ids: readonly string[]): AgentSessionError {
    const { model } = this.turn.settings.provider;
    const text = `The model ${model} accepts ${this.cap} tools in a request, too few for those of ${ids.join(', ')} beside the others.`;
    return new AgentSessionError('unsupported', text);
  }

  /** Returns why domains cannot be activated now; null if they can. */
  private obstacleOf(fresh: readonly string[]): string | null {
    const { turn, offer, cap } = this;
    const { maxRebuilds } = turn.settings.limits;
    const { rebuilds = 0, round } = turn.current().fold.turn!;
    if (!round?.activated && rebuilds >= maxRebuilds) return told.noMoreRebuilds(maxRebuilds, offer.active);
    if (this.fits(fresh)) return null;
    return told.tooManyTools(fresh, cap, offer.active);
  }
}
