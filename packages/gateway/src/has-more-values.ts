/**
 * Whether a JSON text has more values than `most`, counted by the commas and brackets outside of strings. The time for parsing grows with
 * the number of values: for a text as large as a picture it can reach a second.
 */
export function hasMoreValues(json: string, most: number): boolean {
  if (json.length <= most) return false;
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '\\') at++;
    else if (character === '"') isInText = !isInText;
    else if (!isInText && ',[{'.includes(character!) && ++values > most) return true;
  }
  return false;
}
