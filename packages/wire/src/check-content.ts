import { AgentSessionError, type ProviderEvent, type ProviderRequest } from '@banister/provider';
import { fieldsOf, textIn } from './json-fields.js';

/** Watches whether an answer holds anything but thinking. */
export interface ContentCheck {
  /** Takes events, and returns them; an end without content throws, or says so. */
  pass(events: readonly ProviderEvent[]): readonly ProviderEvent[];
}

/**
 * Checks the answer to a request. One that ends in good order without a text and without a call throws `server`, which can be retried:
 * no view could show what happened. Behind results of tools the work is done, and the end has a sentence that says so.
 */
export function createContentCheck({ messages }: ProviderRequest): ContentCheck {
  const answered = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const isBehindTools = answered.some(({ parts }) => parts.some(({ type }) => type === 'tool-result'));
  let hasContent = false;
  return {
    pass(events) {
      hasContent ||= events.some(isContent);
      const end = events.at(-1);
      if (hasContent || end?.type !== 'finish' || !['stop', 'tool-calls', 'unknown'].includes(end.reason))
        return events;
      if (isBehindTools)
        return [
          ...events.slice(0, -1),
          { ...end, detail: end.detail ?? 'The answer of the model is empty.' },
        ];
      throw new AgentSessionError('server', 'The model ended its answer without a text.', {
        details: end.raw === undefined ? {} : { finishReason: end.raw },
        retry: 'now',
      });
    },
  };
}

function isContent(event: ProviderEvent): boolean {
  switch (event.type) {
    case 'text':
      return event.delta.trim() !== '';
    case 'tool-call':
      return true;
    case 'opaque': {
      // The result of a hosted tool can be the whole answer. Reasoning alone is no answer.
      const { item, type } = fieldsOf(event.data);
      const kind = textIn(fieldsOf(item)['type']) || textIn(type);
      return kind !== '' && !/reasoning|thinking/.test(kind);
    }
    default:
      return false;
  }
}
