import { AgentSessionError, type ProviderEvent, type ProviderRequest } from '@banister/provider';
import { fieldsOf, textIn } from './json-fields.js';

/** Watches whether an answer holds anything except thinking. */
export interface ContentCheck {
  /**
   * Takes events and returns them. If the answer ends without content, throws or appends a sentence that says
   * so.
   */
  pass(events: readonly ProviderEvent[]): readonly ProviderEvent[];
}

/**
 * Checks the answer to a request. An answer that ends normally without text and without a call throws
 * `server`, which can be retried, because no view could show what happened. After tool results the work is
 * done already; then a sentence is appended that says so.
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
      throw new AgentSessionError('server', 'The model sent an empty answer.', {
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
      // The result of a hosted tool can be the whole answer. Reasoning alone is not an answer.
      const { item, type } = fieldsOf(event.data);
      const kind = textIn(fieldsOf(item)['type']) || textIn(type);
      return kind !== '' && !/reasoning|thinking/.test(kind);
    }
    default:
      return false;
  }
}
