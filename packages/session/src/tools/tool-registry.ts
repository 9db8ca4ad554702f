import type { JsonObject, ToolDefinition } from '@banister/provider';
import { checked, refusal } from '@banister/provider/internal/errors/checked';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import { repeatedIn, wrong, type Read } from '@banister/provider/internal/json/shape';
import type { DomainNote } from '../operations/turn-operations.js';
import { defineDomain, jsonSchema, type Domain } from './domain.js';
import type { Capability, RevertByData, RevertContext, Tool } from './tool.js';

/** A tool of a session. It is a copy, so that a change of the app's object does not affect a running session. */
export interface RegisteredTool {
  /** `domain.tool` */
  readonly id: string;
  readonly domain: Domain;
  readonly tool: Tool;
  /** The app's object. Sessions share the check of its arguments by this object. */
  readonly source: Tool;
  readonly capabilities: readonly Capability[];
  readonly readOnly: boolean;
  readonly irreversible: boolean;
  /** Whether a plain cancel aborts a running call. True for a `readOnly` tool, whatever it declares. */
  readonly abortable: boolean;
  /** `safe` for a `readOnly` tool, whatever it declares. */
  readonly replay: NonNullable<Tool['replay']>;
  readonly schema: JsonObject;
}

/** The tools of a turn. `configure` creates another registry for the next turn. */
export interface ToolRegistry {
  readonly domains: readonly Domain[];
  /** The domains with a version or a summary. */
  readonly notes: readonly DomainNote[];
  /** The domains that `configure` removed. Effects in them can still be taken back. */
  readonly removed: readonly Domain[];
  /** The tools in the form for providers. */
  readonly definitions: readonly ToolDefinition[];
  /** @param id `domain.tool` */
  get(id: string): RegisteredTool | undefined;
  /** The tools of this registry, and the tools that `configure` removed, by id. */
  readonly kept: ReadonlyMap<string, RegisteredTool>;
}

/**
 * Creates the registry of a session. Throws `invalid-configuration` with the name of the wrong domain or tool.
 *
 * @param before the registry that the new registry replaces
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
    // A copy field by field. `execute` is called on the original, because a tool may be an instance of a class.
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

/** Returns a copy whose functions are called on the original. */
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

/** Reads a JSON Schema, or a schema of a library, as plain JSON. */
export const readSchema: Read<JsonObject> = (given, at) => {
  const schema = jsonSchema(given, at);
  try {
    return jsonCopy(schema) as JsonObject;
  } catch (error) {
    return wrong(at, messageOf(error));
  }
};
