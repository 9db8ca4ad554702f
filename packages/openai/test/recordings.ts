import { framed, recordedRefusals, recordedStreams, type Facts } from '../../../test/kit/recordings.js';

/** A recorded answer of one of OpenAI's APIs, or of a server that imitates it. */
export interface Recording {
  readonly name: string;
  readonly api: 'chat' | 'responses';
  readonly facts: Facts;
  /** The body as an event stream. */
  readonly body: Buffer;
}

export const recordings: readonly Recording[] = recordedStreams('openai-chat', 'openai-responses').map(
  ({ name, wire, facts, bytes }) => {
    const api = wire === 'openai-chat' ? 'chat' : 'responses';
    return { name, api, facts, body: facts.framed ? bytes : asEvents(bytes, api) };
  },
);

export const refusals = recordedRefusals;

function asEvents(lines: Buffer, api: Recording['api']): Buffer {
  const events = framed(lines, (line) => `data: ${line}\n\n`);
  return Buffer.from(events + (api === 'chat' ? 'data: [DONE]\n\n' : ''));
}
