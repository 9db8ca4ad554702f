// A tool declares the progress that it reports, and its calls are read with that type.
import {
  callOf,
  defineDomain,
  defineTool,
  type JsonValue,
  type Tool,
  type ToolCallView,
  type ToolContext,
  type UndoItem,
} from '@banister/session';
import { callOfEffect } from '@banister/session/view';
import { undoable } from '@banister/stores';
import { zustandStore } from '@banister/stores/zustand';
import { expectTypeOf } from 'vitest';
import { createStore } from 'zustand/vanilla';

declare const call: ToolCallView;
declare const effect: UndoItem;

interface Saving {
  readonly saved: number;
  readonly of?: number;
  readonly since?: Date;
}
const parameters = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
} as const;
const save = defineTool({
  name: 'save',
  description: 'Saves rows.',
  parameters,
  undo: { revert: (data: { readonly id: string }) => void data },
  async execute({ title }, { progress, undo }: ToolContext<Saving, { readonly id: string }>) {
    progress({ saved: 0, of: 3, since: new Date() });
    progress({ saved: 1 });
    // @ts-expect-error the field is a number
    progress({ saved: 'one' });
    // @ts-expect-error the progress has no such field
    progress({ saved: 1, off: 3 });
    await undo({ description: title, data: { id: '1' } });
    return { title };
  },
});
const saving = callOf(save, call);
expectTypeOf(saving?.progress?.saved).toEqualTypeOf<number | undefined>();
expectTypeOf(saving?.progress?.of).toEqualTypeOf<number | undefined>();
/** As JSON. */
expectTypeOf(saving?.progress?.since).toEqualTypeOf<string | undefined>();
expectTypeOf(saving?.complete?.title).toEqualTypeOf<string | undefined>();
expectTypeOf(saving?.value?.title).toEqualTypeOf<string | undefined>();
expectTypeOf(callOfEffect(save, effect, [])?.progress).toEqualTypeOf(saving?.progress);
// @ts-expect-error the progress has no such field
void saving?.progress?.off;

/** A value that is not an object is reported as a whole. */
const step = defineTool({
  name: 'step',
  description: 'Steps.',
  parameters,
  execute({ title }, context: ToolContext<'opening' | 'writing' | readonly string[]>) {
    context.progress('opening');
    context.progress([title]);
    // @ts-expect-error no step of the tool
    context.progress('closing');
  },
});
expectTypeOf(callOf(step, call)?.progress).toEqualTypeOf<
  'opening' | 'writing' | readonly string[] | undefined
>();

/** Without a declaration it is JSON, as in a page that has the schema alone. */
const plain = defineTool({
  name: 'plain',
  description: 'Plain.',
  parameters,
  execute(_, { progress }) {
    progress({ any: ['thing'] });
    // @ts-expect-error a function is no JSON
    progress(() => {});
  },
});
expectTypeOf(callOf(plain, call)?.progress).toEqualTypeOf<JsonValue | undefined>();
expectTypeOf(callOf({ name: 'plain', parameters }, call)?.progress).toEqualTypeOf<JsonValue | undefined>();

/** Every tool is assignable to the general tool type, and keeps its types when a store wraps it. */
const tools: readonly Tool[] = [save, step, plain];
defineDomain({ id: 'rows', tools });
const { wrap } = undoable(zustandStore(createStore(() => ({ rows: [] }))));
expectTypeOf(callOf(wrap(step), call)?.progress).toEqualTypeOf(callOf(step, call)?.progress);
export const any = callOf(tools[0]!, call)?.progress;
expectTypeOf(any).toEqualTypeOf<JsonValue | undefined>();
