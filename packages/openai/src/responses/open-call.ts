import {
  AgentSessionError,
  isJsonObject,
  strictParse,
  type JsonValue,
  type ProviderEvent,
  type WireNames,
} from '@banister/session/provider';
import { textIn, type Fields } from '@banister/wire';
import { StreamedText } from './streamed-text.js';

/** The name of a call that came without one. No tool has it, so that the call fails with a result that says so. */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
export class OpenCall {
  id = '';
  private name = '';
  /** Position among the calls of the answer; undefined until the call is emitted. */
  private index: number | undefined;
  /** Arguments that are held until the name arrives. */
  private waiting = '';
  private readonly input = new StreamedText();
  /** Arguments in the description of the item, from servers that stream none. */
  private announcedInput = '';

  /** @param nextIndex called when the call is first emitted; returns its position */
  constructor(
    private readonly names: WireNames,
    private readonly nextIndex: () => number,
  ) {}

  /** Takes a description of the item, from the beginning or the end of the item. */
  describe(item: Fields): ProviderEvent[] {
    this.id ||= textIn(item['call_id']);
    this.name ||= textIn(item['name']);
    this.announcedInput = inputOf(item) || this.announcedInput;
    return this.name === '' ? [] : this.announce();
  }

  add(delta: string): ProviderEvent[] {
    this.waiting += this.input.add(delta);
    return this.name === '' ? [] : this.announce();
  }

  /**
   * Takes the whole arguments, which the server repeats at the end of a call.
   *
   * @throws AgentSessionError when the streamed arguments differ from them: it is unknown which of the two the model wrote
   */
  complete(whole: string): ProviderEvent[] {
    const streamed = this.input.toString();
    this.waiting += this.input.complete(whole);
    if (!whole.startsWith(streamed) && contradict(streamed, whole)) {
      throw new AgentSessionError('server', 'The server contradicted itself about the arguments of a call.', {
        details: { call: this.id, tool: this.name },
      });
    }
    return this.name === '' ? [] : this.announce();
  }

  /** The events of arguments that were still held when the call, or the answer, ended. */
  end(): ProviderEvent[] {
    if (this.input.isEmpty) this.waiting += this.input.add(this.announcedInput);
    this.name ||= UNNAMED;
    return this.announce();
  }

  /** The event for the parts of the call that were not emitted yet; none when all were. */
  private announce(): ProviderEvent[] {
    const delta = this.waiting;
    this.waiting = '';
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

/** The arguments of a function call, or the input of a custom call, whose input is any text. */
export function inputOf(item: Fields): string {
  const input = item['arguments'] ?? item['input'];
  return isJsonObject(input) ? JSON.stringify(input) : textIn(input);
}

/** True when both are JSON and differ in more than spaces and the order of keys. */
function contradict(streamed: string, whole: string): boolean {
  const [one, other] = [strictParse(streamed), strictParse(whole)];
  return one.ok && other.ok && sorted(one.value) !== sorted(other.value);
}

function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
