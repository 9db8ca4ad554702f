// Functions that make a text of unknown origin a safe part of a Markdown document, which the text cannot leave: as a quote, as code, or as
// words in a line.

/** The line endings of Markdown. */
const lineEnding = /\r\n|[\n\r]/;

/** Returns the text with a prefix before each line. An empty line gets no trailing space. */
function prefixed(text: string, prefix: string): string {
  const lines = text.split(lineEnding).map((line) => (line === '' ? prefix.trimEnd() : prefix + line));
  return lines.join('\n');
}

/** Returns Markdown as a quote. A block that the Markdown opens and does not close, such as a code fence, ends with the quote. */
export function quoted(markdown: string): string {
  return prefixed(markdown, '> ');
}

/** Returns blocks as an item of a list. The first line must not be empty. */
export function listItem(blocks: string): string {
  return `- ${prefixed(blocks, '  ').slice(2)}`;
}

/** Returns a text as words in one line, with escaped Markdown characters. */
export function inWords(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>&~|$#]/g, '\\$&');
}

/** Returns true if {@link codeSpan} shows the text unchanged. */
export function fitsSpan(text: string): boolean {
  return /[^ ]/.test(text) && text.length <= 100 && !lineEnding.test(text);
}

/**
 * Returns a text as inline code. A space replaces each sequence of line endings, and a text that consists only of spaces and line endings.
 */
export function codeSpan(text: string): string {
  const line = text.replace(/^[ \n\r]*$|[\n\r]+/g, ' ');
  const marks = '`'.repeat(longestRun(line) + 1);
  // A parser removes one space from both ends. If there are only spaces, CommonMark removes none, but some parsers remove one from both
  // ends.
  const space = /^[ `]|[ `]$/.test(line) && line !== ' ' ? ' ' : '';
  return marks + space + line + space + marks;
}

/** Returns a text as a block of code, with a fence that is longer than any fence in the text. */
export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${prefixed(text, '')}\n${fence}`;
}

/** Returns the length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
