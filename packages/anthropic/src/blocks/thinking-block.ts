import type { JsonObject, ProviderEvent } from '@banister/provider';
import { textIn, type Fields } from '@banister/wire';
import type { Block } from './block.js';

/** Reasoning with its signature. The signature is valid only together with the exact text. */
export class ThinkingBlock implements Block {
  private thinking: string;
  private signature: string;
  private readonly after: ThinkingBlock | null;

  /** @param after the previous block, if it is reasoning too */
  constructor(fields: Fields, after: ThinkingBlock | null) {
    this.thinking = textIn(fields['thinking']);
    this.signature = textIn(fields['signature']);
    this.after = after;
  }

  start(): ProviderEvent[] {
    return [
      // Unsigned reasoning stays open in the conversation. An empty signature closes it, because this block
      // has a signature of its own.
      ...(this.after?.isUnsigned() ? [{ type: 'thinking', delta: '', signature: '' } as const] : []),
      // Emitted even without text, which a model may hide, because the thinking begins here.
      { type: 'thinking', delta: this.thinking },
    ];
  }

  add(delta: Fields): ProviderEvent[] {
    if (delta['type'] === 'signature_delta') {
      this.signature = textIn(delta['signature']);
      return [];
    }
    const thinking = textIn(delta['thinking']);
    if (thinking === '') return [];
    this.thinking += thinking;
    return [{ type: 'thinking', delta: thinking }];
  }

  close(): ProviderEvent[] {
    return this.signature === '' ? [] : [{ type: 'thinking', delta: '', signature: this.signature }];
  }

  cut(): ProviderEvent[] {
    return this.close();
  }

  toContent(): JsonObject | null {
    return this.signature === ''
      ? null
      : { type: 'thinking', thinking: this.thinking, signature: this.signature };
  }

  /** Returns true for reasoning of a server that does not sign it. */
  isUnsigned(): boolean {
    return this.signature === '' && this.thinking !== '';
  }
}
