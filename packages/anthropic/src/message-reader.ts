import {
  addUsage,
  AgentSessionError,
  isJsonObject,
  sentence,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
  type UsageReport,
  type WireNames,
} from '@banister/provider';
import {
  failedReason,
  fieldsOf,
  indexOf,
  listOf,
  textIn,
  type AnswerProgress,
  type Fields,
} from '@banister/wire';
import type { Block } from './blocks/block.js';
import { OpaqueBlock } from './blocks/opaque-block.js';
import { TextBlock } from './blocks/text-block.js';
import { ThinkingBlock } from './blocks/thinking-block.js';
import { ToolUseBlock } from './blocks/tool-use-block.js';
import { toOpaque } from './opaque-data.js';
import { mergeUsage, readUsage, type UsageFields } from './read-usage.js';

/** The finish reasons for the API's stop reasons. */
const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  // This is the final stop reason only after the last allowed continuation.
  ['pause_turn', 'length'],
]);

/** Characters of a server's explanation that are kept. */
const LONGEST_DETAIL = 1_000;

/** Totals of the messages that this message continues. */
export interface PreviousMessages {
  readonly calls: number;
  readonly usage: UsageReport | null;
}

interface Slot {
  readonly block: Block;
  open: boolean;
}

/** Turns the events of one message into events of the port. Every field may be missing or of an unexpected type. */
export class MessageReader implements AnswerProgress {
  /** The server's stop reason; empty until it arrives. */
  rawStopReason = '';
  /** The server's explanation of the stop reason; empty if there is none. */
  private stopDetail = '';
  /** True once any event arrived. */
  hasRead = false;
  /** True once `message_stop` arrived. */
  isOver = false;
  pieces = 0;
  /** Usage so far, including the continued messages. */
  usage: UsageReport | null;
  /** Number of calls, including the continued messages. */
  calls: number;
  /** The id of the container of server tools; empty if there is none. */
  container = '';

  private readonly names: WireNames;
  private readonly before: PreviousMessages;
  private id: string | undefined;
  private usageFields: UsageFields = {};
  private readonly slots = new Map<number, Slot>();
  private readonly blocks: Slot[] = [];

  /** @param isOwn whether the server is Anthropic's, which refuses reasoning without its signature */
  constructor(
    names: WireNames,
    before: PreviousMessages = { calls: 0, usage: null },
    private readonly isOwn = false,
  ) {
    this.names = names;
    this.before = before;
    this.usage = before.usage;
    this.calls = before.calls;
  }

  get isStated(): boolean {
    return this.rawStopReason !== '';
  }

  /** True if the server waits until this message is sent back, and no call of the session is open. */
  get isPaused(): boolean {
    return (
      this.isOver &&
      this.rawStopReason === 'pause_turn' &&
      this.calls === this.before.calls &&
      this.content().length > 0
    );
  }

  /** Returns the blocks of the message unchanged, except blocks that the API would refuse. */
  content(): readonly JsonObject[] {
    return this.blocks.flatMap(({ block, open }) => {
      const isRepetition = block instanceof ToolUseBlock && block.isHeld;
      const content = open || isRepetition ? null : block.toContent();
      return content === null ? [] : [content];
    });
  }

  /** Returns the events that an event of the API causes. */
  read(event: unknown): ProviderEvent[] {
    if (this.isOver) return [];
    this.hasRead = true;
    const fields = fieldsOf(event);
    switch (fields['type']) {
      case 'message':
        return this.readWhole(fields);
      case 'message_start':
        return this.startMessage(fieldsOf(fields['message']));
      case 'content_block_start':
        this.pieces++;
        return this.startBlock(indexIn(fields), fields['content_block']);
      case 'content_block_delta':
        this.pieces++;
        return this.addDelta(indexIn(fields), fieldsOf(fields['delta']));
      case 'content_block_stop':
        return this.stopBlock(indexIn(fields));
      case 'message_delta':
        return this.readMessageDelta(fieldsOf(fields['delta']), fields['usage']);
      case 'message_stop':
        return [...this.readUsage(fields['usage']), ...this.stopMessage()];
      case 'error':
        throw Object.assign(new Error('The server failed while it answered.'), { error: event });
      default: // Pings and unknown types are ignored.
        return [];
    }
  }

  /**
   * Returns the event `finish`; an empty list if the answer was cut. Throws `server` for a stop reason that
   * names a failure.
   */
  end(): ProviderEvent[] {
    const raw = this.rawStopReason;
    if (this.isOver && !finishReasons.has(raw) && failedReason.test(raw.toLowerCase())) {
      throw new AgentSessionError(
        'server',
        `The server failed while it answered: it ended with the reason "${raw.slice(0, 100)}".`,
        {
          details: { stopReason: raw },
        },
      );
    }
    const hasCalls = this.calls > this.before.calls;
    // Without a stop reason, the last call may be cut.
    if (!this.isOver || (raw === '' && hasCalls)) return [];
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

  /** Reads a complete message from a server that does not stream. */
  private readWhole(message: Fields): ProviderEvent[] {
    const blocks = listOf(message['content']).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]);
    const events = [
      { type: 'message_start', message },
      ...blocks,
      { type: 'message_delta', delta: message },
      { type: 'message_stop' },
    ];
    return events.flatMap((event) => this.read(event));
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
    if (known?.open === true && isSameBlock(known.block, given)) return []; // The event was sent twice.
    const repeated = textIn(given['id']) !== '' && this.blocks.find(({ block }) => isSameBlock(block, given));
    if (repeated && !mayBeAnother(repeated)) {
      // The block was sent twice. Its later events find it closed, unless it has no arguments yet.
      this.slots.set(index, repeated);
      if (repeated.block instanceof ToolUseBlock && repeated.block.lacksInput) {
        repeated.open = true;
        repeated.block.describe(given);
      }
      return [];
    }
    const slot = { block: this.createBlock(given, Boolean(repeated)), open: true };
    this.slots.set(index, slot);
    this.blocks.push(slot);
    return slot.block.start();
  }

  /** @param isHeld whether the block may repeat another block */
  private createBlock(given: JsonObject, isHeld: boolean): Block {
    switch (given['type']) {
      case 'text':
        return new TextBlock(given);
      case 'thinking': {
        const last = this.blocks.at(-1)?.block;
        return new ThinkingBlock(given, last instanceof ThinkingBlock ? last : null);
      }
      case 'tool_use':
        return new ToolUseBlock(given, () => this.calls++, this.names, isHeld);
      case 'fallback':
        return this.createFallback(given);
      default:
        return new OpaqueBlock(given);
    }
  }

  /** The model refused and another model takes over. Calls of the first model must not run. */
  private createFallback(given: JsonObject): Block {
    if (this.calls > this.before.calls) {
      throw new AgentSessionError('refused', 'The model refused after it had called a tool.');
    }
    return new OpaqueBlock(given);
  }

  private addDelta(index: number, delta: Fields): ProviderEvent[] {
    const slot = this.slotOf(index, delta);
    if (slot) return slot.open ? slot.block.add(delta) : [];
    // The beginning of the block is missing. Text can be read without it; calls and unknown blocks cannot.
    const type = { text_delta: 'text', thinking_delta: 'thinking' }[textIn(delta['type'])];
    if (type !== undefined) return [...this.startBlock(index, { type }), ...this.addDelta(index, delta)];
    throw new AgentSessionError('server', 'The server sent the middle of a block without its beginning.');
  }

  /**
   * Returns the block to which a piece belongs: the block at the piece's index; or another block if that
   * block has another type, or if the piece begins at its own index.
   */
  private slotOf(index: number, delta: Fields): Slot | undefined {
    const slot = this.slots.get(index);
    const kind = kindOfDelta(delta);
    if (kind === null || slot?.block instanceof kind || slot?.block instanceof OpaqueBlock) return slot;
    const open = this.blocks.filter((one) => one.open && one.block instanceof kind);
    const isOnly = open.length === 1 && (slot !== undefined || kind === ToolUseBlock);
    return isOnly ? open[0] : undefined;
  }

  private stopBlock(index: number): ProviderEvent[] {
    const slot = this.slots.get(index);
    if (!slot?.open) return [];
    slot.open = false;
    return slot.block instanceof ToolUseBlock && slot.block.isHeld
      ? this.settleHeld(slot.block)
      : slot.block.close();
  }

  /**
   * Some servers give all calls the same id. A call with other arguments is a different call; a call with the
   * same arguments is a repetition.
   */
  private settleHeld(held: ToolUseBlock): ProviderEvent[] {
    const isKnown = this.blocks.some(
      ({ block }) => block !== held && block instanceof ToolUseBlock && !block.isHeld && block.equals(held),
    );
    return isKnown || held.lacksInput ? [] : held.release();
  }

  private readMessageDelta(delta: Fields, usage: unknown): ProviderEvent[] {
    this.rawStopReason = textIn(delta['stop_reason']) || this.rawStopReason;
    this.stopDetail = stopDetailOf(fieldsOf(delta['stop_details'])) || this.stopDetail;
    this.readContainer(delta);
    return this.readUsage(usage ?? delta['usage']);
  }

  private stopMessage(): ProviderEvent[] {
    const open = this.blocks.filter((slot) => slot.open).map(({ block }) => block);
    const reason = finishReasons.get(this.rawStopReason);
    const mayRun = reason !== 'length' && reason !== 'refusal';
    if (mayRun && open.some((block) => block instanceof ToolUseBlock && !block.isComplete)) {
      throw new AgentSessionError('interrupted', 'The server ended its answer in the middle of a tool call.');
    }
    this.isOver = true;
    const last = open.flatMap((block) =>
      block instanceof ToolUseBlock && block.isHeld ? this.settleHeld(block) : block.cut(),
    );
    return [...last, ...this.callers(), ...this.unsigned()];
  }

  /**
   * Returns the server tools that made calls of the session, so that the results can go back to these tools.
   */
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

  /**
   * Returns the note that reasoning without a signature goes back to this server, beside the calls that it
   * led to.
   */
  private unsigned(): ProviderEvent[] {
    const isUnsigned = this.blocks.some(({ block }) => block instanceof ThinkingBlock && block.isUnsigned());
    if (this.isOwn || !isUnsigned || this.calls === this.before.calls) return [];
    return [{ type: 'opaque', data: toOpaque({ kind: 'unsigned' }) }];
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

/** Returns the server's explanation of a refusal, or else the name of the policy. */
function stopDetailOf({ explanation, category }: Fields): string {
  const said = textIn(explanation).slice(0, LONGEST_DETAIL);
  if (said !== '') return said;
  const policy = textIn(category).slice(0, LONGEST_DETAIL);
  return policy === '' ? '' : sentence(`Policy: ${policy}`);
}

/**
 * Returns whether another block may have the id of this block, because some servers give all calls the same
 * id.
 */
function mayBeAnother({ block, open }: Slot): boolean {
  return block instanceof ToolUseBlock && !open && !block.lacksInput;
}

/** Returns the kind of block to which a piece belongs; null for a piece of an unknown type. */
function kindOfDelta(delta: Fields) {
  switch (delta['type']) {
    case 'text_delta':
    case 'citations_delta':
      return TextBlock;
    case 'thinking_delta':
    case 'signature_delta':
      return ThinkingBlock;
    case 'input_json_delta':
      return ToolUseBlock;
    default:
      return null;
  }
}

function indexIn(fields: Fields): number {
  return indexOf(fields['index']) ?? -1;
}

/**
 * Returns whether an event begins a block that has already begun. Compares the ids, or without ids the types
 * at the same index.
 */
function isSameBlock(block: Block, given: JsonObject): boolean {
  switch (given['type']) {
    case 'text':
      return block instanceof TextBlock;
    case 'thinking':
      return block instanceof ThinkingBlock;
    case 'tool_use':
      return block instanceof ToolUseBlock && block.isNamedBy(given);
    default:
      return block instanceof OpaqueBlock && block.isOf(given);
  }
}
