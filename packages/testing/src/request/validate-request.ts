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
 * The problems for which a real server would refuse the body of a request, each with the place where it stands; empty when it would
 * refuse nothing. As strict as the strictest of those that speak the API: calls without results, results without calls,
 * reasoning torn from what it led to, unsigned thinking, empty texts, ids and names that are refused, images that are
 * none, marks and budgets out of bounds. It does not check facts that only the server can know: whether a signature is genuine,
 * whether a model exists, how long the context may be.
 *
 * Beside {@link validateHistory}, which checks a conversation before an adapter has made a request of it.
 *
 * @param body the parsed JSON of the body
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
 * Throws when a real server would refuse the request; the message has the reasons.
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
