import type { JsonObject } from '@banister/provider';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { anthropic } from '../src/index.js';
import { answerOf, request, type Answer } from '../../../test/kit/answer.js';
import { startByteServer, type Script } from '../../../test/kit/byte-server.js';
import { exhaustive } from '../../../test/kit/recordings.js';
import { sampleSize } from '../../../test/kit/sample-size.js';
import { recordings, type Recording } from './recordings.js';

// Recorded answers of the Messages API, through the official client.

/** Tools under the names that the recording calls, so that they come back unchanged. */
function requestFor({ facts }: Recording) {
  const names = [...new Set((facts.toolCalls ?? []).map((call) => call.name))];
  return request({
    tools: names.map((name) => ({ name, description: '', parameters: { type: 'object' } })),
  });
}

async function replay(recording: Recording, script: Partial<Script> = {}): Promise<Answer> {
  await using server = await startByteServer({ body: recording.body, ...script });
  return await answerOf(anthropic({ model: 'recorded', baseURL: server.url }), requestFor(recording));
}

/** Replays in memory without a socket, because thousands of tiny chunks would take minutes. */
function inMemory(recording: Recording) {
  let bytes: Uint8Array;
  let chunkSize: number;
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
  const provider = anthropic({ model: 'recorded', baseURL: 'http://test.invalid', fetch });
  return {
    replay(body: Uint8Array, size: number): Promise<Answer> {
      bytes = body;
      chunkSize = size;
      return answerOf(provider, requestFor(recording));
    },
  };
}

/**
 * Returns whether one body holds two answers. The adapter refuses the body, although the index lists the
 * facts of both answers.
 */
function isSpliced({ facts }: Recording): boolean {
  return 'more than one message_start' in facts.deviations;
}

/** Describes the answer in the words of the index. */
function factsOf(answer: Answer) {
  const { usage, thinking, signatures } = answer;
  const blocks = answer.opaque.filter(
    (data) => typeof (data as JsonObject)['type'] === 'string',
  ) as JsonObject[];
  const citations = answer.opaque.flatMap(
    (data) => (data as { citations?: { citations: [] } }).citations?.citations ?? [],
  );
  return {
    text: sha256(answer.text),
    thinking: thinking === '' ? undefined : sha256(thinking),
    signatures: signatures.length === 0 ? undefined : sha256(signatures.join('')),
    calls: answer.calls.map(({ id, tool, argumentsText }) => ({
      id,
      name: tool,
      args: parsed(argumentsText),
      length: argumentsText.length,
    })),
    serverCalls: blocks
      .filter(({ type }) => String(type).endsWith('_tool_use'))
      .map(({ id, name }) => ({ id, name })),
    blocks: blocks.map(({ type }) => String(type)).sort(),
    citations: citations.length,
    usage: usage && {
      input: (usage.inputTokens ?? 0) - (usage.cachedInputTokens ?? 0) - (usage.cacheWriteTokens ?? 0),
      output: usage.outputTokens ?? null,
      cacheRead: usage.cachedInputTokens ?? null,
      cacheWrite: usage.cacheWriteTokens ?? null,
    },
    stopReason: answer.finish?.raw ?? null,
  };
}

function expected({ facts }: Recording) {
  return {
    text: facts.textSha256,
    thinking: facts.reasoningSha256,
    signatures: facts.signatureSha256,
    calls: (facts.toolCalls ?? []).map(({ id, name, args, rawArgsLength }) => ({
      id,
      name,
      args,
      length: rawArgsLength,
    })),
    serverCalls: (facts.serverToolCalls ?? []).map(({ id, name }) => ({ id, name })),
    blocks: Object.entries(facts.serverBlocks ?? {})
      .flatMap(([type, count]) => Array<string>(count).fill(type))
      .sort(),
    citations: facts.citations ?? 0,
    usage: facts.usage,
    stopReason: facts.stopReason,
  };
}

/** Returns null for text that is not JSON, as the index does. */
function parsed(argumentsText: string): unknown {
  try {
    return argumentsText === '' ? {} : (JSON.parse(argumentsText) as unknown);
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function check(answer: Answer, recording: Recording): void {
  if (isSpliced(recording)) {
    expect(answer.error?.code).toBe('server');
    expect(answer.finish).toBeNull();
    expect(answer.calls.map(({ id }) => id)).toEqual(['toolu_first']);
    return;
  }
  expect(answer.error).toBeNull();
  expect(factsOf(answer)).toEqual(expected(recording));
}

describe('every recording over a socket', () => {
  test.each(recordings)(
    'S-4 S-23 S-38 $name: text, thinking, signatures, calls, blocks, usage and end are as recorded',
    async (recording) => check(await replay(recording), recording),
  );

  test.each(recordings.filter(({ body }) => body.length <= 8 * 1024))(
    'W1 W2 $name in pieces of 7 bytes is read the same',
    async (recording) => check(await replay(recording, { chunkSize: 7 }), recording),
  );

  test.each(recordings.filter((recording) => !isSpliced(recording)))(
    'W9 $name, reset before its last quarter, never finishes',
    async (recording) => {
      const cut = Math.floor(recording.body.length * 0.75);
      const answer = await replay(recording, { cut, end: 'reset', delayMs: 5 });
      expect(answer.finish).toBeNull();
      expect(answer.error?.code).toBe('interrupted');
    },
  );
});

describe('every recording in memory', () => {
  test.each(recordings)('W1 W2 $name in pieces of 1 and of 7 bytes is read the same', async (recording) => {
    const memory = inMemory(recording);
    check(await memory.replay(recording.body, 1), recording);
    check(await memory.replay(recording.body, 7), recording);
  });

  test.each(recordings)(
    'W4 W19 $name with CR LF and without event names is read the same',
    async (recording) => {
      const text = recording.body.toString().replace(/^event: .*\n/gm, '');
      const answer = await inMemory(recording).replay(Buffer.from(text.replace(/\r?\n/g, '\r\n')), 5);
      check(answer, recording);
    },
  );

  const cuttable = recordings.filter((recording) => !isSpliced(recording));
  const everyByte = (body: Buffer) => exhaustive && body.length <= 8 * 1024;

  test.each(cuttable)(
    'W8 $name, cut at event boundaries and elsewhere, finishes only if its end arrived, and its text is a prefix',
    async (recording) => {
      const { body } = recording;
      const memory = inMemory(recording);
      const whole = await memory.replay(body, body.length);
      for (const cut of everyByte(body) ? Array.from(body.keys()) : sampleOf(body)) {
        const answer = await memory.replay(body.subarray(0, cut), 4096);
        expect(whole.text.startsWith(answer.text)).toBe(true);
        expect(whole.thinking.startsWith(answer.thinking)).toBe(true);
        answer.calls.forEach((call, index) => {
          expect(whole.calls[index]?.argumentsText.startsWith(call.argumentsText)).toBe(true);
        });
        expect(answer.finish !== null, `after ${cut} of ${body.length} bytes`).toBe(hasEvidence(body, cut));
      }
    },
    600_000,
  );
});

/**
 * Returns the places of cuts: event boundaries, the bytes beside them, and a few bytes between. A small
 * recording has all of them, a large recording a sample.
 */
function sampleOf(body: Buffer): readonly number[] {
  const boundaries: number[] = [];
  for (let at = body.indexOf('\n\n'); at !== -1; at = body.indexOf('\n\n', at + 2)) boundaries.push(at + 2);
  const step = exhaustive ? 1 : Math.max(1, Math.floor(boundaries.length / sampleSize(15)));
  const chosen = boundaries.filter(
    (_at, position) => position % step === 0 || position > boundaries.length - 3,
  );
  const between = Array.from({ length: 12 }, (_, count) => Math.floor((body.length * count) / 12));
  return [...chosen.flatMap((at) => [at - 1, at, at + 1]), ...between].filter((at) => at < body.length);
}

/**
 * Returns whether the bytes up to the cut hold the complete event `message_stop`. Does not use the code under
 * test.
 */
function hasEvidence(body: Buffer, cut: number): boolean {
  const text = body.toString('latin1');
  const at = text.search(/data: *\{"type": ?"message_stop"/);
  return cut >= text.indexOf('}', at) + 1;
}
