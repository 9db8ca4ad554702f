import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type JsonValue,
  type ProviderEvent,
} from '@handrail/session/provider';
import { textIn, type Fields } from '@handrail/wire';
import { toOpaque } from '../opaque-data.js';
import type { Block } from './block.js';

/**
 * Everything that is not for us to understand: redacted thinking, calls and results of server tools, blocks that did not
 * exist when this was written. Kept exactly, returned unchanged, never shown as text, never run.
 */
export class OpaqueBlock implements Block {
  private readonly fields: Record<string, JsonValue>;
  private input = '';

  constructor(fields: JsonObject) {
    this.fields = { ...fields };
  }

  /** Whether another first event is of this block. */
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
    // Pieces of unknown kinds bring the value of a field.
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

  /** Half a block is of no use to anybody. */
  cut(): ProviderEvent[] {
    return [];
  }

  toContent(): (JsonObject & { readonly type: string }) | null {
    const type = textIn(this.fields['type']);
    if (type === '') return null; // nothing that the API would take back
    if (this.input === '') return { ...this.fields, type };
    const input = strictParse(this.input);
    return input.ok && isJsonObject(input.value) ? { ...this.fields, type, input: input.value } : null;
  }
}
