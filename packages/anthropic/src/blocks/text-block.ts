import type { JsonObject, JsonValue, ProviderEvent } from '@banister/provider';
import { listOf, textIn, type Fields } from '@banister/wire';
import { toOpaque } from '../opaque-data.js';
import type { Block } from './block.js';

/** Text with the sources that it cites. */
export class TextBlock implements Block {
  private text: string;
  private readonly citations: JsonValue[];

  constructor(fields: Fields) {
    this.text = textIn(fields['text']);
    this.citations = [...(listOf(fields['citations']) as readonly JsonValue[])];
  }

  start(): ProviderEvent[] {
    return this.text === '' ? [] : [{ type: 'text', delta: this.text }];
  }

  add(delta: Fields): ProviderEvent[] {
    if (delta['type'] === 'citations_delta') {
      this.citations.push(delta['citation'] as JsonValue);
      return [];
    }
    const text = textIn(delta['text']);
    if (text === '') return [];
    this.text += text;
    return [{ type: 'text', delta: text }];
  }

  close(): ProviderEvent[] {
    if (this.citations.length === 0 || this.text === '') return [];
    const data = toOpaque({ kind: 'citations', citations: this.citations, textLength: this.text.length });
    return data === null ? [] : [{ type: 'opaque', data }];
  }

  cut(): ProviderEvent[] {
    return this.close();
  }

  toContent(): JsonObject | null {
    if (this.text.trim() === '') return null; // The API sends blocks of white space alone, but refuses to get them back.
    const text = { type: 'text', text: this.text };
    return this.citations.length === 0 ? text : { ...text, citations: this.citations };
  }
}
