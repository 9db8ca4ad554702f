import type { JsonObject, ProviderEvent, WireNames } from '@banister/provider';
import { isWholeObject } from '@banister/wire';

/**
 * The name of a call that arrived without a name. No tool has this name, so the call fails with a result that
 * says so.
 */
const UNNAMED = 'unnamed';

/** Arguments read from their beginning: the pieces at one index, or a repetition of earlier arguments. */
export interface Run {
  readonly wireIndex: number | undefined;
  text: string;
}

/** A tool call while its pieces arrive. */
export class OpenCall {
  id = '';
  name = '';
  announced = false;
  /** Fields that go back to the server with the call. */
  returned: JsonObject = {};
  /**
   * Most calls have one run. While there are more, it is not known whether they continue, repeat, or
   * contradict each other.
   */
  readonly runs: Run[] = [];
  private readonly wireIndexes: (number | undefined)[] = [];
  /** All pieces of all runs, in the order of arrival. */
  private joined = '';
  /** The part of the first run that is not emitted yet. */
  private waiting = '';
  private sent = 0;
  private idSent = false;

  /** @param index position in the order of arrival, independent of the server's index */
  constructor(readonly index: number) {}

  /** Returns true if a piece with this index continues the call. */
  isAt(wireIndex: number | undefined): boolean {
    return this.wireIndexes.some((one) => isSameIndex(one, wireIndex));
  }

  /** True if any reading of the pieces is a complete object. */
  get isWhole(): boolean {
    return [this.joined, ...this.runs.map(({ text }) => text)].some(isWholeObject);
  }

  /**
   * Appends arguments.
   *
   * @param isAgain whether the piece repeats the name of the call, as at the beginning of a call
   */
  append(wireIndex: number | undefined, text: string, isAgain: boolean): void {
    if (!this.wireIndexes.includes(wireIndex)) this.wireIndexes.push(wireIndex);
    let run = this.runs.findLast((one) => isSameIndex(one.wireIndex, wireIndex));
    if (!run || beginsAnew(run.text, text, isAgain)) {
      if (this.runs.length === 1) this.joined = this.runs[0]!.text;
      this.runs.push((run = { wireIndex, text: '' }));
    }
    run.text += text;
    if (run === this.runs[0]) this.waiting += text;
    if (this.runs.length > 1) this.joined += text;
  }

  /** Removes a run that is a repetition or belongs to another call. */
  drop(run: Run): void {
    this.runs.splice(this.runs.indexOf(run), 1);
    this.joined = this.runs.length === 1 ? '' : this.runs.map(({ text }) => text).join('');
  }

  /**
   * Returns the event for the parts of the call that are not emitted yet; an empty list if all are.
   *
   * @param atEnd whether no further piece arrives
   */
  announce(names: WireNames, atEnd = false): ProviderEvent[] {
    const id = this.idSent ? '' : this.id;
    const delta = this.rest(atEnd);
    if (this.announced && id === '' && delta === '') return [];
    const event: ProviderEvent = {
      type: 'tool-call',
      index: this.index,
      ...(id === '' ? {} : { id }),
      ...(this.announced ? {} : { tool: names.fromWire(this.name || UNNAMED) }),
      delta,
    };
    this.announced = true;
    this.idSent ||= id !== '';
    this.sent += delta.length;
    if (delta !== '') this.waiting = '';
    return [event];
  }

  /**
   * Returns the arguments that can be emitted. Arguments that may be replaced are held back: several runs,
   * and an empty object.
   */
  private rest(atEnd: boolean): string {
    if (this.runs.length > 1) return atEnd ? this.whole().slice(this.sent) : '';
    return !atEnd && this.sent === 0 && isBlank(this.waiting) ? '' : this.waiting;
  }

  /**
   * Returns the arguments of several runs: all pieces together, or else the last run that is complete and
   * continues the emitted text.
   */
  private whole(): string {
    if (isWholeObject(this.joined)) return this.joined;
    const texts = this.runs.map(({ text }) => text);
    const sent = texts[0]!.slice(0, this.sent);
    const wholes = texts.filter((text) => isWholeObject(text) && text.startsWith(sent));
    return wholes.findLast((text) => !isBlank(text)) ?? wholes[0] ?? this.joined;
  }
}

function isSameIndex(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

/**
 * Returns true if a piece may not continue the text so far, because the text is complete or the piece repeats
 * it. The end of the call tells which reading is right, because arguments can contain a copy of their own
 * beginning.
 */
function beginsAnew(text: string, piece: string, isAgain: boolean): boolean {
  if (text === '') return false;
  if (isAgain || piece.trimStart().startsWith('{')) {
    if (isWholeObject(text) || (isAgain && piece !== '' && text.startsWith(piece))) return true;
  }
  return piece.length >= text.length && piece.startsWith(text);
}

/** Returns true for no arguments or an empty object. Some servers send these before the model's arguments. */
export function isBlank(text: string): boolean {
  return /^\s*(?:\{\s*\}?\s*)?$/.test(text);
}
