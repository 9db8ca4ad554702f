import type { ModelApi } from '../model-api.js';
import { ChunkReader } from './chunk-reader.js';
import { toRequest } from './to-request.js';

/** Chat Completions, the API that everybody imitates. */
export const chatApi: ModelApi = {
  send: (client, request, options, source, sending) =>
    client.chat.completions.create(toRequest(request, options, source), sending).withResponse(),
  createReader: (source) => new ChunkReader(source),
};
