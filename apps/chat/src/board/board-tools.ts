import { detailNames, detailTitles, labels, owners } from './card-details.js';

// The names, titles and arguments of the tools, for the domain that runs them and for views that show their
// calls.

const column = {
  type: 'string',
  title: 'Column',
  enum: ['Todo', 'Doing', 'Done'],
  description: 'The title of a column.',
} as const;
const card = {
  type: 'string',
  title: 'Card',
  minLength: 1,
  description: 'A card: its id, or its exact title.',
} as const;
const details = {
  owner: { type: 'string', title: detailTitles.owner, enum: owners, description: 'Who does it.' },
  due: { type: 'string', title: detailTitles.due, format: 'date', description: 'A day, as YYYY-MM-DD.' },
  label: { type: 'string', title: detailTitles.label, enum: labels },
  estimate: {
    type: 'number',
    title: detailTitles.estimate,
    minimum: 0.5,
    maximum: 30,
    description: 'Days of work.',
  },
} as const;
const clear = {
  type: 'array',
  title: 'Leave empty',
  items: { type: 'string', enum: detailNames },
  description: 'What the card has no longer.',
} as const;
const title = { type: 'string', title: 'Title', minLength: 1, maxLength: 120 } as const;

export const listCards = {
  name: 'list_cards',
  title: 'Look at the board',
  parameters: { type: 'object', properties: { column }, additionalProperties: false },
} as const;

export const addCard = {
  name: 'add_card',
  title: 'Add a card',
  parameters: {
    type: 'object',
    properties: { column, title, ...details },
    required: ['column', 'title'],
    additionalProperties: false,
  },
} as const;

export const editCard = {
  name: 'edit_card',
  title: 'Edit a card',
  parameters: {
    type: 'object',
    properties: { card, title, ...details, clear },
    required: ['card'],
    additionalProperties: false,
  },
} as const;

export const moveCard = {
  name: 'move_card',
  title: 'Move a card',
  parameters: {
    type: 'object',
    properties: { card, column },
    required: ['card', 'column'],
    additionalProperties: false,
  },
} as const;

export const deleteCard = {
  name: 'delete_card',
  title: 'Delete a card',
  parameters: { type: 'object', properties: { card }, required: ['card'], additionalProperties: false },
} as const;

export const clearColumn = {
  name: 'clear_column',
  title: 'Clear a column',
  parameters: { type: 'object', properties: { column }, required: ['column'], additionalProperties: false },
} as const;

export const publishBoard = {
  name: 'publish_board',
  title: 'Publish the board',
  parameters: {
    type: 'object',
    properties: {
      audience: { type: 'string', title: 'Audience', enum: ['team', 'everyone'] },
      on: {
        type: 'string',
        title: 'Goes out',
        format: 'date',
        description: 'The day on which it goes out, as YYYY-MM-DD. Left out: today.',
      },
      mail: {
        type: 'object',
        title: 'Mail',
        description: 'The mail that tells the audience. Left out: none.',
        properties: {
          send: { type: 'boolean', title: 'Send a mail' },
          note: { type: 'string', title: 'Note', maxLength: 200 },
        },
        required: ['send'],
        additionalProperties: false,
      },
    },
    required: ['audience'],
    additionalProperties: false,
  },
} as const;
