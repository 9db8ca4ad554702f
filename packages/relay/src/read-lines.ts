/** The longest line, in characters, because an opaque part of a model may be long. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Reads the lines of a response that are not empty. Lines that arrived together are one batch. A last line
 * without its end was cut and is left out.
 *
 * @param signal ends the reading, because the app's `fetch` may ignore it
 * @param onBytes called for each piece, even if it contains no complete line
 */
export async function* readLines(
  response: Response,
  signal: AbortSignal,
  onBytes: () => unknown,
): AsyncGenerator<string[], void> {
  const reader = response.body!.getReader();
  const close = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', close);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const text = decoder.decode(value, { stream: true });
      const end = text.lastIndexOf('\n');
      // Only the new piece is searched, because otherwise a long line in many pieces would cost the square of
      // its length.
      if (end < 0) rest += text;
      else {
        const lines = (rest + text.slice(0, end)).split('\n');
        rest = text.slice(end + 1);
        yield lines.filter((line) => line.trim() !== '');
      }
      if (rest.length > LONGEST) throw new Error('A line of the answer is too long.');
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
