import { isJsonObject, strictParse, type ProviderEvent, type WireNames } from '@banister/session/provider';
import { fieldsOf, textIn } from '@banister/wire';

/** The name of a call that came without one. No tool has it, so that the call fails with a result that says so. */
const UNNAMED = 'unnamed';

/** A tool call while its pieces arrive. */
interface OpenCall {
  /** Position in the order of arrival, independent of the server's index. */
  readonly index: number;
  /** The server's own index, if it sends one. */
  readonly wireIndex: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Arguments that are held until the name is whole. */
  waiting: string;
  announced: boolean;
  idAnnounced: boolean;
  /** Text that repeats the arguments so far; null while none does. */
  repeated: string | null;
}

/** One element of `delta.tool_calls`, normalized. */
interface Piece {
  readonly wireIndex: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Assembles tool calls from their pieces. It tolerates an `index` that is missing, always 0 or starts at 1; ids that are
 * repeated, empty, late or new in each piece; names that are repeated or in pieces; arguments that are null or an object; and
 * whole calls that are sent twice.
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
    // A new call announces all earlier ones, so that calls are announced in the order of their arrival.
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

  /** The events of text that was still held when the answer ended. */
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
    // A piece without a name continues a call: its id is new, and the call is not.
    if (last === undefined || name === '') return last;
    // A name together with another id begins another call, even at the same index.
    if (id !== '' && last.id !== '') return undefined;
    // Another name without an index begins another call; with the same index, it is a further piece of the name.
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
 * Appends arguments to a call. A piece with the id and name of a call that already has arguments is either a repetition of the
 * whole call, or a further piece from a server that repeats both each time. Text that equals the arguments so far is held; at
 * the first difference, all of it counts.
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

/** The event for the parts of a call that were not emitted yet; none when all were. */
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
