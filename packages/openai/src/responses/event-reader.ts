import { AgentSessionError, type FinishReason, type ProviderEvent } from '@banister/provider';
import { errorIn, failedReason, fieldsOf, listOf, suspectedError, textIn, type Fields } from '@banister/wire';
import {
  answerError,
  reasonError,
  refusalText,
  type AnswerReader,
  type AnswerSource,
} from '../answer-reader.js';
import { readResponseUsage } from '../read-usage.js';
import { inputOf, OpenCall } from './open-call.js';
import type { OutputItem } from './output-item.js';
import { OutputItems } from './output-items.js';
import { RepeatedEvents } from './repeated-events.js';
import { storedItem } from './stored-item.js';

/** The API's reasons for an incomplete response. */
const incompleteReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content-filter'],
]);

/** Turns the events of one response into events of the port. Every field of an event may be missing or of an unexpected type. */
export class EventReader implements AnswerReader {
  rawFinishReason = '';
  hasRead = false;
  pieces = 0;
  isOver = false;

  private readonly repeated = new RepeatedEvents();
  private readonly items = new OutputItems();
  private calls = 0;
  private finishReason: FinishReason = 'unknown';
  private refused = false;
  /** The error that the server stated in an event; null if there is none. */
  private failure: unknown = null;

  constructor(private readonly source: Pick<AnswerSource, 'names' | 'server' | 'model'>) {}

  read(chunk: unknown): ProviderEvent[] {
    this.hasRead = true;
    const given = fieldsOf(chunk);
    const event = this.isAnswer(given) ? { type: 'response.completed', response: given } : given;
    if (this.isOver || this.repeated.has(event)) return [];
    const usage = readResponseUsage(event);
    const events = this.readEvent(event);
    if (events.length > 0) this.pieces++;
    return usage ? [...events, { type: 'usage', usage }] : events;
  }

  /** `[DONE]` proves nothing here: servers that send it also send the last event of the response. */
  end(): ProviderEvent[] {
    if (!this.isOver) return [];
    if (this.failure !== null) throw answerError(this.failure);
    const raw = this.rawFinishReason;
    if (this.finishReason === 'unknown' && failedReason.test(raw.toLowerCase())) throw reasonError(raw);
    const last = this.items.all.flatMap((item) => this.endUnfinished(item));
    return [...last, { type: 'finish', reason: this.reason(), raw }];
  }

  get isStated(): boolean {
    return this.isOver;
  }

  isAnswer(body: unknown): boolean {
    return Array.isArray(fieldsOf(body)['output']);
  }

  private reason(): FinishReason {
    if (this.refused) return 'refusal';
    if (this.finishReason !== 'stop') return this.finishReason;
    return this.calls > 0 ? 'tool-calls' : 'stop';
  }

  private readEvent(event: Fields): ProviderEvent[] {
    const type = textIn(event['type']);
    switch (type) {
      case 'response.created':
        return this.begin();
      case 'response.output_item.added':
        return this.addItem(event);
      case 'response.output_text.delta':
        return this.addText(event);
      case 'response.refusal.delta':
        return this.addRefusal(event);
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return this.addThinking(event);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.callOf(event).add(textIn(event['delta']));
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return this.callOf(event).complete(inputOf(event));
      case 'response.output_item.done':
        return this.endItem(event);
      case 'response.completed':
      case 'response.incomplete':
        return this.complete(type, fieldsOf(event['response']));
      case 'response.failed':
      case 'response.cancelled':
        return this.fail(fieldsOf(fieldsOf(event['response'])['error']));
      default: {
        const error = errorIn(event) ?? (/^$|error$/i.test(type) ? suspectedError(event) : undefined);
        return error === undefined ? [] : this.fail(error); // annotations, progress of the server's own tools, and unknown types
      }
    }
  }

  /**
   * A response begins. A second response in the same body does not continue the first. If items arrived
   * already, neither response can be trusted.
   */
  private begin(): ProviderEvent[] {
    if (this.items.all.length > 0) {
      throw new AgentSessionError('interrupted', 'The server began its answer anew before it was whole.');
    }
    return [];
  }

  private addItem(event: Fields): ProviderEvent[] {
    const item = this.items.described(event, 'begin');
    const isKnown = item.latest !== null;
    if (item.isDone) return [];
    item.latest = fieldsOf(event['item']);
    // The summary of the thinking may be empty, and arrives late.
    if (item.kind === 'reasoning') return isKnown ? [] : [{ type: 'thinking', delta: '' }];
    if (item.kind !== 'call') return [];
    return this.callIn(item).describe(item.latest);
  }

  private addText(event: Fields): ProviderEvent[] {
    const delta = this.items.ofPiece('message', event).text.add(textIn(event['delta']));
    return delta === '' ? [] : [{ type: 'text', delta }];
  }

  /** A refusal is shown as text, and no call of the answer runs. */
  private addRefusal(event: Fields): ProviderEvent[] {
    const delta = this.items.ofPiece('message', event).refusal.add(textIn(event['delta']));
    if (delta === '') return [];
    this.refused = true;
    return [refusalText(delta)];
  }

  private addThinking(event: Fields): ProviderEvent[] {
    const delta = this.items.ofPiece('reasoning', event).thinking.add(textIn(event['delta']));
    return delta === '' ? [] : [{ type: 'thinking', delta }];
  }

  private endItem(event: Fields): ProviderEvent[] {
    return this.completeItem(this.items.described(event, 'end'), fieldsOf(event['item']));
  }

  private completeItem(item: OutputItem, description: Fields): ProviderEvent[] {
    if (item.isDone) return this.completeEmpty(item, description);
    const isLast = this.items.all.slice(this.items.all.indexOf(item) + 1).every((later) => !later.isEmitted);
    item.isDone = true;
    item.latest = description;
    switch (item.type) {
      case 'message': {
        const events = item.completeMessage(description);
        this.refused ||= !item.refusal.isEmpty;
        // The phase of a message has to be returned with the message, and only the stored item holds it.
        return description['phase'] ? [...events, ...this.store(description)] : events;
      }
      case 'function_call':
        return this.completeCall(item, description);
      case 'custom_tool_call':
        return [...this.completeCall(item, description), ...this.store(description)];
      case 'reasoning': {
        const events = item.completeThinking(description);
        // Reasoning must come before the item that it led to. If that item was emitted already, the reasoning
        // cannot be returned.
        return isLast ? [...events, ...this.store(description)] : events;
      }
      default:
        return this.store(description);
    }
  }

  /** If a call ended without arguments, arguments that arrive later are added. */
  private completeEmpty(item: OutputItem, description: Fields): ProviderEvent[] {
    return item.call?.lacksInput ? item.call.complete(inputOf(description)) : [];
  }

  private completeCall(item: OutputItem, description: Fields): ProviderEvent[] {
    const call = this.callIn(item);
    const input = inputOf(description);
    const events = [...call.describe(description), ...(input === '' ? [] : call.complete(input))];
    return [...events, ...this.endCall(item, call)];
  }

  private endCall(item: OutputItem, call: OpenCall): ProviderEvent[] {
    call.isHeld &&= this.items.isRepetition(item);
    return call.end();
  }

  private complete(type: string, response: Fields): ProviderEvent[] {
    const failed =
      errorIn(response) ?? (['failed', 'cancelled'].includes(textIn(response['status'])) ? {} : undefined);
    if (failed !== undefined) return this.fail(failed);
    this.isOver = true;
    const reason = textIn(fieldsOf(response['incomplete_details'])['reason']);
    const incomplete = type === 'response.incomplete' || response['status'] === 'incomplete';
    this.rawFinishReason = reason || textIn(response['status']) || (incomplete ? 'incomplete' : 'completed');
    this.finishReason = incomplete ? (incompleteReasons.get(reason) ?? 'unknown') : 'stop';
    return listOf(response['output']).flatMap((one, index) => {
      const description = fieldsOf(one);
      return this.completeItem(this.items.repeated(index, description), description);
    });
  }

  private fail(error: unknown): ProviderEvent[] {
    this.isOver = true;
    this.rawFinishReason = 'failed';
    this.failure = error;
    return [];
  }

  /** The last events of an item that never ended. */
  private endUnfinished(item: OutputItem): ProviderEvent[] {
    if (item.call) return this.endCall(item, item.call);
    if (item.isDone || item.latest === null || ['message', 'reasoning', ''].includes(item.type)) return [];
    return this.store(item.latest);
  }

  private store(description: Fields): ProviderEvent[] {
    const data = storedItem(description, this.source);
    if (!data) return [];
    return [{ type: 'opaque', data }, ...this.askForApproval(description)];
  }

  /**
   * The server asks whether it may run its own tool. The question becomes a call, and the result of the call
   * goes back as the answer.
   */
  private askForApproval(item: Fields): ProviderEvent[] {
    const id = textIn(item['id']);
    if (item['type'] !== 'mcp_approval_request' || id === '') return [];
    const tool = `${textIn(item['server_label'])}.${textIn(item['name'])}`;
    const delta = inputOf(item) || '{}';
    return [{ type: 'tool-call', index: this.calls++, id, tool, hosted: true, delta }];
  }

  private callOf(event: Fields): OpenCall {
    return this.callIn(this.items.ofPiece('call', event));
  }

  private callIn(item: OutputItem): OpenCall {
    return (item.call ??= new OpenCall(this.source.names, () => this.calls++, item.isHeld));
  }
}
