import {
  AgentSessionError,
  isJsonObject,
  strictParse,
  type JsonValue,
  type ProviderEvent,
  type WireNames,
} from '@handrail/session/provider';
import { textIn, type Fields } from '@handrail/wire';
import { StreamedText } from './streamed-text.js';

/** What a call is called whose server forgot to say; no tool has this name, and the model is told so. */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
export class OpenCall {
  id = '';
  private name = '';
  /** Position among the calls of the answer; undefined until somebody has heard of it. */
  private index: number | undefined;
  /** Arguments that have not been handed on, since the name is not known yet. */
  private waiting = '';
  private readonly input = new StreamedText();
  /** Arguments that came with the announcement, where servers send them that stream none. */
  private announcedInput = '';

  /** @param nextIndex gives a call its position when it is first heard of */
  constructor(
    private readonly names: WireNames,
    private readonly nextIndex: () => number,
  ) {}

  /** The item as it was announced, or as it is when done. */
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
   * The whole arguments, as the server says at the end of a call.
   *
   * @throws AgentSessionError when it streamed other ones: nobody can say which of the two the model meant
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

  /** What was still waiting when the call, or the answer, ended. */
  end(): ProviderEvent[] {
    if (this.input.isEmpty) this.waiting += this.input.add(this.announcedInput);
    this.name ||= UNNAMED;
    return this.announce();
  }

  /** The event for what nobody has heard of yet; none when there is nothing. */
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

/** The arguments of a function call, or the input of a call that takes any text. */
export function inputOf(item: Fields): string {
  const input = item['arguments'] ?? item['input'];
  return isJsonObject(input) ? JSON.stringify(input) : textIn(input);
}

/** True when both are arguments, and not the same; spaces and the order of keys do not count. */
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
