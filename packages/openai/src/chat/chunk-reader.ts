import {
  AgentSessionError,
  type ErrorCode,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
} from '@banister/session/provider';
import { fieldsOf, listOf, textIn, type Fields } from '@banister/wire';
import { answerError, refusalText, type AnswerReader, type AnswerSource } from '../answer-reader.js';
import { readChatUsage } from '../read-usage.js';
import { ReasoningDetails, reasoningTextOf } from './reasoning-details.js';
import { collectReturned, reasoningFields, toOpaque, type ReturnedData } from './returned-data.js';
import { ToolCallAssembler } from './tool-call-assembler.js';

/** The finish reasons of the API and of servers that imitate it. */
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

/** Finish reasons that mean a failure. */
const failures: ReadonlyMap<string, { readonly code: ErrorCode; readonly message: string }> = new Map([
  ['error', { code: 'server', message: 'The server failed while it answered.' }],
  ['insufficient_system_resource', { code: 'overloaded', message: 'The model is overloaded at the moment.' }],
]);

/** Turns the chunks of one answer into events. Every field of a chunk may be missing or of an unexpected type. */
export class ChunkReader implements AnswerReader {
  rawFinishReason = '';
  hasRead = false;
  /** Set by an error only: some servers send a finish reason with every chunk, and token counts after the last one. */
  isOver = false;

  private readonly server: string;
  private readonly toolCalls: ToolCallAssembler;
  private readonly details = new ReasoningDetails();
  /** Fields that go back to the server with the message. */
  private returned: JsonObject = {};
  private reasoningField: ReturnedData['reasoning'];
  private refused = false;
  /** The error that the server stated in a chunk; null without one. */
  private failure: unknown = null;

  constructor(source: Omit<AnswerSource, 'model'>) {
    this.server = source.server;
    this.toolCalls = new ToolCallAssembler(source.names, source.offered);
  }

  /** The events that a chunk causes: thinking, then text, then calls. */
  read(chunk: unknown): ProviderEvent[] {
    this.hasRead = true;
    if (this.isOver) return [];
    const fields = fieldsOf(chunk);
    // When `extraBody` requests several answers, the first one counts.
    const choice = fieldsOf(listOf(fields['choices']).find((one) => (fieldsOf(one)['index'] ?? 0) === 0));
    // Some servers also send a cumulative `message`, which would repeat the text.
    const delta = fieldsOf(choice['delta']);
    this.rawFinishReason ||= textIn(choice['finish_reason']);
    const events: ProviderEvent[] = [];
    this.readThinking(delta, events);
    this.returned = collectReturned(this.returned, withoutThoughts(delta));
    readContent(delta['content'], isThought(delta) ? addThinking : addText, events);
    this.readRefusal(delta['refusal'], events);
    for (const piece of listOf(delta['tool_calls'])) events.push(...this.toolCalls.add(piece));
    const usage = readChatUsage(fields);
    if (usage) events.push({ type: 'usage', usage });
    if (fields['error']) this.fail(fields['error']);
    return events;
  }

  /**
   * The last events. Without a finish reason and without `[DONE]` there is no `finish` among them: the answer was cut.
   * `read` emits no `finish`, since some servers send a reason with every chunk, or more text after it.
   */
  end(done: boolean): ProviderEvent[] {
    if (this.failure !== null) throw answerError(this.failure);
    const raw = this.rawFinishReason;
    const failure = failures.get(raw);
    if (failure)
      throw new AgentSessionError(failure.code, failure.message, { details: { finishReason: raw } });
    const calls = this.toolCalls.end();
    const data = toOpaque(this.returnedData(), this.server);
    const reason = this.refused ? 'refusal' : (finishReasons.get(raw) ?? 'unknown');
    return [
      ...calls,
      ...(data ? [{ type: 'opaque', data } as const] : []),
      ...(raw !== '' ? [{ type: 'finish', reason, raw } as const] : []),
      ...(raw === '' && done ? [{ type: 'finish', reason } as const] : []),
    ];
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.failure = error;
  }

  /** Thinking has three fields. A server that fills two of them repeats the same text, so that the first one counts. */
  private readThinking(delta: Fields, events: ProviderEvent[]): void {
    const pieces = delta['reasoning_details'];
    this.details.add(pieces);
    const field = reasoningFields.find((name) => textIn(delta[name]) !== '');
    this.reasoningField ??= field;
    addThinking(field ? textIn(delta[field]) : reasoningTextOf(pieces), events);
  }

  /** The data that the server wants back. OpenAI sends no plain reasoning, and refuses the field. */
  private returnedData(): ReturnedData {
    const reasoningDetails = this.details.whole();
    const { reasoningField: reasoning } = this;
    const calls = this.toolCalls.returned;
    const isWanted = calls.length > 0 && reasoningDetails === undefined && !isOfOpenAI(this.server);
    return {
      ...(reasoningDetails === undefined ? {} : { reasoningDetails }),
      ...(reasoning && isWanted ? { reasoning } : {}),
      message: this.returned,
      calls,
    };
  }

  /** A refusal is shown as text, and no call of the answer runs. */
  private readRefusal(refusal: unknown, events: ProviderEvent[]): void {
    const words = textIn(refusal);
    this.refused ||= words !== '';
    if (words !== '') events.push(refusalText(words));
  }
}

function isOfOpenAI(server: string): boolean {
  return URL.canParse(server) && /(?:^|\.)openai\.com$/.test(new URL(server).hostname);
}

/** Gemini marks a piece of text that is a thought, beside the data that go back. */
function isThought(delta: Fields): boolean {
  return fieldsOf(fieldsOf(delta['extra_content'])['google'])['thought'] === true;
}

function withoutThoughts(delta: Fields): Fields {
  return isThought(delta) ? {} : delta;
}

/** `content` is text or a list of parts. */
function readContent(content: unknown, add: typeof addText, events: ProviderEvent[]): void {
  if (typeof content === 'string') add(content, events);
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
    default: // references, audio and other parts without text
  }
}

function addText(delta: string, events: ProviderEvent[]): void {
  if (delta !== '') events.push({ type: 'text', delta });
}

function addThinking(delta: string, events: ProviderEvent[]): void {
  if (delta !== '') events.push({ type: 'thinking', delta });
}
