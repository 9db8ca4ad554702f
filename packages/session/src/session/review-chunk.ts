// The chunk of reviews: their stage in a turn, and the commands of the user.
export { reviewOf } from '../review/turn-review.js';
export { accept, reject } from './review-commands.js';
