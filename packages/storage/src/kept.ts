/** What a database keeps, in messages for the user. */
export type Kept = 'conversations' | 'facts';
