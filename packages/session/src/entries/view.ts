// The entry `@banister/session/view`: what a view of a chat may need beside the signals of a session.
export { textPieces, type TextPiece } from '../session/text-pieces.js';
export { callOfEffect } from '../tools/call-of.js';
export { outputOf, type TypedOutput } from '../tools/output-of.js';
export {
  confirmationOf,
  type TypedApproveOptions,
  type TypedConfirmation,
} from '../consent/confirmation-of.js';
export { readImage } from '../conversation/read-image.js';
