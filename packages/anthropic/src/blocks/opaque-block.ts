import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type JsonValue,
  type ProviderEvent,
} from '@banister/provider';
import { textIn, type Fields } from '@banister/wire';
import { toOpaque } from '../opaque-data.js';
import type { Block } from './block.js';

/**
 * A block that the adapter does not interpret: redacted thinking, calls and results of server tools, and blocks of unknown
 * types. It is stored exactly, returned unchanged, never shown as text, and never run.
 */
export class OpaqueBlock implements Block {
  private readonly fields: Record<string, JsonValue>;
  private input = '';

  constructor(fields: JsonObject) {
    this.fields = { ...fields };
  }

  /** Returns true if the fields of a first event are the fields of this block. */
  isOf(fields: JsonObject): boolean {
    return this.fields['type'] === fields['type'] && this.fields['id'] === fields['id'];
  }

  start(): ProviderEvent[] {
    return [];
  }

  add(delta: Fields): ProviderEvent[] {
    if (delta['type'] === 'input_json_delta') {
      this.input += textIn(delta['partial_json']);
      return [];
    }
    // A piece of an unknown type holds new values of the block's fields.
    for (const [name, value] of Object.entries(delta)) {
      if (name !== 'type' && name !== '__proto__') this.fields[name] = value as JsonValue;
    }
    return [];
  }

  close(): ProviderEvent[] {
    const block = this.toContent();
    const data = block && toOpaque({ kind: 'block', block });
    return data === null ? [] : [{ type: 'opaque', data }];
  }

  /** An incomplete block is dropped. */
  cut(): ProviderEvent[] {
    return [];
  }

  toContent(): (JsonObject & { readonly type: string }) | null {
    const type = textIn(this.fields['type']);
    if (type === '') return null; // The API would refuse a block without a type.
    if (this.input === '') return { ...this.fields, type };
    const input = strictParse(this.input);
    return input.ok && isJsonObject(input.value) ? { ...this.fields, type, input: input.value } : null;
  }
}
