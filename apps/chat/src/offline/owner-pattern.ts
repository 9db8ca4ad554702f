import { owners } from '../board/card-details.js';

/** The names of the owners, as the alternatives of a regular expression. */
export const OWNERS = owners.join('|');
