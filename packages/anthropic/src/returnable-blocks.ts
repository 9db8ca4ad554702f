import { toolCallsOf, type JsonObject, type Message, type MessagePart } from '@handrail/session/provider';
import { fromOpaque } from './opaque-data.js';

/** The opaque parts that can be sent back. */
export type ReturnableBlocks = ReadonlySet<MessagePart>;

/**
 * Blocks that the API takes back. It refuses a server tool's result without its call, and a call without its result,
 * unless it owes the result itself: the model may call a server tool and one of ours in the same breath, and the result
 * of the first then comes with the answer to the second.
 */
export function returnableBlocks(messages: readonly Message[]): ReturnableBlocks {
  const returnable = new Set<MessagePart>();
  const results = new Set(eachBlock(messages).map(({ block }) => textOf(block, 'tool_use_id')));
  const called = new Set<string>();
  const last = messages.findLast((message) => message.role === 'assistant');

  for (const { part, block, message } of eachBlock(messages)) {
    const answers = textOf(block, 'tool_use_id');
    const id = isServerCall(block) ? textOf(block, 'id') : undefined;
    if (answers !== undefined && !called.has(answers)) continue;
    if (id !== undefined) {
      const isOwed = message === last && toolCallsOf(message).length > 0;
      if (!results.has(id) && !isOwed) continue;
      called.add(id);
    }
    returnable.add(part);
  }
  return returnable;
}

interface PlacedBlock {
  readonly part: MessagePart;
  readonly block: JsonObject;
  readonly message: Message;
}

function eachBlock(messages: readonly Message[]): readonly PlacedBlock[] {
  return messages
    .filter((message) => message.role === 'assistant')
    .flatMap((message) =>
      message.parts.flatMap((part) => {
        const data = fromOpaque(part);
        return data?.kind === 'block' ? [{ part, block: data.block, message }] : [];
      }),
    );
}

/** `server_tool_use`, `mcp_tool_use`, and whatever else is called that way one day. */
function isServerCall(block: JsonObject): boolean {
  return textOf(block, 'type')?.endsWith('_tool_use') ?? false;
}

function textOf(block: JsonObject, field: string): string | undefined {
  const value = block[field];
  return typeof value === 'string' ? value : undefined;
}
