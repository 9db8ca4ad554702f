// Answers of the three APIs as they are sent: an event for each delta, with the fields of real events.

/** @type {Record<string, (deltas: readonly string[]) => string>} by the end of the request's URL */
export const sseBodies = {
  '/chat/completions': (deltas) => {
    const chunk = (choice, more = {}) =>
      data({
        id: 'chatcmpl-bench',
        object: 'chat.completion.chunk',
        created: 1_760_000_000,
        model: 'bench',
        service_tier: 'default',
        system_fingerprint: 'fp_bench',
        choices: choice === null ? [] : [{ index: 0, logprobs: null, finish_reason: null, ...choice }],
        ...more,
      });
    return [
      chunk({ delta: { role: 'assistant', content: '', refusal: null } }),
      ...deltas.map((content) => chunk({ delta: { content } })),
      chunk({ delta: {}, finish_reason: 'stop' }),
      chunk(null, {
        usage: { prompt_tokens: 9, completion_tokens: deltas.length, total_tokens: 9 + deltas.length },
      }),
      'data: [DONE]\n\n',
    ].join('');
  },

  '/responses': (deltas) => {
    let sequence = 0;
    const event = (type, fields) => named(type, { type, sequence_number: sequence++, ...fields });
    const response = {
      id: 'resp_bench',
      object: 'response',
      created_at: 1_760_000_000,
      model: 'bench',
      output: [],
    };
    const at = { item_id: 'msg_bench', output_index: 0, content_index: 0 };
    const text = deltas.join('');
    const part = { type: 'output_text', annotations: [], logprobs: [] };
    const item = { id: 'msg_bench', type: 'message', role: 'assistant' };
    const whole = { ...item, status: 'completed', content: [{ ...part, text }] };
    const usage = { input_tokens: 9, output_tokens: deltas.length, total_tokens: 9 + deltas.length };
    return [
      event('response.created', { response: { ...response, status: 'in_progress' } }),
      event('response.in_progress', { response: { ...response, status: 'in_progress' } }),
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, status: 'in_progress', content: [] },
      }),
      event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
      ...deltas.map((delta) =>
        event('response.output_text.delta', { ...at, delta, logprobs: [], obfuscation: '' }),
      ),
      event('response.output_text.done', { ...at, text, logprobs: [] }),
      event('response.content_part.done', { ...at, part: { ...part, text } }),
      event('response.output_item.done', { output_index: 0, item: whole }),
      event('response.completed', { response: { ...response, status: 'completed', output: [whole], usage } }),
    ].join('');
  },

  '/messages': (deltas) => {
    const event = (type, fields) => named(type, { type, ...fields });
    const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench', content: [] };
    const usage = { input_tokens: 9, output_tokens: 1 };
    return [
      event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...deltas.map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: deltas.length },
      }),
      event('message_stop', {}),
    ].join('');
  },
};

function data(value) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function named(type, value) {
  return `event: ${type}\n${data(value)}`;
}
