// The data of an effect have the type that the tool's `undo` takes.
import { defineDomain, defineTool, type RevertContext, type Tool } from '@banister/session';

interface Added {
  readonly id: string;
  readonly at?: number | undefined;
}

const add = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  undo: {
    revert(data: Added, { signal, revision, callId, idempotencyKey }) {
      const given: [AbortSignal, string | number | undefined, string, string] = [
        signal,
        revision,
        callId,
        idempotencyKey,
      ];
      console.log(data.id, given);
    },
    async reapply(data: Added, context: RevertContext) {
      console.log(data.at, await Promise.resolve(context.callId));
    },
  },
  async execute({ title }, context) {
    const stored: Promise<void> = context.undo({ description: title, data: { id: '1' } });
    await stored;
    // @ts-expect-error -- the tool's `undo` takes another type
    await context.undo({ description: title, data: { id: 1 } });
    // Closures as before: there is nothing to wait for.
    context.undo({ description: title, revert: () => {} });
    return { id: '1' };
  },
});

/** A tool with typed data fits a list of tools. */
const tools: readonly Tool[] = [add];

/** Without types, the data may be anything. */
const plain: Tool = {
  name: 'plain',
  description: 'Does something.',
  parameters: { type: 'object' },
  undo: { revert: (data) => console.log(data), reapply: undefined },
  execute: (_args, context) => context.undo({ description: 'Did it', data: [1, 2] }),
};

export const domain = defineDomain({ id: 'board', tools: [...tools, plain] });
