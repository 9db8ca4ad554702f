// The names and the arguments of the tools, for the domain that has their code and for views that read their calls.

const column = {
  type: 'string',
  enum: ['Todo', 'Doing', 'Done'],
  description: 'The title of a column.',
} as const;
const card = { type: 'string', minLength: 1, description: 'A card: its id, or its exact title.' } as const;
const title = { type: 'string', minLength: 1, maxLength: 120 } as const;

export const listCards = {
  name: 'list_cards',
  parameters: { type: 'object', properties: { column }, additionalProperties: false },
} as const;

export const addCard = {
  name: 'add_card',
  parameters: {
    type: 'object',
    properties: { column, title },
    required: ['column', 'title'],
    additionalProperties: false,
  },
} as const;

export const editCard = {
  name: 'edit_card',
  parameters: {
    type: 'object',
    properties: { card, title },
    required: ['card', 'title'],
    additionalProperties: false,
  },
} as const;

export const moveCard = {
  name: 'move_card',
  parameters: {
    type: 'object',
    properties: { card, column },
    required: ['card', 'column'],
    additionalProperties: false,
  },
} as const;

export const deleteCard = {
  name: 'delete_card',
  parameters: { type: 'object', properties: { card }, required: ['card'], additionalProperties: false },
} as const;

export const clearColumn = {
  name: 'clear_column',
  parameters: { type: 'object', properties: { column }, required: ['column'], additionalProperties: false },
} as const;

export const publishBoard = {
  name: 'publish_board',
  parameters: {
    type: 'object',
    properties: { audience: { type: 'string', enum: ['team', 'everyone'] } },
    required: ['audience'],
    additionalProperties: false,
  },
} as const;
