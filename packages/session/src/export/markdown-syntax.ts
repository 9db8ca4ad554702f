// The ways in which a text of unknown origin becomes a part of a Markdown document that it cannot leave: as a quote, as code, as
// words in a line.

/** The line endings of Markdown. */
const lineEnding = /\r\n|[\n\r]/;

/** Returns the text with a prefix before each line; an empty line gets no space at its end. */
function prefixed(text: string, prefix: string): string {
  const lines = text.split(lineEnding).map((line) => (line === '' ? prefix.trimEnd() : prefix + line));
  return lines.join('\n');
}

/** Returns Markdown as a quote: what it opens and does not close ends with the quote. */
export function quoted(markdown: string): string {
  return prefixed(markdown, '> ');
}

/** Returns blocks as an item of a list. The first line must not be empty. */
export function listItem(blocks: string): string {
  return `- ${prefixed(blocks, '  ').slice(2)}`;
}

/** Returns a text as words of one line, shown letter for letter. */
export function inWords(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>&~|$#]/g, '\\$&');
}

/** Whether {@link codeSpan} shows the text as it is. */
export function fitsSpan(text: string): boolean {
  return /[^ ]/.test(text) && text.length <= 100 && !lineEnding.test(text);
}

/** Returns a text as code in a line, with a space for each line ending, and one for a text of spaces alone. */
export function codeSpan(text: string): string {
  const line = text.replace(/^[ \n\r]*$|[\n\r]+/g, ' ');
  const marks = '`'.repeat(longestRun(line) + 1);
  // A parser removes one space from both ends. Of spaces alone CommonMark removes none, some parsers one from both ends.
  const space = /^[ `]|[ `]$/.test(line) && line !== ' ' ? ' ' : '';
  return marks + space + line + space + marks;
}

/** Returns a text as a block of code, whose fence is longer than any in it. */
export function codeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${prefixed(text, '')}\n${fence}`;
}

/** The length of the longest run of backticks. */
function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
