import type { ToolDefinition, UsageReport } from '@banister/provider';
import { contextWindowOf } from '@banister/provider/internal/port/context-window';
import { contextTokens, messagesTokens, pressureOf, tokensOf } from '../conversation/context-tokens.js';
import type { RoundStarted } from '../operations/turn-operations.js';
import { openParts } from '../state/round-handlers.js';
import type { FoldState } from '../state/session-state.js';
import { namedTools } from './tool-choice.js';
import type { FeatureTurn } from './turn-parts.js';

/** The parts of a turn that determine the size of its requests. */
type MeasuredTurn = Pick<FeatureTurn, 'settings' | 'tools' | 'parts' | 'current'>;

/** Returns the size of the next request, for the fact at the start of its round. */
export function contextSize(
  turn: MeasuredTurn,
): Pick<RoundStarted, 'contextPressure'> & { contextWindow: number | undefined } {
  const contextWindow = contextWindowOf(turn.settings.provider);
  // Without a window there is no pressure, so the estimate, which takes time for a long conversation, is skipped.
  const contextPressure = contextWindow ? pressureOf(requestTokens(turn), contextWindow) : null;
  return { contextPressure, contextWindow };
}

/**
 * Returns the tokens of a request and its answer: the provider's count if there is one, otherwise an estimate. Returns undefined without a
 * count if the attempt failed, or if the model has no known context window.
 */
export function tokensAfter(
  turn: MeasuredTurn,
  usage: UsageReport | null,
  isWhole: boolean,
): number | undefined {
  const contextWindow = contextWindowOf(turn.settings.provider);
  if (usage?.inputTokens === undefined && !(isWhole && contextWindow)) return undefined;
  const input = usage?.inputTokens ?? requestTokens(turn);
  return Math.ceil(input + (usage?.outputTokens ?? tokensOf(openParts(turn.current()))));
}

/** Returns the tokens of the next request: the tokens of the last counted request, and an estimate of the later messages. */
export function requestTokens(turn: MeasuredTurn): number {
  const { conversation, compactions, fold } = turn.current();
  const { messages } = conversation;
  const counted = countedMessages(messages, fold.context.after);
  // The size after a compaction already includes the role and the tools.
  const others = compactions.length > 0 ? 0 : tokensOf(turn.settings.role) + toolsTokens(toolsOf(turn));
  return counted === 0
    ? others + contextTokens(messages, compactions)
    : fold.context.tokens + messagesTokens(messages.slice(counted).filter(({ role }) => role === 'user'));
}

/**
 * Returns how many messages the last count includes; 0 if the path to the head lacks the last counted message. The count includes the
 * answer.
 */
function countedMessages(messages: FoldState['conversation']['messages'], after: string | null): number {
  return after === null ? 0 : messages.findLastIndex(({ id }) => id === after) + 1;
}

/** Returns the tools of the next request. For structured output these are only the tools that the messages name, and the output schema. */
function toolsOf(turn: MeasuredTurn): readonly ToolDefinition[] {
  const { parts, tools, current } = turn;
  if (parts.structured === null) return tools.definitions;
  const output = { name: '', description: '', parameters: parts.structured.requested.schema };
  return [...namedTools(turn, current().conversation.messages), output];
}

/** The estimated tokens per list of tools. A session never changes such a list. */
const known = new WeakMap<readonly ToolDefinition[], number>();

function toolsTokens(tools: readonly ToolDefinition[]): number {
  const tokens = known.get(tools) ?? tokensOf(tools);
  known.set(tools, tokens);
  return tokens;
}
