/** What a database keeps, in messages for the user. */
export interface StoredWords {
  readonly all: string;
  /** What a full disk has no room for. */
  readonly more: string;
  /** Names what works where there is no IndexedDB. */
  readonly elsewhere: string;
}

export const conversationWords: StoredWords = {
  all: 'conversations',
  more: 'more of this conversation',
  elsewhere: 'In Node use the log sqliteLog, in a test memoryLog.',
};

export const factWords: StoredWords = {
  all: 'facts',
  more: 'more facts',
  elsewhere: 'In Node use sqliteMemory, in a test memoryMemory.',
};
