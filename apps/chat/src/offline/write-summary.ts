import type { ProviderRequest } from '@banister/provider';
import type { Step } from './step.js';

const TRANSCRIPT = /^<transcript>\n([\s\S]*)\n<\/transcript>$/;
const BEFORE = /^Before: <summary>\n([\s\S]*?)\n<\/summary>$/gm;
const ASK = /^User: (?!<note>)(.+)$/gm;
const CALL = /^- board\.(\w+) .*: success, /gm;
/** Characters per token, with a reserve for the words around them. */
const CHARACTERS = 3;
/** The longest summary, in characters, because the reader waits while it is written. */
const LENGTH = 600;
const ASK_LENGTH = 80;
const ASKED = 'The user asked, in this order:';
const DONE = 'What was done:';

/** Returns the summary that a request asks for; null for any other request. */
export function summaryStep({ messages, tools, maxOutputTokens }: ProviderRequest): Step | null {
  const [part, ...others] = messages.flatMap((message) => message.parts);
  if (tools.length > 0 || part?.type !== 'text' || others.length > 0) return null;
  const transcript = TRANSCRIPT.exec(part.text)?.[1];
  return transcript === undefined
    ? null
    : { text: summaryOf(transcript, Math.min(LENGTH, (maxOutputTokens ?? LENGTH) * CHARACTERS)), calls: [] };
}

/**
 * Returns the messages and the calls of a transcript, including its earlier summary. If there is no room, the
 * oldest messages are left out.
 */
function summaryOf(transcript: string, room: number): string {
  const before = captures(transcript, BEFORE).join('\n');
  const rest = transcript.replace(BEFORE, '');
  const counts = new Map<string, number>();
  const count = (tool: string, times: number) => counts.set(tool, (counts.get(tool) ?? 0) + times);
  for (const [, times, tool] of before.matchAll(/(\d+) × ([\w ]+)/g)) count(tool!, Number(times));
  // The user reads it too, so it says "add card" instead of "add_card".
  for (const tool of captures(rest, CALL)) count(tool.replaceAll('_', ' '), 1);
  const calls = [...counts].map(([tool, times]) => `${times} × ${tool}`).join(', ');
  const done = `${DONE} ${calls === '' ? 'nothing' : calls}.`;

  let left = room - ASKED.length - done.length;
  const asks = [...captures(before, /^- (.+)$/gm), ...captures(rest, ASK)].map(shortened);
  const first = asks.findLastIndex((ask) => (left -= ask.length + 3) < 0) + 1;
  return [ASKED, ...asks.slice(first).map((ask) => `- ${ask}`), done].join('\n');
}

function captures(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= ASK_LENGTH ? text : `${characters.slice(0, ASK_LENGTH - 1).join('')}…`;
}
