import { detailNames, detailTitles, type DetailName } from '../board/card-details.js';
import type { Command } from './command.js';
import { stripped } from './stripped.js';

/** Reads a message that wants its work to be done in the background; null for every other message. */
export function readBackground(message: string): Extract<Command, { type: 'background' }> | null {
  const text = stripped(message);
  const [, before, after] =
    /^(?:in the background[,:]?\s+(.+)|(.+?),?\s+in the background)$/is.exec(text) ?? [];
  const task = stripped(before ?? after ?? '');
  if (task === '') return null;
  return { type: 'background', task: task.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) };
}

/** Reads a command to look for cards that lack a detail: "Check the board for cards without an owner". */
export function readLacking(text: string): Extract<Command, { type: 'lacking' }> | null {
  const detail =
    /^(?:check|look|search|find|go through|list|show|which)\b.*\bcards?\b.*\b(?:without|with no|have no|has no|lack|missing)\s+(?:an?\s+|any\s+)?([a-z ]+?)[?.!]*$/i.exec(
      text,
    )?.[1];
  const name = detail && detailNames.find((one) => isNamed(one, detail));
  return name ? { type: 'lacking', detail: name } : null;
}

function isNamed(name: DetailName, words: string): boolean {
  const said = words.toLowerCase().replace(/s$/, '');
  return said === name || said === detailTitles[name].toLowerCase();
}
