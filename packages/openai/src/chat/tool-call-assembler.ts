import { isJsonObject, strictParse, type ProviderEvent, type WireNames } from '@handrail/session/provider';
import { fieldsOf, textIn } from '@handrail/wire';

/** What a call is called whose server forgot to say; no tool has this name, and the model is told so. */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
interface OpenCall {
  /** Order of arrival, whatever the server counts. */
  readonly index: number;
  /** The server's own index, if it sends one. */
  readonly wireIndex: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Arguments that have not been handed on, since the name may still be growing. */
  waiting: string;
  announced: boolean;
  idAnnounced: boolean;
  /** What came once more, or seems to; null while nothing is being repeated. */
  repeated: string | null;
}

/** One element of `delta.tool_calls`, made regular. */
interface Piece {
  readonly wireIndex: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Puts the pieces of tool calls together, as tolerant as servers are careless: `index` missing, always 0 or starting at
 * 1; ids repeated, empty, late or rolled anew; names repeated or in pieces; arguments null or an object; whole calls sent
 * twice.
 */
export class ToolCallAssembler {
  private readonly names: WireNames;
  private readonly offered: readonly string[];
  private readonly calls: OpenCall[] = [];

  /** @param offered the wire names of the tools in the request */
  constructor(names: WireNames, offered: readonly string[]) {
    this.names = names;
    this.offered = offered;
  }

  /** The events that one element of `delta.tool_calls` causes. */
  add(element: unknown): ProviderEvent[] {
    const piece = toPiece(element);
    const known = this.find(piece);
    const call = known ?? this.open(piece.wireIndex);
    // Calls are announced in the order of their arrival.
    const events = known
      ? []
      : this.calls.flatMap((other) => (other === call ? [] : announce(other, this.names)));
    if (call.id === '') call.id = piece.id;
    addName(call, piece.name);
    addArguments(call, piece.arguments, known !== undefined && piece.id !== '' && piece.name !== '');
    if (call.announced || call.arguments !== '' || this.isWhole(call.name)) {
      events.push(...announce(call, this.names));
    }
    return events;
  }

  /** What was still waiting when the answer ended. */
  end(): ProviderEvent[] {
    return this.calls.flatMap((call) => {
      if (call.repeated !== null && call.repeated.length % call.arguments.length > 0) acceptRepeated(call);
      return announce(call, this.names);
    });
  }

  private open(wireIndex: number | undefined): OpenCall {
    const call: OpenCall = {
      index: this.calls.length,
      wireIndex,
      id: '',
      name: '',
      arguments: '',
      waiting: '',
      announced: false,
      idAnnounced: false,
      repeated: null,
    };
    this.calls.push(call);
    return call;
  }

  /** The call that a piece continues; undefined when it begins one. */
  private find({ wireIndex, id, name }: Piece): OpenCall | undefined {
    if (id !== '') {
      const same = this.calls.findLast(
        (call) =>
          call.id === id &&
          (wireIndex === undefined || call.wireIndex === undefined || call.wireIndex === wireIndex),
      );
      if (same) return same;
    }
    const last = this.calls.findLast((call) => wireIndex === undefined || call.wireIndex === wireIndex);
    // Without a name, nothing begins: another id was only rolled anew.
    if (last === undefined || name === '') return last;
    // With one, another id makes another call, even at the same index,
    if (id !== '' && last.id !== '') return undefined;
    // and so does another name, unless there is an index to say that the name is growing.
    if (wireIndex === undefined && name !== last.name) return undefined;
    return isComplete(last.arguments) ? undefined : last;
  }

  /** True when the name is one that was offered and cannot become another by growing. */
  private isWhole(name: string): boolean {
    return (
      this.offered.includes(name) && !this.offered.some((other) => other !== name && other.startsWith(name))
    );
  }
}

function toPiece(element: unknown): Piece {
  const { index, id, function: called } = fieldsOf(element);
  const { name, arguments: given } = fieldsOf(called);
  return {
    wireIndex: typeof index === 'number' ? index : undefined,
    id: textIn(id),
    name: textIn(name),
    arguments: isJsonObject(given) ? JSON.stringify(given) : textIn(given),
  };
}

function addName(call: OpenCall, name: string): void {
  if (!call.announced && name !== call.name) call.name += name;
}

/**
 * A piece that repeats id and name of a call which has arguments already may be the call's second coming, or the habit of
 * a server that repeats both with every piece. As long as the text is what came before, word for word, it is held; at the
 * first difference it counts.
 */
function addArguments(call: OpenCall, text: string, namesAgain: boolean): void {
  if (namesAgain && call.arguments !== '') call.repeated ??= '';
  if (call.repeated === null) {
    append(call, text);
  } else if (call.arguments.startsWith(text, call.repeated.length % call.arguments.length)) {
    call.repeated += text;
  } else {
    acceptRepeated(call);
    append(call, text);
  }
}

function acceptRepeated(call: OpenCall): void {
  append(call, call.repeated ?? '');
  call.repeated = null;
}

function append(call: OpenCall, text: string): void {
  call.arguments += text;
  call.waiting += text;
}

/** The event for what nobody has heard of yet; none when there is nothing. */
function announce(call: OpenCall, names: WireNames): ProviderEvent[] {
  const withId = call.id !== '' && !call.idAnnounced;
  if (call.announced && !withId && call.waiting === '') return [];
  const event: ProviderEvent = {
    type: 'tool-call',
    index: call.index,
    ...(withId ? { id: call.id } : {}),
    ...(call.announced ? {} : { tool: names.fromWire(call.name || UNNAMED) }),
    delta: call.waiting,
  };
  call.announced = true;
  call.idAnnounced ||= withId;
  call.waiting = '';
  return [event];
}

function isComplete(text: string): boolean {
  const parsed = strictParse(text);
  return parsed.ok && isJsonObject(parsed.value);
}
