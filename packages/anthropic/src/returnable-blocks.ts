import { toolCallsOf, type JsonObject, type Message, type MessagePart } from '@banister/provider';
import { fromOpaque } from './opaque-data.js';

/** The opaque parts that can go back to the API. */
export type ReturnableBlocks = ReadonlySet<MessagePart>;

/**
 * Returns the blocks that the API accepts. It refuses a result of a server tool without its call. It also
 * refuses a call without its result, unless the result is still to come: if one message calls a server tool
 * and a tool of the session, the server's result comes with the answer to the session's result.
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

/** Matches `server_tool_use`, `mcp_tool_use`, and later types with the same ending. */
function isServerCall(block: JsonObject): boolean {
  return textOf(block, 'type')?.endsWith('_tool_use') ?? false;
}

function textOf(block: JsonObject, field: string): string | undefined {
  const value = block[field];
  return typeof value === 'string' ? value : undefined;
}
