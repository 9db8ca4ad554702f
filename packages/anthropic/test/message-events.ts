/** An event of the Messages API, as bytes on the wire. */
export function event(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A content block: its first event, its pieces, its end. */
export function block(
  index: number,
  content: { readonly type: string; readonly [field: string]: unknown },
  ...deltas: readonly { readonly type: string; readonly [field: string]: unknown }[]
): string {
  return [
    event({ type: 'content_block_start', index, content_block: content }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ].join('');
}

export function textBlock(index: number, ...pieces: readonly string[]): string {
  return block(index, { type: 'text', text: '' }, ...pieces.map((text) => ({ type: 'text_delta', text })));
}

export function thinkingBlock(index: number, thinking: string, signature: string): string {
  const signed = signature === '' ? [] : [{ type: 'signature_delta', signature }];
  return block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    ...(thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]),
    ...signed,
  );
}

export function toolBlock(index: number, id: string, name: string, ...pieces: readonly string[]): string {
  return block(
    index,
    { type: 'tool_use', id, name, input: {} },
    ...pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  );
}

export interface MessageParts {
  readonly id?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly container?: string;
}

export function start({ id = 'msg_1', inputTokens = 10 }: MessageParts = {}): string {
  return event({
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      content: [],
      usage: { input_tokens: inputTokens, output_tokens: 1 },
    },
  });
}

export const stop = event({ type: 'message_stop' });

export function end(stopReason: string, { outputTokens = 5, container }: MessageParts = {}): string {
  const inside = container === undefined ? {} : { container: { id: container } };
  return (
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null, ...inside },
      usage: { output_tokens: outputTokens },
    }) + stop
  );
}

/** A whole message. */
export function message(blocks: string, stopReason = 'end_turn', parts: MessageParts = {}): string {
  return start(parts) + blocks + end(stopReason, parts);
}
