import type { Message } from '@banister/session';

/** The session sends a text file as text with its name. */
const TEXT_FILE = /^<file name=("(?:[^"\\]|\\.)*")>\n([\s\S]*)\n<\/file>$/;

/** Returns whether a text is a file instead of a message. */
export function isTextFile(text: string): boolean {
  return TEXT_FILE.test(text);
}

/** Returns the files of a message in words, without files that were left out. */
export function filesIn(message: Message | undefined): readonly string[] {
  return (message?.parts ?? []).flatMap((part) => {
    switch (part.type) {
      case 'image':
        return `the image “${part.name ?? 'without a name'}”`;
      case 'file':
        return `the PDF “${part.name}”`;
      case 'text':
        return textFileIn(part.text);
      default:
        return [];
    }
  });
}

/** Returns the answer to the files of a message; empty if it has none. */
export function wordOnFiles(files: readonly string[]): string {
  if (files.length === 0) return '';
  const listed = [files.slice(0, -1).join(', '), files.at(-1)].filter(Boolean).join(' and ');
  return `I got ${listed}. I am made of rules and cannot look into files: a real model can, choose one at the top.`;
}

function textFileIn(text: string): readonly string[] {
  const [, name, content = ''] = TEXT_FILE.exec(text) ?? [];
  if (name === undefined) return [];
  const lines = content.trimEnd().split('\n').length;
  return [`the text “${String(JSON.parse(name))}” of ${lines === 1 ? 'one line' : `${lines} lines`}`];
}
