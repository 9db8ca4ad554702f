import type { JsonObject, JsonValue } from '@banister/provider';
import { pointerPath } from './describe-issue.js';
import { isObject } from './is-object.js';
import { innerSchemas } from './map-schemas.js';
import { valueAt } from './value-at.js';

/** The address of a schema without `$id`. */
const noAddress = 'schema:///';

/** Finds the targets of references in a schema, by the rules of JSON Schema 2020-12. */
export class SchemaReferences {
  /** The schemas by address; the name of an anchor is the fragment of the address. */
  private readonly known = new Map<string, JsonObject>();
  private readonly bases = new Map<JsonObject, string>();
  private readonly dynamic = new Map<string, JsonObject[]>();

  constructor(private readonly root: JsonObject) {
    this.known.set(noAddress, root);
    this.index(root, noAddress);
  }

  /** The number of schemas inside the root schema, including the root. */
  get size(): number {
    return this.bases.size;
  }

  /**
   * Returns the schemas to which a schema refers, and which it applies to the same value. For a dynamic reference, returns every schema
   * that it may mean. For a reference to a schema elsewhere, such as the meta-schema, returns none.
   */
  of(schema: JsonObject): readonly JsonValue[] {
    const { $ref, $dynamicRef, $recursiveRef } = schema;
    const found = [$ref, $dynamicRef].map((ref) => typeof ref === 'string' && this.target(schema, ref));
    if (typeof $dynamicRef === 'string')
      found.push(...(this.dynamic.get($dynamicRef.replace(/^.*#/, '')) ?? []));
    if ($recursiveRef !== undefined) found.push(this.root);
    return [...new Set(found)].filter(isObject);
  }

  private target(schema: JsonObject, ref: string): JsonValue | undefined {
    const address = addressOf(ref, this.bases.get(schema) ?? noAddress);
    const at = `${address}#`.indexOf('#');
    const [resource, fragment] = [this.known.get(address.slice(0, at)), address.slice(at + 1)];
    if (fragment === '') return resource;
    return fragment.startsWith('/')
      ? valueAt(resource, pointerPath(`#${fragment}`))
      : this.known.get(address);
  }

  private index(schema: JsonValue, outer: string): void {
    if (!isObject(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    const base = typeof $id === 'string' ? addressOf($id, outer).replace(/#$/, '') : outer;
    this.bases.set(schema, base);
    if (base !== outer) this.known.set(base, schema);
    for (const name of [$anchor, $dynamicAnchor])
      if (typeof name === 'string') this.known.set(`${base}#${name}`, schema);
    if (typeof $dynamicAnchor === 'string')
      this.dynamic.set($dynamicAnchor, [...(this.dynamic.get($dynamicAnchor) ?? []), schema]);
    for (const inner of innerSchemas(schema)) this.index(inner, base);
  }
}

function addressOf(ref: string, base: string): string {
  try {
    return new URL(ref, base).href;
  } catch {
    return ref;
  }
}
