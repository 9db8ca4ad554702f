/**
 * The blank line between the texts of two rounds, if the text or the thinking of a whole turn is one string. The parts of the record have
 * the texts as the model wrote them.
 */
export const roundBreak = '\n\n';
