/**
 * The cap on tools in one request, by vendor: no price list states it, and it belongs to the API, not to the model. As of
 * November 2026, from the parameter `tools` in the vendors' API references:
 * https://platform.openai.com/docs/api-reference/chat/create,
 * https://learn.microsoft.com/azure/ai-foundry/openai/reference and https://api-docs.deepseek.com/api/create-chat-completion.
 * Anthropic documents no cap; Google's references give several numbers.
 */
const caps: ReadonlyMap<string, number> = new Map([
  ['openai', 128],
  ['azure', 128],
  ['deepseek', 128],
]);

/** The highest number of tools that a request may offer; undefined if it is not known. */
export function maxToolsOf(vendor: string): number | undefined {
  return caps.get(vendor);
}
