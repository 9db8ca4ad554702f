// What a turn and its requests are, wherever the turn runs.
import type { ProviderRequest } from '@banister/provider';
import type { TurnRecord } from '@banister/session';

/** What a turn says of itself, but for what belongs to its place. */
export function recordOf(turn: TurnRecord) {
  const { rounds, status, outcome, input, options, unknown, effects, switches, compactions, activated } =
    turn;
  return {
    rounds,
    status,
    outcome,
    input: input.parts,
    options,
    unknown,
    effects,
    switches,
    compactions,
    activated,
  };
}

/** Returns the parts of a request that a model reads, without the line that the library adds to the system prompt of a child turn. */
export function requestOf({ messages, tools, system, toolChoice }: ProviderRequest) {
  return {
    messages: messages.map(({ role, parts }) => ({ role, parts })),
    tools: tools.filter(({ name }) => !name.startsWith('crew.')),
    system: system?.replace(/\n*You work for another agent\.[^\n]*$/, ''),
    toolChoice,
  };
}

/** The fields that only a child turn has, and the estimates of tokens. The estimates differ because ids and the system prompt of a child turn have another length. */
const left: ReadonlySet<string> = new Set(['child', 'agent', 'tokens']);

/** A value with its ids in the order in which they first stand there. */
export function plain(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value, (key, entry: unknown) => (left.has(key) ? undefined : entry));
  return JSON.parse(
    text.replaceAll(/\b(turn|message|call|confirmation|grant|[a-z-]+)_(\d+)\b/g, (id, kind: string) => {
      if (!ids.has(id)) ids.set(id, `${kind} #${ids.size}`);
      return ids.get(id)!;
    }),
  ) as unknown;
}
