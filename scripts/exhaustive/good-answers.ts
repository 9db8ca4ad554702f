import type { ApiName } from '../replay/apis.js';

/** A small answer of each API, as it should be. */
export const goodAnswers: { readonly [A in ApiName]: string } = {
  'openai-chat': `${[
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Good.' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ]
    .map((chunk) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...chunk })}\n\n`)
    .join('')}data: [DONE]\n\n`,
  'openai-responses': named([
    { type: 'response.created', response: { id: 'resp_good' } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { id: 'msg_good', type: 'message', role: 'assistant', status: 'in_progress', content: [] },
    },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_good',
      output_index: 0,
      content_index: 0,
      delta: 'Good.',
    },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: {
        id: 'msg_good',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Good.', annotations: [] }],
      },
    },
    { type: 'response.completed', response: { id: 'resp_good', status: 'completed' } },
  ]),
  'anthropic-messages': named([
    {
      type: 'message_start',
      message: { id: 'msg_good', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    { type: 'message_stop' },
  ]),
};

function named(events: readonly { readonly type: string; readonly [field: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
