import { chatProblems } from './chat-problems.js';
import { messagesProblems } from './messages-problems.js';
import { fieldsOf, type Fields, type Say } from './request-fields.js';
import { responsesProblems } from './responses-problems.js';

/** The APIs whose requests can be checked. */
export type RequestApi = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

const problemsOf: { readonly [A in RequestApi]: (body: Fields, say: Say) => void } = {
  'openai-chat': chatProblems,
  'openai-responses': responsesProblems,
  'anthropic-messages': messagesProblems,
};

/**
 * Returns the reasons why a real server would refuse the body of a request, each with its place; empty if the server would accept it. As
 * strict as the strictest server of the API: it reports calls without results, results without calls, reasoning without the item that it
 * led to, unsigned thinking, empty texts, invalid ids, names and images, and marks and budgets out of bounds. It does not check what only
 * the server can know: whether a signature is genuine, whether a model exists, how long the context may be.
 *
 * {@link validateHistory} checks a conversation; this function checks the request that an adapter makes of it.
 *
 * @param body the parsed JSON body
 * @example
 * const problems = validateRequest('openai-chat', {
 *   model: 'gpt-5-mini',
 *   messages: [{ role: 'tool', tool_call_id: 'call_1', content: 'Done.' }],
 * });
 * console.log(problems[0]); // messages[0]: there is no call "call_1" before it
 */
export function validateRequest(api: RequestApi, body: unknown): readonly string[] {
  const problems: string[] = [];
  problemsOf[api](fieldsOf(body), (place, problem) => problems.push(`${place}: ${problem}`));
  return problems;
}

/**
 * Throws if a real server would refuse the request. The message contains the reasons.
 *
 * @example
 * const fetch: typeof globalThis.fetch = async (input, init) => {
 *   assertValidRequest('anthropic-messages', JSON.parse(String(init?.body)));
 *   return globalThis.fetch(input, init);
 * };
 */
export function assertValidRequest(api: RequestApi, body: unknown): void {
  const problems = validateRequest(api, body);
  if (problems.length === 0) return;
  throw new Error(
    [
      `No server accepts this request of ${api}:`,
      ...problems.map((one) => `- ${one}`),
      JSON.stringify(body),
    ].join('\n'),
  );
}
