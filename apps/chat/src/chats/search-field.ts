/** The attributes of the search field for chats, the same in every view. */
export const searchField = {
  type: 'search',
  'aria-label': 'Find a chat by its title',
  placeholder: 'Find a chat by its title',
  'data-focus': 'chat-search',
  'data-stop': '',
} as const;
