import {
  isJsonObject,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
  type UsageReport,
} from '@banister/provider';
import { errorIn, failedReason, fieldsOf, listOf, suspectedError, textIn, type Fields } from '@banister/wire';
import {
  answerError,
  reasonError,
  refusalText,
  type AnswerReader,
  type AnswerSource,
} from '../answer-reader.js';
import { laterUsage, readChatUsage } from '../read-usage.js';
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

/** Finish reasons of servers whose content filter stopped the answer. */
const filtered =
  /^content.?filter|^(?:image_)?safety$|^recitation$|^blocklist$|^prohibited_content$|^spii$|^sensitive$/;

/** Turns the chunks of one answer into events. Every field of a chunk may be missing or of an unexpected type. */
export class ChunkReader implements AnswerReader {
  rawFinishReason = '';
  hasRead = false;
  pieces = 0;
  /**
   * True only after an error, because some servers send a finish reason with every chunk, and token counts
   * after the last reason.
   */
  isOver = false;

  private readonly server: string;
  private readonly toolCalls: ToolCallAssembler;
  private readonly details = new ReasoningDetails();
  /** Fields that go back to the server with the message. */
  private returned: JsonObject = {};
  private reasoningField: ReturnedData['reasoning'];
  private refused = false;
  private usage: UsageReport | null = null;
  /** The text so far. It is kept because some servers send all of it again. */
  private text = '';
  private hasCalls = false;
  /** Whether a chunk held a complete answer. */
  private isWhole = false;
  /** A chunk that holds words but no answer. It is an error if no answer follows. */
  private suspected: unknown;
  /** The error that the server stated in a chunk; null if there is none. */
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
    // If `extraBody` requests several answers, the first answer counts.
    const choice = fieldsOf(listOf(fields['choices']).find((one) => (fieldsOf(one)['index'] ?? 0) === 0));
    // Some servers also send a cumulative `message`, which would repeat the text.
    const delta = deltaOf(choice);
    const isMessage = delta === choice['message'];
    this.isWhole ||= isMessage && textIn(fields['object']) === 'chat.completion';
    this.rawFinishReason ||= textIn(choice['finish_reason']);
    const events: ProviderEvent[] = [];
    const usedBefore = this.usage;
    if (!isMessage || this.text === '') this.readThinking(delta, events);
    this.returned = collectReturned(this.returned, withoutThoughts(delta));
    this.readContent(delta, isMessage, events);
    this.readRefusal(delta['refusal'], events);
    const given = callsIn(delta['tool_calls']);
    const calls = given.length > 0 ? given : legacyCallIn(delta['function_call']);
    if (!isMessage || !this.hasCalls) for (const piece of calls) events.push(...this.toolCalls.add(piece));
    this.hasCalls ||= calls.length > 0 && !isMessage;
    if (events.length > 0 || (calls.length > 0 && !isMessage)) {
      this.pieces++;
      this.suspected = undefined;
    }
    this.usage = laterUsage(this.usage, readChatUsage(fields, choice, delta));
    if (this.usage && this.usage !== usedBefore) events.push({ type: 'usage', usage: this.usage });
    const error = errorIn(fields) ?? errorIn(choice) ?? errorIn(delta);
    if (error !== undefined) this.fail(error);
    else if (Object.keys(choice).length === 0) this.suspected ??= suspectedError(fields);
    return events;
  }

  get isStated(): boolean {
    return this.rawFinishReason !== '';
  }

  isAnswer(body: unknown): boolean {
    return listOf(fieldsOf(body)['choices']).length > 0;
  }

  /**
   * Returns the last events. If neither a finish reason nor `[DONE]` arrived, the answer was cut, and there
   * is no `finish` among them. `read` emits no `finish`, because some servers send a reason with every chunk,
   * or more text after it.
   */
  end(done: boolean): ProviderEvent[] {
    if (this.failure !== null) throw answerError(this.failure);
    const raw = this.rawFinishReason;
    const name = raw.toLowerCase();
    if (raw === '' && this.suspected !== undefined) throw answerError(this.suspected);
    const isFiltered = filtered.test(name);
    if (!finishReasons.has(name) && !isFiltered && failedReason.test(name)) throw reasonError(raw);
    const calls = this.toolCalls.end();
    const data = toOpaque(this.returnedData(), this.server);
    const reason = this.refused
      ? 'refusal'
      : isFiltered
        ? 'content-filter'
        : (finishReasons.get(name) ?? 'unknown');
    return [
      ...calls,
      ...(data ? [{ type: 'opaque', data } as const] : []),
      ...(raw !== '' ? [{ type: 'finish', reason, raw } as const] : []),
      ...(raw === '' && (done || this.isWhole) ? [{ type: 'finish', reason } as const] : []),
    ];
  }

  private fail(error: unknown): void {
    this.isOver = true;
    this.failure = error;
  }

  /** Reads the text of a piece. If a message repeats the text so far, only the rest counts. */
  private readContent(delta: Fields, isMessage: boolean, events: ProviderEvent[]): void {
    const content: ProviderEvent[] = [];
    readContent(delta['content'], isThought(delta) ? addThinking : addText, content);
    if (content.length === 0) addText(textIn(fieldsOf(delta['audio'])['transcript']), content);
    const text = content.reduce((joined, one) => (one.type === 'text' ? joined + one.delta : joined), '');
    if (!isMessage || this.text === '') events.push(...content);
    else if (text.startsWith(this.text)) addText(text.slice(this.text.length), events);
    if (!isMessage || this.text === '') this.text += text;
    else if (text.startsWith(this.text)) this.text = text;
  }

  /**
   * Servers send thinking in three fields. A server that fills two of them repeats the same text, so the
   * first field counts.
   */
  private readThinking(delta: Fields, events: ProviderEvent[]): void {
    const pieces = delta['reasoning_details'];
    this.details.add(pieces);
    const field = reasoningFields.find((name) => textIn(delta[name]) !== '');
    this.reasoningField ??= field;
    addThinking(field ? textIn(delta[field]) : reasoningTextOf(pieces), events);
  }

  /** Returns the data that the server wants back. OpenAI sends no plain reasoning and refuses the field. */
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

/**
 * Returns true if Gemini marks the piece of text as a thought. The mark is beside the data that goes back.
 */
function isThought(delta: Fields): boolean {
  return fieldsOf(fieldsOf(delta['extra_content'])['google'])['thought'] === true;
}

function withoutThoughts(delta: Fields): Fields {
  return isThought(delta) ? {} : delta;
}

/** Returns the piece in a choice. Some servers send a whole message or plain text instead. */
function deltaOf(choice: Fields): Fields {
  const { delta, message, text } = choice;
  if (Object.keys(fieldsOf(delta)).length > 0) return fieldsOf(delta);
  if (Object.keys(fieldsOf(message)).length > 0) return fieldsOf(message);
  return textIn(text) === '' ? {} : { content: text };
}

/**
 * Returns the pieces of calls: from a list, from one object, or from an object with one piece for each index.
 */
function callsIn(calls: unknown): readonly unknown[] {
  if (!isJsonObject(calls)) return listOf(calls);
  return calls['function'] || calls['name'] ? [calls] : Object.values(calls);
}

/** Returns the piece of a call in the field that the API had before `tool_calls`. */
function legacyCallIn(call: unknown): readonly unknown[] {
  return isJsonObject(call) ? [{ function: call }] : [];
}

/** `content` is text or a list of parts. */
function readContent(content: unknown, add: typeof addText, events: ProviderEvent[]): void {
  if (typeof content === 'string') add(content, events);
  else
    for (const part of isJsonObject(content) ? [content] : listOf(content))
      readContentPart(fieldsOf(part), events);
}

function readContentPart(part: Fields, events: ProviderEvent[]): void {
  switch (part['type']) {
    case 'text':
    case 'output_text':
    case undefined:
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
