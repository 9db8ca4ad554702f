import { describeCorruptions } from '../../../test/kit/corruptions.js';
import { anthropic } from '../src/index.js';
import { recordings } from './recordings.js';

describeCorruptions(recordings, (_recording, fetch) =>
  anthropic({ model: 'm', baseURL: 'http://test.invalid', fetch }),
);
