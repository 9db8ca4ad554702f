import type { JsonObject, JsonValue } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { jsonSchema } from './domain.js';
import { fittingPart } from './fitting-part.js';
import type { ToolSchema, WrittenArguments } from './tool.js';

/**
 * A value that may be incomplete at any depth: each field may be missing, and a string may be incomplete. A literal may be any value of its
 * type, because it is not checked yet.
 */
export type Partially<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends readonly (infer Item)[]
        ? readonly Partially<Item>[]
        : T extends object
          ? { readonly [Key in keyof T]?: Partially<T[Key]> }
          : T;

/** Returns a schema as JSON Schema. */
export function plainSchema(schema: ToolSchema): JsonObject {
  // `false` and `true` are not schemas of objects; `defineDomain` and `generate` refuse them.
  return typeof schema === 'boolean' ? {} : jsonSchema(schema, 'schema');
}

/** Returns the part of a value that fits the types of a schema, see {@link fittingPart}; undefined if it is not an object. */
export function typedPart<S extends ToolSchema>(
  schema: S,
  value: JsonValue | null | undefined,
): Partially<WrittenArguments<S>> | undefined {
  const part = fittingPart(plainSchema(schema), value ?? null);
  return isJsonObject(part) ? (part as Partially<WrittenArguments<S>>) : undefined;
}
