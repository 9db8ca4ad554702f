/** A message with more lines or characters is folded. This fills about twelve lines of a narrow chat. */
const [LINES, CHARACTERS] = [12, 900];

/** Returns whether a user message is so long that it is folded until the reader unfolds it. */
export function isLongMessage(text: string): boolean {
  if (text.length > CHARACTERS) return true;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines > LINES;
}
