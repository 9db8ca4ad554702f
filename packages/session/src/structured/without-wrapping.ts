/** Thinking in front of an answer; the template of a model may have written its opening tag. */
const THINKING = /^(?:<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>|[^{<]*<\/think>)/i;

/** An answer that is one fence of Markdown. */
const FENCE = /^(`{3,}|~{3,})[^\n`{[]*\n?([\s\S]*)\1$/;

/** Returns the text of an answer without what local models write around it: a byte order mark, thinking in tags, and a fence around the whole. */
export function withoutWrapping(text: string): string {
  // A byte order mark counts as white space.
  const answer = text.trim().replace(THINKING, '').trim();
  return (FENCE.exec(answer)?.[2] ?? answer).trim();
}
