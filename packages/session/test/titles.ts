import type { Domain, JsonObject, Tool, ToolContext } from '@banister/session';

/** A call of `titles.rename`. */
export const rename = (card: string, title: string) => ({ tool: 'titles.rename', args: { id: card, title } });

/** An app with the titles of cards: each is renamed by a tool with a preview, or by the user. */
export interface Titles {
  readonly all: Map<string, string>;
  /** The calls of the preview, with their arguments. */
  readonly previews: JsonObject[];
  /** The arguments of the executor. */
  readonly runs: JsonObject[];
  /** A change by the user: it moves the revision, and is reported where the domain reports. */
  set(card: string, title: string): void;
  domain(tool?: Partial<Tool>, domain?: Partial<Domain>): Domain;
}

/** @param parts those that the domain has: a revision, reports, or neither */
export function createTitles(...parts: readonly ('revision' | 'subscribe')[]): Titles {
  const all = new Map([
    ['1', 'One'],
    ['2', 'Two'],
  ]);
  const listeners = new Set<() => void>();
  let version = 0;
  const previews: JsonObject[] = [];
  const runs: JsonObject[] = [];
  const set = (card: string, title: string) => {
    all.set(card, title);
    version++;
    for (const listener of listeners) listener();
  };
  const execute = (args: JsonObject, context: ToolContext) => {
    runs.push(args);
    const { id, title } = args as { id: string; title: string };
    const before = all.get(id)!;
    set(id, title);
    context.undo({ description: `Renamed ${id}`, revert: () => set(id, before) });
  };
  const tool: Tool = {
    name: 'rename',
    description: 'Renames a card.',
    parameters: {
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' } },
      required: ['id', 'title'],
      additionalProperties: false,
    },
    preview: (args: JsonObject) => {
      previews.push(args);
      return { before: all.get(args['id'] as string), after: args['title'] };
    },
    execute,
  };
  return {
    all,
    previews,
    runs,
    set,
    domain: (more = {}, domain = {}) => ({
      id: 'titles',
      tools: [{ ...tool, ...more }],
      ...(parts.includes('revision') ? { revision: () => version } : {}),
      ...(parts.includes('subscribe')
        ? {
            subscribe: (changed: () => void) => {
              listeners.add(changed);
              return () => void listeners.delete(changed);
            },
          }
        : {}),
      ...domain,
    }),
  };
}
