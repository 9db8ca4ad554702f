import {
  AgentSessionError,
  type ErrorCode,
  type FinishReason,
  type ProviderEvent,
} from '@handrail/session/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@handrail/wire';
import { answerError, refusalText, type AnswerReader, type AnswerSource } from '../answer-reader.js';
import { readChatUsage } from '../read-usage.js';
import { ReasoningDetails, reasoningTextOf } from './reasoning-details.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

/** The API's words for why an answer ended, and the words of those who imitate it. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
  ['refusal', 'refusal'],
]);

/** Words that call a failure an end. */
const failures: ReadonlyMap<string, { readonly code: ErrorCode; readonly message: string }> = new Map([
  ['error', { code: 'server', message: 'The server failed while it answered.' }],
  ['insufficient_system_resource', { code: 'overloaded', message: 'The model is overloaded at the moment.' }],
]);

/** Turns the chunks of one answer into events. Takes chunks as they come: every field may be missing or odd. */
export class ChunkReader implements AnswerReader {
  rawFinishReason = '';
  hasRead = false;
  /** Only by an error: there are servers that send a reason with every chunk, and token counts after the last one. */
  isOver = false;

  private readonly server: string;
  private readonly toolCalls: ToolCallAssembler;
  private readonly details = new ReasoningDetails();
  private refused = false;
  /** The server's own account of what went wrong; null while nothing has. */
  private failure: unknown = null;

  constructor(source: Omit<AnswerSource, 'model'>) {
    this.server = source.server;
    this.toolCalls = new ToolCallAssembler(source.names, source.offered);
  }

  /** The events that a chunk causes, in the order in which a model thinks, speaks and acts. */
  read(chunk: unknown): ProviderEvent[] {
    this.hasRead = true;
    if (this.isOver) return [];
    const fields = fieldsOf(chunk);
    // Where several answers were asked for, the first one is the answer.
    const choice = fieldsOf(listOf(fields['choices']).find((one) => (fieldsOf(one)['index'] ?? 0) === 0));
    // A cumulative `message` may stand beside it, and would double everything.
    const delta = fieldsOf(choice['delta']);
    this.rawFinishReason ||= textIn(choice['finish_reason']);
    const events: ProviderEvent[] = [];
    this.readThinking(delta, events);
    readContent(delta['content'], events);
    this.readRefusal(delta['refusal'], events);
    for (const piece of listOf(delta['tool_calls'])) events.push(...this.toolCalls.add(piece));
    const usage = readChatUsage(fields);
    if (usage) events.push({ type: 'usage', usage });
    if (fields['error']) this.fail(fields['error']);
    return events;
  }

  /**
   * The last events. Without a finish reason and without `[DONE]` there is no `finish` among them: the answer was cut.
   * It comes only now, since there are servers that send a reason with every chunk, or more text after it.
   */
  end(done: boolean): ProviderEvent[] {
    if (this.failure !== null) throw answerError(this.failure);
    const raw = this.rawFinishReason;
    const failure = failures.get(raw);
    if (failure)
      throw new AgentSessionError(failure.code, failure.message, { details: { finishReason: raw } });
    const details = this.details.toOpaque(this.server);
    const reason = this.refused ? 'refusal' : (finishReasons.get(raw) ?? 'unknown');
    return [
      ...this.toolCalls.end(),
      ...(details ? [{ type: 'opaque', data: details } as const] : []),
      ...(raw !== '' ? [{ type: 'finish', reason, raw } as const] : []),
      ...(raw === '' && done ? [{ type: 'finish', reason } as const] : []),
    ];
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.failure = error;
  }

  /** One channel for what has many names; a server that uses two of them says the same twice. */
  private readThinking(delta: Fields, events: ProviderEvent[]): void {
    const pieces = delta['reasoning_details'];
    this.details.add(pieces);
    const thought =
      textIn(delta['reasoning_content']) || textIn(delta['reasoning']) || reasoningTextOf(pieces);
    addThinking(thought, events);
  }

  /** The user is to read it, and nothing may run after it. */
  private readRefusal(refusal: unknown, events: ProviderEvent[]): void {
    const words = textIn(refusal);
    this.refused ||= words !== '';
    if (words !== '') events.push(refusalText(words));
  }
}

/** Text, or a list of parts. */
function readContent(content: unknown, events: ProviderEvent[]): void {
  if (typeof content === 'string') addText(content, events);
  else for (const part of listOf(content)) readContentPart(fieldsOf(part), events);
}

function readContentPart(part: Fields, events: ProviderEvent[]): void {
  switch (part['type']) {
    case 'text':
      return addText(textIn(part['text']), events);
    case 'thinking': {
      const pieces = listOf(part['thinking']).map((piece) => textIn(fieldsOf(piece)['text']));
      return addThinking(textIn(part['thinking']) || pieces.join(''), events);
    }
    default: // references, audio and the like: nothing of it is text
  }
}

function addText(delta: string, events: ProviderEvent[]): void {
  if (delta !== '') events.push({ type: 'text', delta });
}

function addThinking(delta: string, events: ProviderEvent[]): void {
  if (delta !== '') events.push({ type: 'thinking', delta });
}
