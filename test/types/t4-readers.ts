// T4: a tool keeps its types, and a call of it can be read with them.
import {
  callOf,
  conflict,
  defineTool,
  failed,
  type Tool,
  type ToolCallView,
  type TurnPart,
} from '@banister/session';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';

declare const call: ToolCallView;
declare const part: TurnPart;

interface Card {
  readonly id: number;
  readonly due?: Date;
}
declare function find(title: string): Card | undefined;

const findCard = defineTool({
  name: 'find',
  description: 'Finds a card.',
  parameters: {
    type: 'object',
    properties: {
      title: { type: 'string' },
      place: {
        type: 'object',
        properties: { column: { type: 'string' } },
        required: ['column'],
        additionalProperties: false,
      },
    },
    required: ['title', 'place'],
    additionalProperties: false,
  },
  async execute({ title, place }) {
    if (place.column === '') return failed('A column is needed.');
    return find(title) ?? conflict(1, 2);
  },
});

const found = callOf(findCard, call);
expectTypeOf(found?.arguments?.title).toEqualTypeOf<string | undefined>();
expectTypeOf(found?.arguments?.place?.column).toEqualTypeOf<string | undefined>();
expectTypeOf(found?.complete?.title).toEqualTypeOf<string | undefined>();
expectTypeOf(found?.complete?.place.column).toEqualTypeOf<string | undefined>();
expectTypeOf(callOf(findCard, part)).toEqualTypeOf<typeof found>();
expectTypeOf(found?.ranWith?.title).toEqualTypeOf<string | undefined>();
expectTypeOf(found?.ranWith?.place.column).toEqualTypeOf<string | undefined>();
expectTypeOf(found?.value).toEqualTypeOf<{ readonly id: number; readonly due?: string } | undefined>();
// @ts-expect-error the schema has no such parameter
void found?.arguments?.colour;
// @ts-expect-error the tool returns no such field
void found?.value?.title;

/** A library's schema: arguments are what the model writes, before the schema changes them. */
const setDue = defineTool({
  name: 'set_due',
  description: 'Sets the due date.',
  parameters: z.object({ due: z.string().transform((text) => new Date(text)) }),
  execute({ due }) {
    expectTypeOf(due).toEqualTypeOf<Date>();
  },
});
expectTypeOf(callOf(setDue, call)?.ranWith?.due).toEqualTypeOf<string | undefined>();
expectTypeOf(callOf(setDue, call)?.value).toEqualTypeOf<undefined>();

/** Every tool is assignable to the general tool type. */
const tools: readonly Tool[] = [findCard, setDue];
export const first = callOf(tools[0]!, call);
