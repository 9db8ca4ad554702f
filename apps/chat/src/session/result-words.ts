import type { ContentPart } from '@banister/session';
import { visibleJson, visibleText } from '../text/visible-text.js';

/** A part of what a tool answered, as text: nothing of it is ever markup. */
export function resultWords(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return visibleText(part.text);
    case 'json':
      return visibleJson(part.value);
    case 'image':
      return `Image (${part.mediaType})`;
  }
}
