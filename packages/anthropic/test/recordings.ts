import { framed, recordedRefusals, recordedStreams, type Facts } from '../../../test/kit/recordings.js';

/** A recorded answer of the Messages API. */
export interface Recording {
  readonly name: string;
  readonly facts: Facts;
  /** The body as an event stream. */
  readonly body: Buffer;
  /** The body of the request that got this answer. */
  readonly request: RecordedRequest | null;
}

/** A request as a client sent it. */
export interface RecordedRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export const recordings: readonly Recording[] = recordedStreams('anthropic-messages').map(
  ({ name, facts, bytes, request }) => ({
    name,
    facts,
    body: facts.framed ? bytes : asEvents(bytes),
    request: request as RecordedRequest | null,
  }),
);

export const refusals = recordedRefusals.filter(({ name }) => name.startsWith('anthropic'));

function asEvents(lines: Buffer): Buffer {
  return Buffer.from(
    framed(lines, (line) => `event: ${(JSON.parse(line) as { type: string }).type}\ndata: ${line}\n\n`),
  );
}
