import type { JsonObject, ProviderEvent, WireNames } from '@banister/provider';
import { argumentsIn, fieldsOf, indexOf, isSameJson, isWholeObject, textIn } from '@banister/wire';
import { isBlank, OpenCall } from './open-call.js';
import { collectReturned } from './returned-data.js';

/** One element of `delta.tool_calls`, normalized. */
interface Piece {
  readonly wireIndex: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Assembles tool calls from their pieces. An `index` may be missing, always 0, start at 1, or grow within a
 * call. Ids may be repeated, empty, late, new in each piece, or the same for all calls. Names may be repeated
 * or arrive in pieces. Arguments may be null, an object, or repeated from the beginning in each piece. Whole
 * calls may arrive twice.
 */
export class ToolCallAssembler {
  private readonly calls: OpenCall[] = [];

  /** @param offered the wire names of the tools in the request */
  constructor(
    private readonly names: WireNames,
    private readonly offered: readonly string[],
  ) {}

  /** The fields that go back to the server with each call. */
  get returned(): readonly JsonObject[] {
    return this.calls.map(({ returned }) => returned);
  }

  /** The events that one element of `delta.tool_calls` causes. */
  add(element: unknown): ProviderEvent[] {
    const piece = toPiece(element);
    const known = this.find(piece);
    // A new call announces all earlier ones, so that calls are announced in the order of their arrival.
    const events = known ? [] : this.calls.flatMap((other) => other.announce(this.names));
    const call = known ?? this.open();
    call.id ||= piece.id;
    call.returned = collectReturned(call.returned, fieldsOf(element));
    this.addName(call, piece.name);
    call.append(
      piece.wireIndex,
      piece.arguments,
      known !== undefined && piece.id !== '' && piece.name !== '',
    );
    const mayAnnounce =
      call.announced || (call.name !== '' && piece.arguments !== '') || this.isWholeName(call.name);
    return [...events, ...(mayAnnounce ? call.announce(this.names) : []), ...this.splitOff(call, false)];
  }

  /** Returns the events of text that was still held when the answer ended. */
  end(): ProviderEvent[] {
    const others = this.calls.flatMap((call) => this.splitOff(call, true));
    return [...others, ...this.calls.flatMap((call) => call.announce(this.names, true))];
  }

  private open(): OpenCall {
    const call = new OpenCall(this.calls.length);
    this.calls.push(call);
    return call;
  }

  /** Returns the call that a piece continues; undefined if the piece begins a call. */
  private find(piece: Piece): OpenCall | undefined {
    const { wireIndex, id, name } = piece;
    const same = id === '' ? [] : this.calls.filter((call) => call.id === id && fitsName(call, piece));
    const known = same.findLast((call) => call.isAt(wireIndex)) ?? same.at(-1);
    if (known) return known;
    const last = this.calls.findLast((call) => call.isAt(wireIndex));
    if (last === undefined) return this.onlyOpen(piece);
    // A piece without a name continues a call, even if its id is new.
    if (name === '') return last;
    // A name together with another id begins another call, even at the same index.
    if (id !== '' && last.id !== '') return undefined;
    if (last.name === '') return last;
    // Another name without an index begins another call; with the same index, it is a further piece of the name.
    if (name !== last.name && (wireIndex === undefined || last.announced)) return undefined;
    return last.isWhole ? undefined : last;
  }

  /**
   * Returns the call to which arguments at an unknown index belong: the only call with incomplete arguments.
   */
  private onlyOpen({ name, arguments: text }: Piece): OpenCall | undefined {
    if (name !== '' || text === '') return undefined;
    const open = this.calls.filter((call) => !call.isWhole);
    return open.length === 1 ? open[0] : undefined;
  }

  private addName(call: OpenCall, name: string): void {
    if (call.announced || name === call.name) return;
    const joined = call.name + name;
    // Some servers send the whole name so far with each piece.
    call.name = this.offered.includes(name) && !this.offered.includes(joined) ? name : joined;
  }

  /**
   * Some servers give all calls the same id. If the arguments differ from the complete arguments before them,
   * they belong to another call; if they are equal, they are a repetition.
   *
   * @param atEnd whether no further piece arrives, so that an incomplete run stays incomplete
   */
  private splitOff(call: OpenCall, atEnd: boolean): ProviderEvent[] {
    const [first, ...others] = call.runs;
    if (others.length === 0 || isBlank(first!.text) || !isWholeObject(first!.text)) return [];
    return others.flatMap((run) => {
      if (isBlank(run.text) || !(atEnd || isWholeObject(run.text))) return [];
      const isKnown = this.calls
        .filter(({ id, name }) => id === call.id && name === call.name)
        .flatMap(({ runs }) => runs)
        .some((one) => one !== run && (one.text.startsWith(run.text) || isSameJson(one.text, run.text)));
      call.drop(run);
      if (isKnown) return [];
      const events = this.calls.flatMap((other) => other.announce(this.names));
      const split = this.open();
      split.id = call.id;
      split.name = call.name;
      split.append(run.wireIndex, run.text, false);
      return [...events, ...split.announce(this.names)];
    });
  }

  /** Returns true if a tool with this name was offered, and no offered name begins with it. */
  private isWholeName(name: string): boolean {
    return (
      this.offered.includes(name) && !this.offered.some((other) => other !== name && other.startsWith(name))
    );
  }
}

/**
 * Returns whether a piece with a call's id may belong to the call. If a server gives all calls the same id,
 * the name of the tool tells them apart.
 */
function fitsName(call: OpenCall, { wireIndex, name }: Piece): boolean {
  if (name === '' || call.name === '' || name === call.name) return true;
  return !call.announced && call.isAt(wireIndex); // a further piece of the name
}

function toPiece(element: unknown): Piece {
  const { index, id, function: called = element } = fieldsOf(element);
  const { name, arguments: given } = fieldsOf(called);
  return {
    wireIndex: indexOf(index),
    id: textIn(id),
    name: textIn(name),
    arguments: argumentsIn(given),
  };
}
