/** A message with more lines, or more characters, is shown folded: they fill some twelve lines of a narrow chat. */
const [LINES, CHARACTERS] = [12, 900];

/** Whether a message of the user is so long that it is folded until the reader opens it. */
export function isLongMessage(text: string): boolean {
  if (text.length > CHARACTERS) return true;
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines > LINES;
}
