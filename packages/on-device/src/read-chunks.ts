import type { WireNames } from '@banister/provider';
import type { EventQueue } from './event-queue.js';

/** Queues the chunks of a stream as events, then `finish`. Rejects if the stream breaks off. */
export async function readChunks(
  stream: ReadableStream<unknown>,
  names: WireNames,
  queue: EventQueue,
): Promise<void> {
  const reader = stream.getReader();
  let calls = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (typeof value === 'string') {
      queue.push({ type: 'text', delta: value });
      continue;
    }
    const chunk = (value ?? {}) as { readonly type?: unknown; readonly value?: unknown };
    if (chunk.type === 'text') queue.push({ type: 'text', delta: String(chunk.value) });
    else if (chunk.type === 'thought') queue.push({ type: 'thinking', delta: String(chunk.value) });
    else if (chunk.type === 'tool-call') {
      const call = (chunk.value ?? {}) as { callId?: unknown; name?: unknown; arguments?: unknown };
      queue.push({
        type: 'tool-call',
        index: calls++,
        ...(typeof call.callId === 'string' ? { id: call.callId } : {}),
        tool: names.fromWire(String(call.name)),
        delta: JSON.stringify(call.arguments) ?? '',
      });
    } else throw new Error(`a chunk of unknown type "${String(chunk.type)}"`);
  }
  queue.push({ type: 'finish', reason: calls > 0 ? 'tool-calls' : 'stop' });
  queue.end();
}
