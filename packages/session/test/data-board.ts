import { conflict, contentRevision, defineTool, type Domain, type RevertContext } from '@banister/session';

/** One run of the functions that take effects back, and make them again. */
export interface DataRun extends RevertContext {
  readonly direction: 'revert' | 'reapply';
  readonly title: string;
}

/**
 * A board whose tool records its effects as data, written ahead.
 *
 * @param hasPaths whether each effect names the path of its card
 */
export function dataBoard(cards: string[] = [], hasPaths = false) {
  const runs: DataRun[] = [];
  const note = (direction: DataRun['direction'], title: string, context: RevertContext) =>
    runs.push({ ...context, direction, title });
  const add = defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    undo: {
      revert({ title }: { readonly title: string }, context) {
        note('revert', title, context);
        if (cards.includes(`${title}, edited`)) return conflict(title, `${title}, edited`);
        const index = cards.indexOf(title);
        if (index >= 0) cards.splice(index, 1);
        return undefined;
      },
      reapply({ title }: { readonly title: string }, context) {
        note('reapply', title, context);
        cards.push(title);
      },
    },
    async execute({ title }, context) {
      const paths = hasPaths ? { paths: [`cards/${title}`] } : {};
      await context.undo({ description: `Added ${title}`, data: { title }, ...paths });
      cards.push(title);
    },
  });
  const domain = (): Domain => ({ id: 'board', tools: [add], revision: contentRevision(() => cards) });
  return { cards, runs, add, domain };
}
