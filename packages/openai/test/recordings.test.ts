import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.js';
import { answerOf, request, type Answer } from '../../../test/kit/answer.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { exhaustive } from '../../../test/kit/recordings.js';
import { drawnOf, sampleSize } from '../../../test/kit/sample-size.js';
import { recordings, type Recording } from './recordings.js';

// Recorded answers of OpenAI, Azure and servers that imitate them, of both APIs, through the official client.

/** Tools under the names that the recording calls, so that they come back unchanged. */
function requestFor({ facts }: Recording) {
  const names = [...new Set((facts.toolCalls ?? []).map((call) => call.name))];
  return request({
    tools: names.map((name) => ({ name, description: '', parameters: { type: 'object' } })),
  });
}

async function replay(recording: Recording, script: Partial<Script> = {}): Promise<Answer> {
  await using server = await startByteServer({ body: recording.body, ...script });
  return await answerOf(
    openai({ model: 'recorded', api: recording.api, baseURL: server.v1 }),
    requestFor(recording),
  );
}

/** Replays in memory without a socket, because thousands of tiny chunks would take minutes. */
function replayInMemory(recording: Recording, bytes: Uint8Array, chunkSize: number): Promise<Answer> {
  const fetch = () => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + chunkSize));
        at += chunkSize;
      },
    });
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  return answerOf(
    openai({ model: 'recorded', api: recording.api, baseURL: 'http://test.invalid', fetch }),
    requestFor(recording),
  );
}

/** Describes the answer in the words of the index. */
function factsOf(answer: Answer, { facts }: Recording) {
  const { usage } = answer;
  return {
    // The index lists a refusal separately from the text. The user reads it as text.
    text: facts.refusalLength === undefined ? sha256(answer.text) : `refusal of ${answer.text.length}`,
    thinking: answer.thinking === '' ? undefined : sha256(answer.thinking),
    // An approval that the server asks for is not a call of the app's tools.
    calls: answer.calls
      .filter(({ hosted }) => !hosted)
      .map(({ id, tool, argumentsText }) => ({ id, name: tool, args: argumentsOf(argumentsText) })),
    usage: usage && {
      input: usage.inputTokens ?? null,
      output: usage.outputTokens ?? null,
      total: usage.totalTokens ?? null,
      reasoning: usage.reasoningTokens ?? null,
      cachedInput: usage.cachedInputTokens ?? null,
    },
    stopReason: answer.finish?.raw ?? answer.error?.details['finishReason'] ?? null,
    failed: answer.error !== null,
  };
}

function expected({ facts }: Recording) {
  return {
    text: facts.refusalLength === undefined ? facts.textSha256 : `refusal of ${facts.refusalLength}`,
    thinking: facts.reasoningSha256,
    calls: (facts.toolCalls ?? []).map(({ id, name, args, input }) => ({ id, name, args: args ?? input })),
    usage: facts.usage,
    stopReason: facts.stopReason,
    failed: facts.errors !== undefined,
  };
}

/**
 * Returns the arguments as in the index. If the text is not JSON (of calls that take any text), returns it
 * unchanged.
 */
function argumentsOf(text: string): unknown {
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

describe('every recording over a socket', () => {
  test.each(recordings)(
    '$api $name: text, thinking, calls, usage and end are as recorded',
    async (recording) => {
      const answer = await replay(recording);
      expect(factsOf(answer, recording)).toEqual(expected(recording));
      if (answer.error === null) expect(answer.finish).not.toBeNull();
    },
  );

  test.each(recordings.filter(({ body }) => body.length <= 16 * 1024))(
    'W1 W2 $name in pieces of 7 bytes is read the same',
    async (recording) => {
      const answer = await replay(recording, { chunkSize: 7 });
      expect(factsOf(answer, recording)).toEqual(expected(recording));
    },
  );

  test.each(recordings.filter(({ facts }) => facts.errors === undefined && facts.stopReason !== null))(
    'W9 $name, reset before its last quarter, never finishes',
    async (recording) => {
      const whole = await replay(recording);
      const answer = await replay(recording, {
        cut: Math.floor(lastEvidence(recording.body) * 0.75),
        end: 'reset',
        delayMs: 5,
      });
      expect(answer.finish).toBeNull();
      expect(answer.error?.code).toBe('interrupted');
      expect(whole.text.startsWith(answer.text)).toBe(true);
    },
  );
});

test.each(recordings.filter(({ name }) => name === 'responses-mcp-approval'))(
  'S-37 $name asks for an approval of the hosted tool',
  async (recording) => {
    const { calls, finish } = await replay(recording);
    expect(calls).toMatchObject([{ tool: 'zip1.create_short_url', hosted: true }]);
    expect(finish?.reason).toBe('tool-calls');
  },
);

describe('every recording in memory', () => {
  test.each(drawnOf(recordings, 4))('W1 W2 $name in pieces of 1 byte is read the same', async (recording) => {
    const answer = await replayInMemory(recording, recording.body, 1);
    expect(factsOf(answer, recording)).toEqual(expected(recording));
  });

  test.each(drawnOf(recordings, 4))('W4 $name with CR LF is read the same', async (recording) => {
    const crlf = Buffer.from(recording.body.toString().replace(/\r?\n/g, '\r\n'));
    const answer = await replayInMemory(recording, crlf, 5);
    expect(factsOf(answer, recording)).toEqual(expected(recording));
  });

  test.each(drawnOf(recordings, 4))(
    'W8 $api $name, cut anywhere, finishes only if its end arrived, and its text is a prefix',
    async (recording) => {
      const whole = await replayInMemory(recording, recording.body, recording.body.length);
      for (const cut of cutsOf(recording.body)) {
        const bytes = recording.body.subarray(0, cut);
        const answer = await replayInMemory(recording, bytes, 1024);
        expect(whole.text.startsWith(answer.text)).toBe(true);
        expect(whole.thinking.startsWith(answer.thinking)).toBe(true);
        expect(answer.calls.length).toBeLessThanOrEqual(whole.calls.length);
        if (answer.finish) {
          expect(hasEvidence(bytes, recording.api), `finished after ${cut} bytes`).toBe(true);
        }
      }
    },
    600_000,
  );
});

/**
 * Returns the places at which a body is cut: everywhere, or around every event if the body is long. By
 * default it is a sample of them.
 */
function cutsOf(body: Buffer): readonly number[] {
  const isShort = body.length <= 16 * 1024;
  const ends = [...body.toString('latin1').matchAll(/\n\r?\n/g)].map(({ index }) => index + 2);
  const cuts = isShort
    ? Array.from({ length: body.length }, (_, at) => at)
    : ends.flatMap((end) => [end - 1, end, end + 1]).filter((at) => at < body.length);
  const step = exhaustive ? 1 : Math.max(1, Math.floor(cuts.length / sampleSize(isShort ? 60 : 20)));
  return cuts.filter((_, index) => index % step === 0);
}

/** Returns the place at which the first event begins that ends the answer. */
function lastEvidence(body: Buffer): number {
  const at = body
    .toString('latin1')
    .search(/"finish_reason": ?"|\[DONE\]|"type": ?"response.(completed|incomplete)"/);
  return at === -1 ? body.length : at;
}

/** Returns whether the bytes hold a complete event that ends an answer. Does not use the code under test. */
function hasEvidence(bytes: Uint8Array, api: Recording['api']): boolean {
  return Buffer.from(bytes)
    .toString()
    .split(/\r?\n/)
    .some((line) => {
      const data = line.replace(/^data: ?/, '');
      if (data === line) return false;
      if (data.startsWith('[DONE]')) return api === 'chat';
      try {
        const chunk = JSON.parse(data) as { type?: string; choices?: { finish_reason?: string }[] };
        if (api === 'responses')
          return ['response.completed', 'response.incomplete'].includes(chunk.type ?? '');
        return (chunk.choices ?? []).some((choice) => Boolean(choice.finish_reason));
      } catch {
        return false;
      }
    });
}
