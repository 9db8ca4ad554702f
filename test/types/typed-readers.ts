// Confirmations, checked calls, effects and outputs are read with the types of their tool or schema, whatever the schema is written with.
import {
  callOf,
  defineGuard,
  defineTool,
  type AgentSession,
  type Confirmation,
  type ConfirmationRequest,
  type GuardedCall,
  type LocalAgentSession,
  type Middleware,
  type ToolCallView,
} from '@banister/session';
import { callOfEffect, confirmationOf, outputOf } from '@banister/session/view';
import { scriptedCall } from '@banister/testing';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

declare const call: ToolCallView;
declare const session: AgentSession;
declare const local: LocalAgentSession;

interface Added {
  readonly id: string;
}
const undo = { revert: (data: Added) => void data };

/** A JSON Schema in a constant, and a tool with typed data of its effects. */
const cardSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    column: { type: 'string', enum: ['Todo', 'Done'] },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['title', 'column'],
  additionalProperties: false,
} as const;
const addCard = defineTool({
  name: 'add',
  description: 'Adds a card.',
  parameters: cardSchema,
  undo,
  async execute({ title }, context) {
    await context.undo({ description: title, data: { id: '1' } });
    return { id: 1 };
  },
});

const added = callOf(addCard, call);
/** Half a word is not a member of the list. */
expectTypeOf(added?.arguments?.column).toEqualTypeOf<string | undefined>();
expectTypeOf(added?.complete?.column).toEqualTypeOf<'Todo' | 'Done' | undefined>();
expectTypeOf(added?.arguments?.tags).toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf(added?.value?.id).toEqualTypeOf<number | undefined>();

/** Libraries: what the model writes, before the library changes it. */
const zodTool = defineTool({
  name: 'zod',
  description: 'Zod.',
  parameters: z.object({ due: z.string().transform((text) => new Date(text)), size: z.enum(['s', 'l']) }),
  execute: ({ due }) => due,
});
expectTypeOf(callOf(zodTool, call)?.complete).toEqualTypeOf<{ due: string; size: 's' | 'l' } | undefined>();
expectTypeOf(callOf(zodTool, call)?.arguments?.size).toEqualTypeOf<string | undefined>();
expectTypeOf(callOf(zodTool, call)?.value).toEqualTypeOf<string | undefined>();

const valibotTool = defineTool({
  name: 'valibot',
  description: 'Valibot.',
  parameters: toStandardJsonSchema(v.object({ title: v.string(), tags: v.array(v.string()) })),
  execute: ({ tags }) => tags.length,
});
expectTypeOf(callOf(valibotTool, call)?.complete?.tags).toEqualTypeOf<string[] | undefined>();
expectTypeOf(callOf(valibotTool, call)?.value).toEqualTypeOf<number | undefined>();

const arktypeTool = defineTool({
  name: 'arktype',
  description: 'ArkType.',
  parameters: type({ title: 'string', count: 'number' }),
  execute: ({ count }) => ({ count }),
});
expectTypeOf(callOf(arktypeTool, call)?.complete?.count).toEqualTypeOf<number | undefined>();
expectTypeOf(callOf(arktypeTool, call)?.arguments?.title).toEqualTypeOf<string | undefined>();

/** A page without the code of a tool has its name and schema. */
const shape = { name: 'add', parameters: cardSchema };
expectTypeOf(callOf(shape, call)?.complete?.column).toEqualTypeOf<'Todo' | 'Done' | undefined>();
scriptedCall('board', shape, { title: 'Plan', column: 'Todo' });

/** Confirmations: the call, and the arguments of an approval. */
const [ask] = session.pendingConfirmations.value.map((one) => confirmationOf(addCard, one));
expectTypeOf(ask?.call.arguments.column).toEqualTypeOf<'Todo' | 'Done' | undefined>();
if (ask) void ask.approve({ arguments: { ...ask.call.arguments, column: 'Done' } });
// @ts-expect-error the schema has no such column
if (ask) void ask.approve({ arguments: { ...ask.call.arguments, column: 'Nowhere' } });
expectTypeOf(ask?.deny).toEqualTypeOf<Confirmation['deny'] | undefined>();

/** The option `confirm` gets a request without methods. */
export const confirm = (request: ConfirmationRequest) => {
  const one = confirmationOf(addCard, request);
  expectTypeOf(one?.reason).toEqualTypeOf<string | undefined>();
  // @ts-expect-error a request has no method
  void one?.approve();
  return { approve: one?.call.arguments.column === 'Todo' };
};

/** Guards and middleware keep what else they know about the call. */
export const guard = defineGuard('todo', (given) => {
  const one = callOf(addCard, given);
  expectTypeOf(one?.capabilities).toEqualTypeOf<GuardedCall['capabilities'] | undefined>();
  return one?.arguments.column === 'Done' ? { deny: 'Not there.' } : 'allow';
});
export const middleware: Middleware = {
  name: 'titles',
  beforeToolCalls(calls) {
    for (const one of calls)
      expectTypeOf(callOf(addCard, one)?.arguments.title).toEqualTypeOf<string | undefined>();
  },
};

/** Effects in the order of undo. */
for (const { effects } of session.undoEntries.value)
  for (const effect of effects)
    expectTypeOf(callOfEffect(addCard, effect, session.turns.value)).toEqualTypeOf<typeof added>();

/** The output of `generate`, whole and in part. */
export const generated = () => local.generate('A card', cardSchema);
const output = outputOf(cardSchema, session.liveTurn.value, session.partialOutput.value);
expectTypeOf(output?.partial?.column).toEqualTypeOf<string | undefined>();
expectTypeOf(output?.value?.column).toEqualTypeOf<'Todo' | 'Done' | undefined>();
expectTypeOf(output?.value).toEqualTypeOf<Awaited<ReturnType<typeof generated>> | undefined>();
const dated = outputOf(zodTool.parameters, session.liveTurn.value);
expectTypeOf(dated?.value?.due).toEqualTypeOf<string | undefined>();

/** Calls of a script. */
scriptedCall('board', addCard, { title: 'Plan', column: 'Todo' });
scriptedCall('board', zodTool, { due: '2026-11-23', size: 's' }, { id: 'wire_1' });
// @ts-expect-error a title is a text
scriptedCall('board', addCard, { title: 1, column: 'Todo' });
// @ts-expect-error the column is missing
scriptedCall('board', addCard, { title: 'Plan' });
