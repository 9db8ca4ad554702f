import type { JsonObject, Tool, ToolContext } from '@banister/session';

/** One run of a tool double. */
export interface ToolRun {
  readonly args: JsonObject;
  readonly context: ToolContext;
}

/** The declarations of a tool double; all have a default. */
export type ToolDeclaration = {
  readonly [Name in Exclude<keyof Tool, 'name' | 'execute'>]?: Tool[Name] | undefined;
};

export interface SpyToolOptions extends ToolDeclaration {
  /** The executor. Default: it returns undefined, which is a success. */
  readonly execute?: ((args: JsonObject, context: ToolContext) => unknown) | undefined;
}

/** A tool that records its calls. */
export interface SpyTool extends Tool {
  readonly runs: readonly ToolRun[];
}

/** Accepts any arguments of a script. */
export const anyArguments = { type: 'object' } as const;

/**
 * A tool that records its calls. It accepts any arguments, unless `parameters` restricts them.
 *
 * @param name the name without its domain
 * @example
 * const add = spyTool('add_card', { execute: () => ({ id: 'card-1' }) });
 * const session = createAgentSession({ provider, domains: [{ id: 'board', tools: [add] }] });
 * await session.send('Add a card for milk');
 * console.log(add.runs[0]?.args); // { title: 'Milk' }
 */
export function spyTool(name: string, options: SpyToolOptions = {}): SpyTool {
  const {
    execute,
    description = `Test double ${name}.`,
    parameters = anyArguments,
    ...declaration
  } = options;
  const runs: ToolRun[] = [];
  return {
    ...declaration,
    description,
    parameters,
    name,
    runs,
    execute(args: JsonObject, context) {
      runs.push({ args, context });
      return execute?.(args, context);
    },
  };
}
