import { AgentSessionError, type ProviderEvent, type WireNames } from '@banister/provider';
import { ArgumentPieces, argumentsIn, isSameJson, isWholeObject, textIn, type Fields } from '@banister/wire';

/** The name of a call that came without one. No tool has it, so that the call fails with a result that says so. */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
export class OpenCall {
  id = '';
  name = '';
  /** Position among the calls of the answer; undefined until the call is emitted. */
  private index: number | undefined;
  /** The arguments so far. They are held until the name arrives. */
  private readonly pieces = new ArgumentPieces();
  /** Arguments in the description of the item, from servers that stream none. */
  private announcedInput = '';

  /** @param nextIndex called when the call is first emitted; returns its position */
  constructor(
    private readonly names: WireNames,
    private readonly nextIndex: () => number,
    /** Whether nothing is emitted, since the call may repeat another one. */
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
   * Takes the whole arguments, which the server repeats at the end of a call.
   *
   * @throws AgentSessionError when the streamed arguments differ from them: it is unknown which of the two the model wrote
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

  /** The events of arguments that were still held when the call, or the answer, ended. */
  end(): ProviderEvent[] {
    if (this.isEmpty && this.announcedInput !== '') this.pieces.replace(this.announcedInput);
    this.name ||= UNNAMED;
    return this.announce(true);
  }

  /** True while no arguments arrived: some servers send them behind the end of the call. */
  get lacksInput(): boolean {
    return this.pieces.text === '';
  }

  /** True while the call has no arguments, or an empty object, which some servers send before those of the model. */
  get isEmpty(): boolean {
    return this.pieces.isEmpty;
  }

  /** True when a description has the name and the arguments of this call. */
  isLike(item: Fields): boolean {
    return this.name === textIn(item['name']) && isSameInput(this.pieces.whole(), inputOf(item));
  }

  /** True when another call has the name and the arguments of this one. */
  equals(other: OpenCall | null): boolean {
    return (
      other !== null && this.name === other.name && isSameInput(this.pieces.whole(), other.pieces.whole())
    );
  }

  /** The event for the parts of the call that were not emitted yet; none when all were. */
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

/** The arguments of a function call, or the input of a custom call, whose input is any text. */
export function inputOf(item: Fields): string {
  return argumentsIn(item['arguments'] ?? item['input']);
}
