import { defineTool } from '@banister/session';

/**
 * Returns a tool that adds a card, and can undo that by data. The call ends when `work` has ended, even if
 * the session cancels it.
 */
export function cardTool(cards: string[], work?: Promise<void>) {
  return defineTool({
    name: 'add',
    description: 'Adds a card.',
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    undo: { revert: ({ title }: { title: string }) => void cards.splice(cards.indexOf(title), 1) },
    async execute({ title }, context) {
      await context.undo({ description: `Added ${title}`, data: { title } });
      cards.push(title);
      if (work !== undefined) await work;
    },
  });
}
