/** Thinking before an answer. The opening tag may be missing, because the template of a model may have written it. */
const THINKING = /^(?:<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>|[^{<]*<\/think>)/i;

/** An answer that consists of one Markdown code fence. */
const FENCE = /^(`{3,}|~{3,})[^\n`{[]*\n?([\s\S]*)\1$/;

/**
 * Returns the text of an answer without what local models write around it: a byte order mark, thinking in tags, and a fence around the
 * whole answer.
 */
export function withoutWrapping(text: string): string {
  // `trim` also removes a byte order mark.
  const answer = text.trim().replace(THINKING, '').trim();
  return (FENCE.exec(answer)?.[2] ?? answer).trim();
}
