import type { JsonObject } from '@banister/provider';
import { checked, refusal } from '@banister/provider/internal/errors/checked';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { isJsonObject } from '@banister/provider/internal/json/json';
import {
  filled,
  flag,
  func,
  having,
  list,
  Mismatch,
  oneOf,
  optional,
  positive,
  repeatedIn,
  text,
  wrong,
  type Read,
} from '@banister/provider/internal/json/shape';
import type { Capability, LibrarySchema, Revision, Tool } from './tool.js';

/** A part of the app that the agent can act on: its tools, and the version of its state. */
export interface Domain {
  /**
   * The first half of tool ids: `board` in `board.add_card`. Letters, digits, `_` and `-`. Not `banister`, and not a name that every object
   * has, such as `constructor`.
   */
  readonly id: string;
  /** Version of the domain's tools. The model reads it in the system prompt, and `turnStarted` has it. */
  readonly version?: string | undefined;
  /** One line about the domain. The model reads it in the system prompt, and `turnStarted` has it. */
  readonly summary?: string | undefined;
  /**
   * Text that the model reads when the domain becomes active, at most 20,000 characters; the rest of a longer text is left out, and a line
   * says so. A function is called when the text is first needed, and again if it has failed. Needs the option `discovery`. A domain with
   * instructions may have no tools.
   */
  readonly instructions?: string | (() => string | Promise<string>) | undefined;
  /**
   * Whether the domain becomes active only when the model asks for it, or `SendOptions.use` names it, even if the model accepts the tools of
   * all domains at once. Needs the option `discovery`. In a child turn the domains of its agent are active. Default false.
   */
  readonly staged?: boolean | undefined;
  readonly tools: readonly Tool[];
  /**
   * Returns the version of the state on which the tools act: a string or a finite number. Each change of the state must change the version,
   * even a change by the user. If it throws or returns another value, the domain has no revision at that moment, and the error is reported.
   */
  readonly revision?: (() => Revision) | undefined;
  /**
   * Calls `changed` after each change of the state on which the tools act, and returns a function that ends the subscription. A change by
   * the app or the user clears redo. While a turn, an undo or a redo runs, the session ignores the calls, so the `subscribe` of a store is
   * sufficient. A store that reports changes later needs a `revision()` too. Default: without a revision, redo is offered until the next
   * turn, or until `session.touch`.
   */
  readonly subscribe?: ((changed: () => void) => () => void) | undefined;
}

export const capabilitiesShape = list(
  oneOf('readOnly', 'mutating', 'networking', 'paid', 'destructive' satisfies Capability),
);

/** Reads an id of letters, digits, `_` and `-`. */
export const identifier: Read<string> = (value, at) =>
  typeof value === 'string' && /^[A-Za-z0-9_-]+$/.test(value)
    ? value
    : wrong(at, `it is ${JSON.stringify(value)}, not letters, digits, "_" and "-"`);

const written: Read<string> = (value, at) => filled(text(value, at).trim(), at);

function objectSchema(value: unknown, at: string): void {
  const { type } = jsonSchema(value, at);
  if (type !== 'object') wrong(at, `their type is ${JSON.stringify(type)}, not "object"`);
}

const toolShape = having({
  title: optional(written),
  description: written,
  execute: func,
  undo: optional(
    having({ revert: func, reapply: optional(func), describe: optional(func), data: optional(objectSchema) }),
  ),
  capabilities: optional(capabilitiesShape),
  resources: optional(func),
  preview: optional(func),
  recover: optional(func),
  timeoutMs: optional(positive),
  abortable: optional(flag),
  irreversible: optional(flag),
  replay: optional(oneOf('never', 'ask', 'safe' satisfies Tool['replay'])),
  parameters: objectSchema,
});

const domainShape = having({
  id: identifier,
  version: optional(text),
  summary: optional(text),
  instructions: optional((value, at) => (typeof value === 'function' ? value : filled(value, at))),
  staged: optional(flag),
  subscribe: optional(func),
});

/**
 * Checks a domain and returns it.
 *
 * @throws AgentSessionError `invalid-configuration`, with the name of the tool and the fault
 *
 * @example
 * const domain = defineDomain({ id: 'board', tools: [addCard], revision: () => board.version });
 */
export function defineDomain(domain: Domain): Domain {
  checked(domainShape, domain, 'A domain');
  const { id, tools } = domain;
  // The ids of domains are keys of objects, and such a name would find an inherited property.
  if (id === 'banister' || id in Object.prototype) throw refusal(`The domain id "${id}" is reserved.`);
  checked(list(having({ name: identifier })), tools, `The tools of the domain "${id}"`);
  const twice = repeatedIn(tools.map(({ name }) => name));
  if (twice !== undefined) throw refusal(`The tool "${id}.${twice}" is defined twice.`);
  for (const tool of tools) {
    const subject = `The tool "${id}.${tool.name}"`;
    checked(toolShape, tool, subject);
    const declared = new Set(tool.capabilities);
    for (const other of ['mutating', 'destructive'] as const)
      if (declared.has('readOnly') && declared.has(other))
        throw refusal(`${subject} cannot be both "readOnly" and "${other}".`);
  }
  return domain;
}

/** Returns true for a schema of a library. Such schemas may be instances of classes; the session uses only their property `~standard`. */
export function isLibrarySchema(schema: unknown): schema is LibrarySchema {
  // The schemas of some libraries are functions.
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

/** The JSON Schema of each library schema. A conversion takes 0.1 ms or more, and an app may have a thousand tools. */
const converted = new WeakMap<LibrarySchema, JsonObject>();

/** Reads the parameters of a tool as JSON Schema. A library's schema is converted. */
export const jsonSchema: Read<JsonObject> = (schema, at) => {
  if (isLibrarySchema(schema)) {
    try {
      const known =
        converted.get(schema) ??
        (schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonObject);
      converted.set(schema, known);
      return known;
    } catch (error) {
      const reason = `the schema library cannot express it as JSON Schema: ${messageOf(error)}`;
      throw Object.assign(new Mismatch(at, reason), { cause: error });
    }
  }
  return isJsonObject(schema)
    ? schema
    : wrong(at, 'a JSON Schema is needed, or a Standard Schema with JSON Schema');
};
