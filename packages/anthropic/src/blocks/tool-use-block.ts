import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type ProviderEvent,
  type WireNames,
} from '@banister/session/provider';
import { fieldsOf, textIn, type Fields } from '@banister/wire';
import type { Block } from './block.js';

/** The name of a call that came without one. No tool has it, so that the call fails with a result that says so. */
const UNNAMED = 'unnamed';

/** A call of one of the app's tools. */
export class ToolUseBlock implements Block {
  readonly id: string;
  /** The server tool that made the call; null when the model did. */
  readonly caller: JsonObject | null;
  private readonly tool: string;
  private readonly name: string;
  private readonly index: number;
  /** The arguments in the block's first event, as text; they count when no pieces follow. */
  private readonly early: string;
  private text = '';

  /** @param index 0-based position among the calls */
  constructor(fields: Fields, index: number, names: WireNames) {
    const { input, caller } = fields;
    this.id = textIn(fields['id']);
    this.name = textIn(fields['name']) || UNNAMED;
    this.tool = names.fromWire(this.name);
    this.index = index;
    this.early = isJsonObject(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : '';
    this.caller = isJsonObject(caller) && caller['type'] !== 'direct' ? caller : null;
  }

  /** Whether the arguments so far are a whole JSON object. */
  get isComplete(): boolean {
    const parsed = strictParse(this.text || this.early);
    return parsed.ok && isJsonObject(parsed.value);
  }

  start(): ProviderEvent[] {
    const id = this.id === '' ? {} : { id: this.id };
    return [{ type: 'tool-call', index: this.index, ...id, tool: this.tool, delta: '' }];
  }

  /** The text of the arguments is kept byte for byte. */
  add(delta: Fields): ProviderEvent[] {
    const piece = textIn(delta['partial_json']);
    if (piece === '') return [];
    this.text += piece;
    return [{ type: 'tool-call', index: this.index, delta: piece }];
  }

  close(): ProviderEvent[] {
    return this.text === '' && this.early !== ''
      ? [{ type: 'tool-call', index: this.index, delta: this.early }]
      : [];
  }

  cut(): ProviderEvent[] {
    return this.close();
  }

  toContent(): JsonObject {
    const parsed = strictParse(this.text || this.early);
    const input = parsed.ok ? fieldsOf(parsed.value) : {};
    return { type: 'tool_use', id: this.id, name: this.name, input: input as JsonObject };
  }
}
