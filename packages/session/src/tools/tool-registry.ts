import { checked, refusal } from '../errors/checked.js';
import { messageOf } from '../errors/to-session-error.js';
import { defined } from '../json/defined.js';
import { deepFreeze, type JsonObject } from '../json/json.js';
import { jsonCopy } from '../json/json-copy.js';
import { repeatedIn, wrong, type Read } from '../json/shape.js';
import type { DomainNote } from '../operations/turn-operations.js';
import type { ToolDefinition } from '../provider/provider.js';
import { defineDomain, jsonSchema, type Domain } from './domain.js';
import type { Capability, RevertByData, RevertContext, Tool } from './tool.js';

/** A tool of a session: a copy, so that a change of the app's object does not affect a running session. */
export interface RegisteredTool {
  /** `domain.tool` */
  readonly id: string;
  readonly domain: Domain;
  readonly tool: Tool;
  /** The app's object, by which sessions share the check of its arguments. */
  readonly source: Tool;
  readonly capabilities: readonly Capability[];
  readonly readOnly: boolean;
  readonly irreversible: boolean;
  /** Whether a plain cancel cuts a running call: true for a `readOnly` tool, whatever it declares. */
  readonly abortable: boolean;
  /** `safe` for a `readOnly` tool, whatever it declares. */
  readonly replay: NonNullable<Tool['replay']>;
  readonly schema: JsonObject;
}

/** The tools of a turn. `configure` makes another registry for the next one. */
export interface ToolRegistry {
  readonly domains: readonly Domain[];
  /** The domains that say something about themselves. */
  readonly notes: readonly DomainNote[];
  /** The domains that `configure` removed: effects in them can still be taken back. */
  readonly removed: readonly Domain[];
  /** The tools as providers get them. */
  readonly definitions: readonly ToolDefinition[];
  /** @param id `domain.tool` */
  get(id: string): RegisteredTool | undefined;
  /** These tools, and those that `configure` removed, by their ids. */
  readonly kept: ReadonlyMap<string, RegisteredTool>;
}

/**
 * Creates the registry of a session. Throws `invalid-configuration`, naming the domain or tool that is wrong.
 *
 * @param before the registry that this one replaces
 */
export function createToolRegistry(domains: readonly Domain[], before?: ToolRegistry): ToolRegistry {
  const tools = new Map<string, RegisteredTool>();
  for (const domain of domains) {
    defineDomain(domain);
    for (const tool of domain.tools) tools.set(`${domain.id}.${tool.name}`, register(domain, tool));
  }
  const twice = repeatedIn(domains.map(({ id }) => id));
  if (twice !== undefined) throw refusal(`The domain "${twice}" is registered twice.`);
  const definitions = Array.from(tools.values(), ({ id, tool, schema }) => ({
    name: id,
    description: tool.description,
    parameters: schema,
  }));
  const ids = new Set(domains.map(({ id }) => id));
  const removed = [...(before?.domains ?? []), ...(before?.removed ?? [])].filter(({ id }) => !ids.has(id));
  return {
    domains: [...domains],
    notes: deepFreeze(domains.filter(({ version, summary }) => version || summary).map(noteOf)),
    removed,
    definitions: deepFreeze(definitions),
    get: (id) => tools.get(id),
    kept: before === undefined ? tools : new Map([...before.kept, ...tools]),
  };
}

function noteOf({ id, version, summary }: Domain): DomainNote {
  return defined({ id, version: version || undefined, summary: summary || undefined });
}

function register(domain: Domain, source: Tool): RegisteredTool {
  const id = `${domain.id}.${source.name}`;
  const capabilities: readonly Capability[] = source.capabilities?.length
    ? [...source.capabilities]
    : ['mutating'];
  const { execute } = source;
  const readOnly = capabilities.includes('readOnly');
  return {
    id,
    domain,
    // A copy field by field, with `execute` called on the original: a tool may be an instance of a class.
    tool: {
      name: source.name,
      title: source.title,
      description: source.description,
      parameters: source.parameters,
      capabilities,
      timeoutMs: source.timeoutMs,
      parallel: source.parallel,
      resources: source.resources && ((args) => source.resources!(args)),
      replay: source.replay,
      recover: source.recover && ((args, context) => source.recover!(args, context)),
      preview: source.preview && ((args, context) => source.preview!(args, context)),
      undo: source.undo && revertOf(source.undo),
      execute: (args, context) => execute.call(source, args, context),
    },
    source,
    capabilities,
    readOnly,
    irreversible: source.irreversible ?? false,
    abortable: readOnly || source.abortable === true,
    replay: readOnly ? 'safe' : (source.replay ?? 'never'),
    schema: deepFreeze(checked(schemaOf, source, `The tool "${id}"`)),
  };
}

/** A copy, with the functions called on the original. */
function revertOf(undo: RevertByData): RevertByData {
  return defined({
    revert: (data: unknown, context: RevertContext) => undo.revert(data, context),
    reapply: undo.reapply && ((data: unknown, context: RevertContext) => undo.reapply!(data, context)),
    keepsEdits: undo.keepsEdits,
    data: undo.data,
    describe: undo.describe && ((data: unknown) => undo.describe!(data)),
  });
}

const schemaOf: Read<JsonObject> = (tool) => readSchema((tool as Tool).parameters, 'parameters');

/** Reads a schema, of JSON or of a library, as plain JSON. */
export const readSchema: Read<JsonObject> = (given, at) => {
  const schema = jsonSchema(given, at);
  try {
    return jsonCopy(schema) as JsonObject;
  } catch (error) {
    return wrong(at, messageOf(error));
  }
};
