import { contextTokens, messagesTokens, pressureOf, tokensOf } from '../conversation/context-tokens.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { RoundStarted } from '../operations/turn-operations.js';
import { contextWindowOf } from '../provider/context-window.js';
import type { ToolDefinition } from '../provider/provider.js';
import { openParts } from '../state/round-handlers.js';
import type { FoldState } from '../state/session-state.js';
import { namedTools } from './tool-choice.js';
import type { Turn } from './turn-context.js';

/** The parts of a turn that its size is measured by. */
export type MeasuredTurn = Pick<Turn, 'settings' | 'tools' | 'structured' | 'current'>;

/** Returns the size of the next request, for the fact with which its round begins. */
export function contextSize(
  turn: MeasuredTurn,
): Pick<RoundStarted, 'contextPressure'> & { contextWindow: number | undefined } {
  const contextWindow = contextWindowOf(turn.settings.provider);
  // The estimate of a long conversation takes time, and would be a share of nothing.
  const contextPressure = contextWindow ? pressureOf(requestTokens(turn), contextWindow) : null;
  return { contextPressure, contextWindow };
}

/**
 * Returns the tokens of a request and its answer, which has arrived: the provider's count where it has one, else an estimate; undefined
 * for an attempt that failed without a count, and where there is neither a count nor a window, of which an estimate would be a share.
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

/** Returns the tokens of the next request: those that were counted last, and an estimate of the messages since. */
export function requestTokens(turn: MeasuredTurn): number {
  const { conversation, compactions, fold } = turn.current();
  const { messages } = conversation;
  const counted = countedMessages(messages, fold.context.after);
  // The size after a compaction has the role and the tools.
  const others = compactions.length > 0 ? 0 : tokensOf(turn.settings.role) + toolsTokens(toolsOf(turn));
  return counted === 0
    ? others + contextTokens(messages, compactions)
    : fold.context.tokens + messagesTokens(messages.slice(counted).filter(({ role }) => role === 'user'));
}

/** Returns the number of messages that were in the last request; 0 where the path to the head lacks it. The answer was counted as well. */
function countedMessages(messages: FoldState['conversation']['messages'], after: string | null): number {
  return after === null ? 0 : messages.findLastIndex(({ id }) => id === after) + 1;
}

/** Returns the tools of the next request: a structured output needs those alone that the messages name, and its schema. */
function toolsOf(turn: MeasuredTurn): readonly ToolDefinition[] {
  const { structured, tools, current } = turn;
  if (structured === null) return tools.definitions;
  const output = { name: '', description: '', parameters: structured.requested.schema };
  return [...namedTools(turn, current().conversation.messages), output];
}

/** The estimates of lists of tools, which a session never changes. */
const known = new WeakMap<readonly ToolDefinition[], number>();

function toolsTokens(tools: readonly ToolDefinition[]): number {
  const tokens = known.get(tools) ?? tokensOf(tools);
  known.set(tools, tokens);
  return tokens;
}
