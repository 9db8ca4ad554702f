/** What a server says of itself that went wrong while it answered, in the shape in which the client throws a refusal. */
export function answerError(error: unknown): Error {
  return Object.assign(new Error('The server failed while it answered.'), { error });
}
