import type { ProviderEvent } from '@handrail/session/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@handrail/wire';
import { refusalText } from '../answer-reader.js';
import type { OpenCall } from './open-call.js';
import { StreamedText } from './streamed-text.js';

/** Characters of a name that are shown. */
const LONGEST_NAME = 100;

/** One item of an answer while it arrives. */
export class OutputItem {
  isDone = false;
  /** The item as it came last; null before anybody described it. */
  latest: Fields | null = null;
  /** Set for a call that somebody here has to answer. */
  call: OpenCall | null = null;
  readonly text = new StreamedText();
  readonly refusal = new StreamedText();
  readonly thinking = new StreamedText();

  get type(): string {
    return textIn(this.latest?.['type']);
  }

  /** True once anybody may have heard of it. */
  get isTold(): boolean {
    return this.isDone || this.call !== null || !this.text.isEmpty || !this.refusal.isEmpty;
  }

  /** True when a description is about this item: by the id of a call, since other ids may change with every event. */
  isDescribedBy(description: Fields): boolean {
    if (this.latest === null) return true;
    if (this.type !== textIn(description['type'])) return false;
    const callId = textIn(description['call_id']);
    return callId === '' || callId === textIn(this.latest['call_id']);
  }

  /** True when both bear the same id. */
  hasIdOf(description: Fields): boolean {
    const field = description['call_id'] === undefined ? 'id' : 'call_id';
    return description[field] !== undefined && this.latest?.[field] === description[field];
  }

  /** What a finished message says that did not come in pieces: some servers send it as a whole only. */
  completeMessage(item: Fields): ProviderEvent[] {
    const parts = listOf(item['content']).map(fieldsOf);
    const text = this.text.complete(joined(parts, 'output_text', 'text'));
    const refusal = this.refusal.complete(joined(parts, 'refusal', 'refusal'));
    return [
      ...(text === '' ? [] : [{ type: 'text', delta: text } as const]),
      ...(refusal === '' ? [] : [refusalText(refusal)]),
    ];
  }

  /** The same for reasoning. Where any of it was streamed, that was all: a summary beside it would say it twice. */
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

/** True for an item in which the server asks whether a tool of its own may run. */
export function asksForApproval(item: OutputItem): boolean {
  return item.type === 'mcp_approval_request';
}

/** What the server wants to be allowed, in sentences for the user. */
export function approvalDetail(items: readonly OutputItem[]): string {
  return items
    .filter(asksForApproval)
    .map(({ latest }) => {
      const tool = textIn(latest?.['name']).slice(0, LONGEST_NAME);
      const server = textIn(latest?.['server_label']).slice(0, LONGEST_NAME);
      return `It wants to run "${tool}"${server === '' ? '' : ` of "${server}"`}.`;
    })
    .join(' ');
}
