/**
 * Whether a JSON text has more values than a number, counted by the commas and brackets outside of its strings: parsing takes time by the number of
 * values, up to a second for the bytes of one picture.
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
