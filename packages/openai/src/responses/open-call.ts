import { AgentSessionError, type ProviderEvent, type WireNames } from '@banister/provider';
import { ArgumentPieces, argumentsIn, isSameJson, isWholeObject, textIn, type Fields } from '@banister/wire';

/**
 * The name of a call that arrived without a name. No tool has this name, so the call fails with a result that
 * says so.
 */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
export class OpenCall {
  id = '';
  name = '';
  /** Position among the calls of the answer; undefined until the call is emitted. */
  private index: number | undefined;
  /** The arguments so far. They are held until the name arrives. */
  private readonly pieces = new ArgumentPieces();
  /** Arguments in the description of the item, from servers that do not stream them. */
  private announcedInput = '';

  /** @param nextIndex called when the call is first emitted; returns its position */
  constructor(
    private readonly names: WireNames,
    private readonly nextIndex: () => number,
    /** If true, nothing is emitted yet, because the call may repeat another call. */
    public isHeld: boolean,
  ) {}

  /** Takes a description of the item, from the beginning or the end of the item. */
  describe(item: Fields): ProviderEvent[] {
    this.id ||= textIn(item['call_id']);
    this.name ||= textIn(item['name']);
    this.announcedInput = inputOf(item) || this.announcedInput;
    return this.announce();
  }

  add(delta: string): ProviderEvent[] {
    this.pieces.add(delta);
    return this.announce();
  }

  /**
   * Takes the complete arguments, which the server repeats at the end of a call.
   *
   * @throws AgentSessionError if the streamed arguments differ, because it is unknown which of the two the
   * model wrote
   */
  complete(whole: string): ProviderEvent[] {
    const { text: input } = this.pieces;
    let right = input;
    if (this.isEmpty || whole.startsWith(input)) right = whole || input;
    else if (isWholeObject(input) && isWholeObject(whole) && !isSameJson(input, whole)) {
      throw new AgentSessionError('server', 'The server contradicted itself about the arguments of a call.', {
        details: { call: this.id, tool: this.name },
      });
    } else if (this.pieces.continues(whole) && isWholeObject(whole) && !isWholeObject(input)) right = whole;
    this.pieces.replace(right);
    return this.announce();
  }

  /** Returns the events of arguments that were still held when the call or the answer ended. */
  end(): ProviderEvent[] {
    if (this.isEmpty && this.announcedInput !== '') this.pieces.replace(this.announcedInput);
    this.name ||= UNNAMED;
    return this.announce(true);
  }

  /** True if no arguments arrived yet. Some servers send them after the end of the call. */
  get lacksInput(): boolean {
    return this.pieces.text === '';
  }

  /**
   * True if the call has no arguments yet, or only an empty object. Some servers send an empty object before
   * the model's arguments.
   */
  get isEmpty(): boolean {
    return this.pieces.isEmpty;
  }

  /** Returns true if the description has the name and the arguments of this call. */
  isLike(item: Fields): boolean {
    return this.name === textIn(item['name']) && isSameInput(this.pieces.whole(), inputOf(item));
  }

  /** Returns true if the other call has the name and the arguments of this call. */
  equals(other: OpenCall | null): boolean {
    return (
      other !== null && this.name === other.name && isSameInput(this.pieces.whole(), other.pieces.whole())
    );
  }

  /** Returns the event for the parts of the call that are not emitted yet; an empty list if all are. */
  private announce(isDone = false): ProviderEvent[] {
    if (this.name === '' || this.isHeld) return [];
    const delta = isDone ? this.pieces.end() : this.pieces.take();
    if (this.index !== undefined) {
      return delta === '' ? [] : [{ type: 'tool-call', index: this.index, delta }];
    }
    this.index = this.nextIndex();
    return [
      {
        type: 'tool-call',
        index: this.index,
        ...(this.id === '' ? {} : { id: this.id }),
        tool: this.names.fromWire(this.name),
        delta,
      },
    ];
  }
}

function isSameInput(one: string, other: string): boolean {
  return one === other || isSameJson(one || '{}', other || '{}');
}

/** Returns the arguments of a function call, or the input of a custom call, which is any text. */
export function inputOf(item: Fields): string {
  return argumentsIn(item['arguments'] ?? item['input']);
}
