import { describeCorruptions } from '../../../test/kit/corruptions.js';
import { openai } from '../src/index.js';
import { recordings } from './recordings.js';

describeCorruptions(recordings, ({ api }, fetch) =>
  openai({ model: 'm', api, baseURL: 'http://test.invalid', fetch }),
);
