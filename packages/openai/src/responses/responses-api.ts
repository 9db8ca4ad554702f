import type { ModelApi } from '../model-api.js';
import { EventReader } from './event-reader.js';
import { toRequest } from './to-request.js';

/** The Responses API, used without anything stored at the server. */
export const responsesApi: ModelApi = {
  send: (client, request, options, source, sending) =>
    client.responses.create(toRequest(request, options, source), sending).withResponse(),
  createReader: (source) => new EventReader(source),
};
