import {
  addUsage,
  AgentSessionError,
  isJsonObject,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
  type UsageReport,
  type WireNames,
} from '@handrail/session/provider';
import { fieldsOf, textIn, type Fields } from '@handrail/wire';
import type { Block } from './blocks/block.js';
import { OpaqueBlock } from './blocks/opaque-block.js';
import { TextBlock } from './blocks/text-block.js';
import { ThinkingBlock } from './blocks/thinking-block.js';
import { ToolUseBlock } from './blocks/tool-use-block.js';
import { toOpaque } from './opaque-data.js';
import { mergeUsage, readUsage, type UsageFields } from './read-usage.js';

/** The API's words for why an answer ended. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  // Seen only when it was not continued, or not often enough.
  ['pause_turn', 'length'],
]);

/** Characters of a server's explanation that are shown. */
const LONGEST_DETAIL = 1_000;

/** What came before a message that continues another one. */
export interface PreviousMessages {
  readonly calls: number;
  readonly usage: UsageReport | null;
}

interface Slot {
  readonly block: Block;
  open: boolean;
}

/** Turns the events of one message into those of the port. Takes events as they come: every field may be missing or odd. */
export class MessageReader {
  /** The server's own word for the end; empty until it came. */
  rawStopReason = '';
  /** What the server says about the end, in sentences; empty where it says nothing. */
  private stopDetail = '';
  /** True once anything at all came. */
  hasRead = false;
  /** True once `message_stop` came: what follows is no part of the answer. */
  hasStopped = false;
  /** Usage so far, that of the messages before included. */
  usage: UsageReport | null;
  /** How many calls there are, those of the messages before included. */
  calls: number;
  /** The container that server tools work in; empty without one. */
  container = '';

  private readonly names: WireNames;
  private readonly before: PreviousMessages;
  private id: string | undefined;
  private usageFields: UsageFields = {};
  private readonly slots = new Map<number, Slot>();
  private readonly blocks: Slot[] = [];

  constructor(names: WireNames, before: PreviousMessages = { calls: 0, usage: null }) {
    this.names = names;
    this.before = before;
    this.usage = before.usage;
    this.calls = before.calls;
  }

  /** The server wants the message back before it goes on, and nobody else has to do anything first. */
  get isPaused(): boolean {
    return (
      this.hasStopped &&
      this.rawStopReason === 'pause_turn' &&
      this.calls === this.before.calls &&
      this.content().length > 0
    );
  }

  /** The blocks of the message, exactly as they came, without what the API would not take back. */
  content(): readonly JsonObject[] {
    return this.blocks.flatMap(({ block, open }) => {
      const content = open ? null : block.toContent();
      return content === null ? [] : [content];
    });
  }

  /** The events that an event of the API causes. */
  read(event: unknown): ProviderEvent[] {
    if (this.hasStopped) return [];
    this.hasRead = true;
    const fields = fieldsOf(event);
    switch (fields['type']) {
      case 'message_start':
        return this.startMessage(fieldsOf(fields['message']));
      case 'content_block_start':
        return this.startBlock(indexIn(fields), fields['content_block']);
      case 'content_block_delta':
        return this.addDelta(indexIn(fields), fieldsOf(fields['delta']));
      case 'content_block_stop':
        return this.stopBlock(indexIn(fields));
      case 'message_delta':
        return this.readMessageDelta(fieldsOf(fields['delta']), fields['usage']);
      case 'message_stop':
        return this.stopMessage();
      case 'error':
        throw Object.assign(new Error('The server failed while it answered.'), { error: event });
      default: // ping, and what does not exist yet
        return [];
    }
  }

  /** The evidence that the answer is whole; none when it was cut. */
  end(): ProviderEvent[] {
    const raw = this.rawStopReason;
    const hasCalls = this.calls > this.before.calls;
    // Without a reason, nobody knows whether the last call is whole.
    if (!this.hasStopped || (raw === '' && hasCalls)) return [];
    const reason = raw === 'pause_turn' && hasCalls ? 'tool-calls' : (finishReasons.get(raw) ?? 'unknown');
    return [
      {
        type: 'finish',
        reason,
        ...(raw === '' ? {} : { raw }),
        ...(this.stopDetail === '' ? {} : { detail: this.stopDetail }),
      },
    ];
  }

  private startMessage(message: Fields): ProviderEvent[] {
    const id = textIn(message['id']);
    if (this.id !== undefined && this.id !== id) {
      throw new AgentSessionError('server', 'The server began a second answer in the middle of the first.', {
        details: { first: this.id, second: id },
      });
    }
    this.id = id;
    this.readContainer(message);
    return this.readUsage(message['usage']);
  }

  private startBlock(index: number, given: unknown): ProviderEvent[] {
    if (!isJsonObject(given)) return [];
    const known = this.slots.get(index);
    if (known?.open === true && isSameBlock(known.block, given)) return []; // the event came twice
    const repeated = textIn(given['id']) !== '' && this.blocks.find(({ block }) => isSameBlock(block, given));
    if (repeated) {
      this.slots.set(index, repeated); // and so did the whole block: what follows finds it closed
      return [];
    }
    const slot = { block: this.createBlock(given), open: true };
    this.slots.set(index, slot);
    this.blocks.push(slot);
    return slot.block.start();
  }

  private createBlock(given: JsonObject): Block {
    switch (given['type']) {
      case 'text':
        return new TextBlock(given);
      case 'thinking': {
        const last = this.blocks.at(-1)?.block;
        return new ThinkingBlock(given, last instanceof ThinkingBlock ? last : null);
      }
      case 'tool_use':
        return new ToolUseBlock(given, this.calls++, this.names);
      case 'fallback':
        return this.createFallback(given);
      default:
        return new OpaqueBlock(given);
    }
  }

  /** Another model takes over from one that refused. What the first one wanted to do, nobody wants any more. */
  private createFallback(given: JsonObject): Block {
    if (this.calls > this.before.calls) {
      throw new AgentSessionError('refused', 'The model refused after it had called a tool.');
    }
    return new OpaqueBlock(given);
  }

  private addDelta(index: number, delta: Fields): ProviderEvent[] {
    const slot = this.slots.get(index);
    if (slot) return slot.open ? slot.block.add(delta) : [];
    // The beginning of the block was lost. Text can do without; a call, or what is not known, cannot.
    const type = { text_delta: 'text', thinking_delta: 'thinking' }[textIn(delta['type'])];
    if (type !== undefined) return [...this.startBlock(index, { type }), ...this.addDelta(index, delta)];
    throw new AgentSessionError('server', 'The server sent the middle of a block without its beginning.');
  }

  private stopBlock(index: number): ProviderEvent[] {
    const slot = this.slots.get(index);
    if (!slot?.open) return [];
    slot.open = false;
    return slot.block.close();
  }

  private readMessageDelta(delta: Fields, usage: unknown): ProviderEvent[] {
    this.rawStopReason = textIn(delta['stop_reason']) || this.rawStopReason;
    this.stopDetail = stopDetailOf(fieldsOf(delta['stop_details'])) || this.stopDetail;
    this.readContainer(delta);
    return this.readUsage(usage);
  }

  private stopMessage(): ProviderEvent[] {
    const open = this.blocks.filter((slot) => slot.open).map(({ block }) => block);
    const reason = finishReasons.get(this.rawStopReason);
    const mayRun = reason !== 'length' && reason !== 'refusal';
    if (mayRun && open.some((block) => block instanceof ToolUseBlock && !block.isComplete)) {
      throw new AgentSessionError('interrupted', 'The server ended its answer in the middle of a tool call.');
    }
    this.hasStopped = true;
    return [...open.flatMap((block) => block.cut()), ...this.callers()];
  }

  /** Which calls a server tool made, so that they can be answered to it. */
  private callers(): ProviderEvent[] {
    return this.blocks.flatMap(({ block }): ProviderEvent[] => {
      if (!(block instanceof ToolUseBlock) || block.caller === null) return [];
      const data = toOpaque({
        kind: 'caller',
        callId: block.id,
        caller: block.caller,
        container: this.container,
      });
      return data === null ? [] : [{ type: 'opaque', data }];
    });
  }

  private readContainer(fields: Fields): void {
    this.container = textIn(fieldsOf(fields['container'])['id']) || this.container;
  }

  private readUsage(stated: unknown): ProviderEvent[] {
    this.usageFields = mergeUsage(this.usageFields, stated);
    const usage = readUsage(this.usageFields);
    if (usage === null) return [];
    this.usage = addUsage(this.before.usage, usage);
    return this.usage === null ? [] : [{ type: 'usage', usage: this.usage }];
  }
}

/** Why a model refused: the server's explanation, or the name of the policy where it gives no other. */
function stopDetailOf({ explanation, category }: Fields): string {
  const said = textIn(explanation).slice(0, LONGEST_DETAIL);
  if (said !== '') return said;
  const policy = textIn(category).slice(0, LONGEST_DETAIL);
  return policy === '' ? '' : `Policy: ${policy}.`;
}

function indexIn(fields: Fields): number {
  const { index } = fields;
  return typeof index === 'number' ? index : -1;
}

/** Whether an event begins a block that has begun already: ids tell, and where there is none, the kind at the same place. */
function isSameBlock(block: Block, given: JsonObject): boolean {
  switch (given['type']) {
    case 'text':
      return block instanceof TextBlock;
    case 'thinking':
      return block instanceof ThinkingBlock;
    case 'tool_use':
      return block instanceof ToolUseBlock && block.id === given['id'];
    default:
      return block instanceof OpaqueBlock && block.isOf(given);
  }
}
