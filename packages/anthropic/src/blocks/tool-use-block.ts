import {
  isJsonObject,
  strictParse,
  type JsonObject,
  type ProviderEvent,
  type WireNames,
} from '@banister/provider';
import {
  argumentsIn,
  ArgumentPieces,
  fieldsOf,
  isSameJson,
  isWholeObject,
  textIn,
  type Fields,
} from '@banister/wire';
import type { Block } from './block.js';

/**
 * The name of a call that arrived without a name. No tool has this name, so the call fails with a result that
 * says so.
 */
const UNNAMED = 'unnamed';

/** A call of one of the app's tools. */
export class ToolUseBlock implements Block {
  readonly id: string;
  /** The server tool that made the call; null if the model made it. */
  readonly caller: JsonObject | null;
  private readonly tool: string;
  private readonly name: string;
  /** 0-based position among the calls; undefined until the call is emitted. */
  private index: number | undefined;
  /** The arguments in the block's first event, as text. They count if no pieces follow. */
  private early = '';
  private readonly pieces = new ArgumentPieces();

  /**
   * @param nextIndex called when the call is first emitted; returns its position among the calls
   * @param isHeld if true, nothing is emitted yet, because the block may repeat another block
   */
  constructor(
    fields: Fields,
    private readonly nextIndex: () => number,
    names: WireNames,
    public isHeld = false,
  ) {
    const { caller } = fields;
    this.id = textIn(fields['id']);
    this.name = textIn(fields['name']) || UNNAMED;
    this.tool = names.fromWire(this.name);
    this.describe(fields);
    this.caller = isJsonObject(caller) && caller['type'] !== 'direct' ? caller : null;
  }

  /** Takes the arguments in a first event of the block. */
  describe({ input }: Fields): void {
    const text = argumentsIn(input);
    if (text !== '{}') this.early = text;
  }

  /** True if no arguments arrived yet. */
  get lacksInput(): boolean {
    return this.pieces.text === '' && this.early === '';
  }

  /** Returns true for the first event of a block with the id and the name of this block. */
  isNamedBy(fields: Fields): boolean {
    return this.id === fields['id'] && this.name === (textIn(fields['name']) || UNNAMED);
  }

  /** Returns true for another block with the id, the name and the arguments of this block. */
  equals({ id, name, input }: ToolUseBlock): boolean {
    return id === this.id && name === this.name && isSameJson(input || '{}', this.input || '{}');
  }

  /** Whether the arguments so far are a whole JSON object. */
  get isComplete(): boolean {
    return isWholeObject(this.input);
  }

  private get input(): string {
    return (this.pieces.isEmpty && this.early) || this.pieces.whole();
  }

  start(): ProviderEvent[] {
    if (this.isHeld) return [];
    this.index = this.nextIndex();
    const id = this.id === '' ? {} : { id: this.id };
    return [{ type: 'tool-call', index: this.index, ...id, tool: this.tool, delta: '' }];
  }

  /** The text of the arguments is kept byte for byte. */
  add(delta: Fields): ProviderEvent[] {
    this.pieces.add(argumentsIn(delta['partial_json']));
    return this.announce(false);
  }

  close(): ProviderEvent[] {
    if (this.pieces.isEmpty && this.early !== '') this.pieces.replace(this.early);
    return this.announce(true);
  }

  /** Returns the events of a held block that turned out not to repeat another block. */
  release(): ProviderEvent[] {
    this.isHeld = false;
    return [...this.start(), ...this.close()];
  }

  private announce(isDone: boolean): ProviderEvent[] {
    const { index, pieces } = this;
    if (index === undefined) return [];
    const delta = isDone ? pieces.end() : pieces.take();
    return delta === '' ? [] : [{ type: 'tool-call', index, delta }];
  }

  cut(): ProviderEvent[] {
    return this.close();
  }

  toContent(): JsonObject {
    const parsed = strictParse(this.input);
    const input = parsed.ok ? fieldsOf(parsed.value) : {};
    return { type: 'tool_use', id: this.id, name: this.name, input: input as JsonObject };
  }
}
