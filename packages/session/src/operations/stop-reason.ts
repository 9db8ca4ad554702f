import type { StopReason } from '../conversation/turn-record.js';
import type { FinishReason } from '../provider/provider-event.js';

/**
 * Returns the reason for which an answer stops its turn; null for an answer that does not.
 *
 * @param detail a sentence of the provider, which follows ours
 */
export function stopReasonOf(reason: FinishReason | null, detail?: string): StopReason | null {
  const more = detail ? ` ${detail}` : '';
  switch (reason) {
    case 'length':
      return { kind: 'length', message: `The answer reached the token limit and was cut.${more}` };
    case 'refusal':
      return { kind: 'refusal', message: `The model refused to answer.${more}` };
    case 'content-filter':
      return {
        kind: 'content-filter',
        message: `A content filter of the provider stopped the answer.${more}`,
      };
    case 'approval':
      return {
        kind: 'approval',
        message: `The server asks for an approval, which cannot be given from here.${more}`,
      };
    default:
      return null;
  }
}
