import type { JsonObject, JsonValue } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import * as told from '../conversation/model-words.js';
import type { Domain } from '../tools/domain.js';
import { ownTool } from '../tools/own-tool.js';
import type { ToolContext } from '../tools/tool.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';

/** The functions that the tools of discovery call. */
export interface DiscoveryActions {
  list(): JsonObject;
  use(ids: readonly string[], context: ToolContext): ToolOutcome | string | Promise<ToolOutcome | string>;
}

/** One object for each tool and all turns, so that sessions compile the check of its arguments once. */
const parameters = {
  list_domains: deepFreeze({ type: 'object', properties: {}, additionalProperties: false } as const),
  use_domain: deepFreeze({
    type: 'object',
    properties: { ids: { type: 'array', items: { type: 'string' } } },
    required: ['ids'],
    additionalProperties: false,
  } as const),
};

/** Returns the tools with which a model activates domains. They change nothing in the app. */
export function discoveryTools({ list, use }: DiscoveryActions): readonly RegisteredTool[] {
  return [
    ownTool({
      name: 'list_domains',
      title: 'List the parts of the app',
      description: told.listTool,
      parameters: parameters.list_domains,
      capabilities: ['readOnly'],
      execute: () => list(),
    }),
    ownTool({
      name: 'use_domain',
      title: 'Get the tools of a part of the app',
      description: told.useTool,
      parameters: parameters.use_domain,
      capabilities: ['readOnly'],
      execute: (args, context) => use((args as { readonly ids: readonly string[] }).ids, context),
    }),
  ];
}

/** The highest number of characters of the list, as JSON. A longer list would fill the context window, or be too large for a result. */
const LONGEST_LIST = 40_000;

/** The forms of the list of a domain's tools, longest first. */
const forms: readonly ((domain: Domain) => JsonValue)[] = [
  ({ id, tools }) => tools.map(({ name, description }) => `${id}.${name}: ${titleOf(description)}`),
  ({ id, tools }) => tools.map(({ name }) => `${id}.${name}`),
  ({ tools }) => `${tools.length} tools`,
];

/**
 * Returns the list of domains for the model, in the longest form that fits: with the first sentence about each tool, with the names of the
 * tools, or with their number.
 */
export function listed(domains: readonly Domain[], isActive: (id: string) => boolean): JsonObject {
  const lists = forms.map((form) => () => ({
    domains: domains.map((domain) => listedDomain(domain, isActive(domain.id), form(domain))),
  }));
  const list = lists.find((make) => JSON.stringify(make()).length <= LONGEST_LIST) ?? lists.at(-1)!;
  return list();
}

function listedDomain({ id, version, summary }: Domain, active: boolean, tools: JsonValue): JsonObject {
  return { id, ...(version ? { version } : {}), ...(summary ? { summary } : {}), active, tools };
}

const LONGEST_TITLE = 120;

/** Returns the first sentence of a description. */
function titleOf(description: string): string {
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s|\n/);
  return sentence.length <= LONGEST_TITLE ? sentence : `${sentence.slice(0, LONGEST_TITLE - 1)}…`;
}
