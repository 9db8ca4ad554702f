import { AgentSessionError } from '../errors/agent-session-error.js';
import { isJsonObject, type JsonObject } from '../json/json.js';
import type { Capability, LibrarySchema, Revision, Tool, ToolSchema } from './tool.js';

/** A part of the app that the agent can act on: its tools, and the version of its state. */
export interface Domain {
  /**
   * The first half of tool ids: `board` in `board.add_card`. Letters, digits, `_` and `-`; not `handrail`, and no name that
   * every object has, such as `constructor`.
   */
  readonly id: string;
  /** Version of the domain's tools, for the app. Neither the model nor the operations carry it yet. */
  readonly version?: string | undefined;
  /** One line about the domain, for the app. The model does not read it yet; put what it needs into the tools' descriptions. */
  readonly summary?: string | undefined;
  readonly tools: readonly Tool[];
  /** Returns the version of the state that the tools act on. Each change must change it, also one by the user. */
  readonly revision?: (() => Revision) | undefined;
}

/** Every {@link Capability}. */
export const knownCapabilities: ReadonlySet<string> = new Set<Capability>([
  'readOnly',
  'mutating',
  'networking',
  'paid',
  'destructive',
]);
const replays: ReadonlySet<string> = new Set<Tool['replay'] & string>(['never', 'ask', 'safe']);
const identifier = /^[A-Za-z0-9_-]+$/;

/**
 * Checks a domain and returns it.
 *
 * @throws AgentSessionError `invalid-configuration`, naming the tool and the fault
 *
 * @example
 * const domain = defineDomain({ id: 'board', tools: [addCard], revision: () => board.version });
 */
export function defineDomain(domain: Domain): Domain {
  const wrong = (what: string): never => {
    throw new AgentSessionError('invalid-configuration', what);
  };
  const id: unknown = domain?.id;
  if (typeof id !== 'string' || !identifier.test(id)) {
    return wrong(`A domain needs an id of letters, digits, "_" and "-"; got ${JSON.stringify(id)}.`);
  }
  // The ids of domains are keys of objects, where such a name would find an inherited property.
  if (id === 'handrail' || id in Object.prototype) wrong(`The domain id "${id}" is reserved.`);
  if (!Array.isArray(domain.tools)) wrong(`The domain "${id}" needs a list of tools.`);
  const names = new Set<string>();
  for (const tool of domain.tools) {
    const name: unknown = tool?.name;
    if (typeof name !== 'string' || !identifier.test(name)) {
      return wrong(
        `A tool of the domain "${id}" needs a name of letters, digits, "_" and "-"; got ${JSON.stringify(name)}.`,
      );
    }
    if (names.has(name)) wrong(`The tool "${id}.${name}" is defined twice.`);
    names.add(name);
    checkTool(`${id}.${name}`, tool, wrong);
  }
  return domain;
}

function checkTool(toolId: string, tool: Tool, wrong: (what: string) => never): void {
  if (typeof tool.description !== 'string' || tool.description.trim() === '') {
    wrong(`The tool "${toolId}" needs a description, which the model reads.`);
  }
  if (typeof tool.execute !== 'function') wrong(`The tool "${toolId}" needs a function execute.`);
  if (tool.undo !== undefined && typeof tool.undo?.revert !== 'function') {
    wrong(`The tool "${toolId}" needs a function revert in its undo, or no undo.`);
  }
  if (tool.undo?.reapply !== undefined && typeof tool.undo.reapply !== 'function') {
    wrong(`The tool "${toolId}" needs a function as the reapply of its undo, or none.`);
  }
  for (const capability of tool.capabilities ?? []) {
    if (!knownCapabilities.has(capability))
      wrong(`The tool "${toolId}" declares an unknown capability "${capability}".`);
  }
  const declared = new Set(tool.capabilities);
  for (const other of ['mutating', 'destructive'] as const) {
    if (declared.has('readOnly') && declared.has(other)) {
      wrong(`The tool "${toolId}" cannot be both "readOnly" and "${other}".`);
    }
  }
  if (tool.timeoutMs !== undefined && !(tool.timeoutMs > 0)) {
    wrong(`The tool "${toolId}" needs a timeoutMs above 0; got ${tool.timeoutMs}.`);
  }
  if (tool.replay !== undefined && !replays.has(tool.replay)) {
    wrong(
      `The tool "${toolId}" needs a replay of "never", "ask" or "safe"; got ${JSON.stringify(tool.replay)}.`,
    );
  }
  const schema = jsonSchemaOf(tool.parameters, (reason) => wrong(`The tool "${toolId}" ${reason}`));
  if (schema.type !== 'object') {
    wrong(`The tool "${toolId}" needs parameters of type "object"; got ${JSON.stringify(schema.type)}.`);
  }
}

/** True for a schema of a library. Such schemas may be instances of classes; the session uses only the property `~standard`. */
export function isLibrarySchema(schema: ToolSchema): schema is LibrarySchema {
  return typeof schema === 'object' && schema !== null && '~standard' in schema;
}

/** Returns the parameters of a tool as JSON Schema; a library's schema is converted. Calls `wrong` when that fails. */
export function jsonSchemaOf(schema: ToolSchema, wrong: (reason: string) => never): JsonObject {
  if (isLibrarySchema(schema)) {
    try {
      return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject;
    } catch {
      return wrong('has parameters whose schema library cannot express them as JSON Schema.');
    }
  }
  return isJsonObject(schema)
    ? schema
    : wrong('needs parameters: a JSON Schema or a Standard Schema with JSON Schema.');
}
