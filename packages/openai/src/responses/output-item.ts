import type { ProviderEvent } from '@banister/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@banister/wire';
import { refusalText } from '../answer-reader.js';
import type { OpenCall } from './open-call.js';
import { StreamedText } from './streamed-text.js';

/** The fields by which events and descriptions name an item. A field that a server leaves out is empty. */
export interface ItemPlace {
  /** `message`, `reasoning`, `call` for a call that the session runs, else the type of the item. */
  readonly kind: string;
  readonly id: string;
  readonly callId: string;
  readonly index: number | undefined;
}

/** One item of an answer while it arrives. */
export class OutputItem implements Omit<ItemPlace, 'index'> {
  isDone = false;
  /** Whether the response at the end of the answer repeats this item. */
  isRepeated = false;
  /** Whether the item may repeat another item. */
  isHeld = false;
  /** The latest description of the item; null if none arrived yet. */
  latest: Fields | null = null;
  /** Set for a call that the session runs. */
  call: OpenCall | null = null;
  readonly kind: string;
  readonly text = new StreamedText();
  readonly refusal = new StreamedText();
  readonly thinking = new StreamedText();
  private readonly place: ItemPlace;
  /** The indexes that named this item. Some servers use another index in each description. */
  private readonly indexes: number[] = [];

  constructor(place: ItemPlace) {
    this.place = place;
    this.kind = place.kind;
    this.addIndex(place.index);
  }

  get id(): string {
    return this.place.id;
  }

  get callId(): string {
    return this.call?.id || this.place.callId;
  }

  get type(): string {
    return textIn(this.latest?.['type']);
  }

  /** True once an event about this item may have been emitted. */
  get isEmitted(): boolean {
    return this.isDone || this.call !== null || !this.text.isEmpty || !this.refusal.isEmpty;
  }

  /** True for a call that is done and has arguments. */
  get isWhole(): boolean {
    return this.isDone && this.call?.lacksInput !== true;
  }

  hasId({ id }: Pick<ItemPlace, 'id'>): boolean {
    return id !== '' && this.id === id;
  }

  hasCallId({ callId }: Pick<ItemPlace, 'callId'>): boolean {
    return callId !== '' && this.callId === callId;
  }

  isAt({ index }: Pick<ItemPlace, 'index'>): boolean {
    return index === undefined || this.indexes.length === 0 || this.indexes.includes(index);
  }

  addIndex(index: number | undefined): void {
    if (index !== undefined && !this.indexes.includes(index)) this.indexes.push(index);
  }

  /** Returns true if a call has the call id (or, without a call id, the id) of another call. */
  sharesIdWith(place: Omit<ItemPlace, 'index'>): boolean {
    if (this.kind !== 'call' || place.kind !== 'call') return false;
    return this.hasCallId(place) || ((this.callId === '' || place.callId === '') && this.hasId(place));
  }

  /** Returns true if a description has the content of this item. */
  isLike(item: Fields): boolean {
    return this.call?.isLike(item) ?? (this.kind === 'message' && this.text.toString() === spokenIn(item));
  }

  /** Returns true if a description has the name of this call. */
  isNamedLike(item: Fields): boolean {
    return this.call?.name === textIn(item['name']);
  }

  /**
   * Returns the text of a finished message that was not streamed, because some servers send only the whole
   * message.
   */
  completeMessage(item: Fields): ProviderEvent[] {
    const text = this.text.complete(spokenIn(item));
    const refusal = this.refusal.complete(
      joined(listOf(item['content']).map(fieldsOf), 'refusal', 'refusal'),
    );
    return [
      ...(text === '' ? [] : [{ type: 'text', delta: text } as const]),
      ...(refusal === '' ? [] : [refusalText(refusal)]),
    ];
  }

  /**
   * Returns the text of finished reasoning, unless some of it was streamed. Otherwise the summary would
   * repeat it.
   */
  completeThinking(item: Fields): ProviderEvent[] {
    if (!this.thinking.isEmpty) return [];
    const summary = joined(listOf(item['summary']).map(fieldsOf), 'summary_text', 'text');
    const content = joined(listOf(item['content']).map(fieldsOf), 'reasoning_text', 'text');
    const delta = this.thinking.add(summary || content);
    return delta === '' ? [] : [{ type: 'thinking', delta }];
  }
}

function spokenIn(item: Fields): string {
  return joined(listOf(item['content']).map(fieldsOf), 'output_text', 'text');
}

function joined(parts: readonly Fields[], type: string, field: string): string {
  return parts.reduce((text, part) => (part['type'] === type ? text + textIn(part[field]) : text), '');
}
