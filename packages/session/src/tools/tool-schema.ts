import type { JsonObject } from '@banister/provider';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { FromSchema, JSONSchema } from 'json-schema-to-ts';

/** A schema of a library that implements Standard Schema and Standard JSON Schema. */
export type LibrarySchema = StandardSchemaV1 & StandardJSONSchemaV1;

/**
 * Parameters of a tool: a JSON Schema, or a schema of a library. The types of the arguments are inferred from a literal JSON Schema. For
 * any other JSON Schema, for example from a file or a server of tools, the arguments are a `JsonObject`.
 */
export type ToolSchema = JSONSchema | LibrarySchema | { readonly [keyword: string]: unknown };

/** The type of the arguments that an executor receives. With a schema of a library, it is the type after its transformations. */
export type Arguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : Described<S>;

/** The type of the arguments that the model writes, and that state and messages contain: JSON, not transformed. */
export type WrittenArguments<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : Described<S>;

/** The type that a JSON Schema describes. `string extends keyof S` is true for a schema that is not a literal. */
type Described<S> = string extends keyof S ? JsonObject : S extends JSONSchema ? FromSchema<S> : JsonObject;
