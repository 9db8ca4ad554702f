// T1: a tool may return a value of any type. A value that JSON cannot hold is reported at run time.
import { defineDomain, defineTool, failed, success, type Tool } from '@banister/session';

interface Card {
  readonly id: number;
  readonly title?: string;
}

declare function find(title: string): Card | undefined;

const parameters = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
} as const;

const interfaces = defineTool({
  name: 'find',
  description: 'Finds a card.',
  parameters,
  execute: ({ title }) => find(title) ?? failed('There is no such card.'),
});
const lists = defineTool({
  name: 'list',
  description: 'Lists the cards.',
  parameters,
  async execute({ title }) {
    return [find(title)!];
  },
});
const nothing = defineTool({ name: 'drop', description: 'Drops a card.', parameters, execute() {} });
const outcomes = defineTool({
  name: 'show',
  description: 'Shows a card.',
  parameters,
  execute: ({ title }) => success('Here it is.', { title }),
});

const plain: Tool = { name: 'x', description: 'x', parameters, execute: () => find('x') };

export const domain = defineDomain({ id: 'board', tools: [interfaces, lists, nothing, outcomes, plain] });
