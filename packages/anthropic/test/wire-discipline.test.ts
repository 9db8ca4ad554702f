import { describeWireDiscipline } from '../../../test/kit/wire-discipline.js';
import { anthropic } from '../src/index.js';
import { end, start, textBlock } from './message-events.js';

describeWireDiscipline({
  name: 'Messages',
  createProvider: (url, options) => anthropic({ model: 'm', baseURL: url, ...options }),
  begun: start() + textBlock(0, 'Hi'),
  ending: end('end_turn'),
});
