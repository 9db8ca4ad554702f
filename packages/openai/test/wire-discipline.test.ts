import { describeWireDiscipline } from '../../../test/kit/wire-discipline.js';
import { openai } from '../src/index.js';
import { asStream, itemEvents } from './responses-stream.js';

const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

describeWireDiscipline({
  name: 'Chat Completions',
  createProvider: (url, options) => openai({ model: 'm', baseURL: `${url}/v1`, ...options }),
  begun: chunk({ content: 'Hi' }, null),
  ending: `${chunk({}, 'stop')}data: [DONE]\n\n`,
});

const item = { id: 'msg_1', type: 'message', role: 'assistant' };

describeWireDiscipline({
  name: 'Responses',
  createProvider: (url, options) =>
    openai({ model: 'm', api: 'responses', baseURL: `${url}/v1`, ...options }),
  begun: asStream(
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } },
    ...itemEvents(0, { ...item, content: [{ type: 'output_text', text: 'Hi' }] }, 'output_text', ['Hi']),
  ),
  ending: asStream({
    type: 'response.completed',
    sequence_number: 10,
    response: { id: 'resp_1', status: 'completed', output: [] },
  }),
});
