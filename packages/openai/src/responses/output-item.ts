import type { ProviderEvent } from '@banister/session/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@banister/wire';
import { refusalText } from '../answer-reader.js';
import type { OpenCall } from './open-call.js';
import { StreamedText } from './streamed-text.js';

/** One item of an answer while it arrives. */
export class OutputItem {
  isDone = false;
  /** The latest description of the item; null before the first one. */
  latest: Fields | null = null;
  /** Set for a call that the session runs. */
  call: OpenCall | null = null;
  readonly text = new StreamedText();
  readonly refusal = new StreamedText();
  readonly thinking = new StreamedText();

  get type(): string {
    return textIn(this.latest?.['type']);
  }

  /** True once an event about this item may have been emitted. */
  get isEmitted(): boolean {
    return this.isDone || this.call !== null || !this.text.isEmpty || !this.refusal.isEmpty;
  }

  /** True when a description is about this item: by the id of a call, since other ids may change with every event. */
  isDescribedBy(description: Fields): boolean {
    if (this.latest === null) return true;
    if (this.type !== textIn(description['type'])) return false;
    const callId = textIn(description['call_id']);
    return callId === '' || callId === textIn(this.latest['call_id']);
  }

  /** True when the description has the id of this item. */
  hasIdOf(description: Fields): boolean {
    const field = description['call_id'] === undefined ? 'id' : 'call_id';
    return description[field] !== undefined && this.latest?.[field] === description[field];
  }

  /** The text of a finished message that was not streamed: some servers send only the whole message. */
  completeMessage(item: Fields): ProviderEvent[] {
    const parts = listOf(item['content']).map(fieldsOf);
    const text = this.text.complete(joined(parts, 'output_text', 'text'));
    const refusal = this.refusal.complete(joined(parts, 'refusal', 'refusal'));
    return [
      ...(text === '' ? [] : [{ type: 'text', delta: text } as const]),
      ...(refusal === '' ? [] : [refusalText(refusal)]),
    ];
  }

  /** The text of finished reasoning, if none of it was streamed. Otherwise the summary would repeat it. */
  completeThinking(item: Fields): ProviderEvent[] {
    if (!this.thinking.isEmpty) return [];
    const summary = joined(listOf(item['summary']).map(fieldsOf), 'summary_text', 'text');
    const content = joined(listOf(item['content']).map(fieldsOf), 'reasoning_text', 'text');
    const delta = this.thinking.add(summary || content);
    return delta === '' ? [] : [{ type: 'thinking', delta }];
  }
}

function joined(parts: readonly Fields[], type: string, field: string): string {
  return parts.reduce((text, part) => (part['type'] === type ? text + textIn(part[field]) : text), '');
}
