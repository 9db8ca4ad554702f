/**
 * The invisible code points, `Default_Ignorable_Code_Point` of Unicode 17.0, from the first to the last of
 * each range.
 *
 * Source: https://www.unicode.org/Public/17.0.0/ucd/DerivedCoreProperties.txt
 */
export const defaultIgnorable: readonly (readonly [first: number, last: number])[] = [
  [0x00ad, 0x00ad], // soft hyphen
  [0x034f, 0x034f], // combining grapheme joiner
  [0x061c, 0x061c], // Arabic letter mark
  [0x115f, 0x1160], // Hangul fillers
  [0x17b4, 0x17b5], // Khmer inherent vowels
  [0x180b, 0x180f], // Mongolian variation selectors and vowel separator
  [0x200b, 0x200f], // zero width characters, direction marks
  [0x202a, 0x202e], // embeddings and overrides of direction
  [0x2060, 0x206f], // word joiner, invisible operators, isolates of direction, deprecated format characters
  [0x3164, 0x3164], // Hangul filler
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff], // zero width no-break space
  [0xffa0, 0xffa0], // halfwidth Hangul filler
  [0xfff0, 0xfff8], // unassigned
  [0x1bca0, 0x1bca3], // shorthand format controls
  [0x1d173, 0x1d17a], // musical format controls
  [0xe0000, 0xe0fff], // tags, variation selectors supplement, unassigned
];
