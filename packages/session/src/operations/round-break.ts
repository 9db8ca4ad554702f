/**
 * A blank line between what two rounds wrote, where a turn's text or thinking is one text. The parts of the record stay
 * as the model wrote them.
 */
export const roundBreak = '\n\n';
