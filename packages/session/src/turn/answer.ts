import type {
  ModelIdentity,
  Provider,
  ProviderEvent,
  ProviderRequest,
  ThinkingPart,
  UsageReport,
} from '@banister/provider';
import {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { sameUsage } from '@banister/provider/internal/messages/usage-amounts';
import { addUsage } from '@banister/provider/internal/messages/usage-report';
import { identityOf } from '@banister/provider/internal/port/identity-of';
import { finishReasons } from '@banister/provider/internal/port/provider-event';
import { Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import type { ToolCallPartial } from '../operations/tool-operations.js';
import { InnerCalls, type InnerCall, type InnerCallTurn } from './inner-calls.js';
import { checkLength, checkUsage, opaqueData, textOf, violation } from './provider-contract.js';
import { providerOf } from './members.js';
import type { Round, Turn } from './turn-context.js';

interface OpenCall {
  /** 0-based position among the calls of the round. */
  readonly position: number;
  readonly callId: string;
  readonly providerCallId: string | undefined;
  readonly tool: string;
  argumentsText: string;
}

type AnsweredTurn = InnerCallTurn & Pick<Turn, 'sink' | 'spending' | 'settings' | 'ports' | 'structured'>;
type Finish = Omit<Extract<ProviderEvent, { type: 'finish' }>, 'type'>;

/** Reads one answer of the provider: checks each event against the contract of a provider, and emits its fact. */
export class Answer {
  /** Whether a piece of the answer was shown to the user. Then the request is not sent again. */
  visible = false;
  private readonly calls: OpenCall[] = [];
  /** The number of calls that the model has made inside the answer. */
  private innerCalls = 0;
  /** The last usage that the provider reported; null until the provider reports usage. */
  usage: UsageReport | null = null;
  /** The provider's `finish` event. */
  private finish: Finish | null = null;
  private isWhole = false;
  private readonly provider: Provider;
  /** The model that owns the opaque and signed parts: only this model can read them. */
  private readonly owner: ModelIdentity;

  constructor(
    private readonly turn: AnsweredTurn,
    private readonly round: Round,
  ) {
    this.provider = providerOf(turn);
    this.owner = identityOf(this.provider);
  }

  /** The `finish` event; null until the stream has ended too. */
  get end(): Finish | null {
    return this.isWhole ? this.finish : null;
  }

  /**
   * Sends the request and reads the stream. The facts are emitted to the sink directly and not through this observable, because there may
   * be a hundred thousand of them, and the stages around the answer only need its end. Unsubscribing closes the connection and stops the
   * reading, even if the provider ignores its signal.
   */
  stream(request: ProviderRequest): Observable<TurnFact> {
    return new Observable((subscriber) => {
      const connection = new AbortController();
      const { signal } = connection;
      let isOver = false;
      let inner: InnerCalls | null = null;
      const hangUp = () => connection.abort();
      const read = async () => {
        for await (const event of this.provider.stream(request, signal)) {
          if (signal.aborted) return;
          if (typeof event !== 'object' || event === null) throw violation('an event that is no object');
          if (this.isOutput(request, event)) continue;
          if (event.type === 'inner-call') {
            const call = this.innerCall(event);
            inner ??= new InnerCalls(this.turn, this.round, subscriber, hangUp);
            inner.add(call);
          } else this.take(event);
        }
        if (signal.aborted) return;
        isOver = true;
        this.close();
        if (inner === null) subscriber.complete();
        else inner.end();
      };
      read().catch((error: unknown) => {
        // An error that the connection throws after it was closed is not a failure of the answer.
        if (!signal.aborted) subscriber.error(error);
      });
      return () => {
        this.turn.clock.setThinking(false);
        // After the end of the stream nothing is aborted: an abort would only create an exception with its stack.
        if (!isOver) hangUp();
      };
    });
  }

  /** Returns the error of a stream that threw, as an `AgentSessionError`. */
  errorOf(thrown: unknown): AgentSessionError {
    if (isAgentSessionError(thrown) && thrown.code !== 'cancelled') return thrown;
    // If the provider reports a cancel although the turn was not cancelled, it has lost the connection: a cancelled stream is not read any
    // more.
    if (isAgentSessionError(thrown)) return this.interrupted(thrown);
    return new AgentSessionError('provider-contract', `The model provider failed: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }

  /**
   * If an event has a piece of structured output, emits the piece and returns true. Returns false if the event is to be handled as in any
   * other turn.
   */
  private isOutput(request: ProviderRequest, event: ProviderEvent): boolean {
    const { parts, sink } = this.turn;
    const { structured } = parts;
    if (structured === null) return false;
    const delta = structured.pieceOf(request, event);
    if (delta === null) return false;
    textOf({ type: event.type, delta });
    if (this.finish !== null) throw violation(`"${event.type}" after "finish"`);
    if (delta === '') return true;
    this.turn.clock.setThinking(false);
    this.visible = true;
    sink.emit({ type: 'outputArrived', delta });
    return true;
  }

  private take(event: Exclude<ProviderEvent, { type: 'inner-call' }>): void {
    if (this.finish !== null && event.type !== 'usage') throw violation(`"${event.type}" after "finish"`);
    const { sink, spending, clock } = this.turn;
    // Some servers report the usage during the thinking.
    if (event.type !== 'usage') clock.setThinking(event.type === 'thinking');
    switch (event.type) {
      case 'text': {
        const delta = textOf(event);
        if (delta === '') return;
        this.visible = true;
        return sink.emit({ type: 'text', delta });
      }
      case 'thinking': {
        const { signature } = event;
        const delta = textOf(event);
        if (!isTextOrNone(signature)) throw violation('"thinking" with a signature that is no text');
        if (delta === '' && signature === undefined) return;
        this.visible = true;
        return sink.emit(
          signature === undefined
            ? { type: 'thinking', delta }
            : { type: 'thinking', delta, ...this.signed(signature) },
        );
      }
      case 'tool-call':
        this.visible = true;
        return this.toolCallPiece(event);
      case 'opaque':
        this.visible = true;
        return sink.emit({
          type: 'opaque',
          part: {
            type: 'opaque',
            provider: this.owner.provider,
            owner: this.owner,
            data: opaqueData(event.data),
          },
        });
      case 'usage': {
        checkUsage(event.usage);
        // A copy, because the report is the provider's own object, and may have fields that are undefined.
        this.usage = addUsage(event.usage, null);
        const report = spending.usageWith(event.usage);
        // Some servers repeat the same report with every chunk.
        if (report !== null && !sameUsage(spending.usage, report))
          sink.emit({ type: 'usage', report, budget: spending.budget({ usage: report }) });
        return spending.checkUsage();
      }
      case 'finish':
        if (!finishReasons.includes(event.reason))
          throw violation(`the unknown reason "${String(event.reason)}"`);
        if (!isTextOrNone(event.raw)) throw violation('"finish" with a raw reason that is no text');
        if (!isTextOrNone(event.detail)) throw violation('"finish" with a detail that is no text');
        this.finish = event;
        return;
      default:
        throw violation(`an event of unknown type "${String((event as { type?: unknown }).type)}"`);
    }
  }

  /** Emits and returns a call that the model makes inside its own session. The call is complete, and the model waits for its result. */
  private innerCall(event: Extract<ProviderEvent, { type: 'inner-call' }>): InnerCall {
    const { id, tool, argumentsText } = event;
    if (this.finish !== null) throw violation('"inner-call" after "finish"');
    if (this.calls.length > 0) throw violation('"inner-call" after "tool-call"');
    if (typeof tool !== 'string') throw violation('an inner call without the name of its tool');
    if (typeof argumentsText !== 'string') throw violation('an inner call without a text of arguments');
    this.turn.clock.setThinking(false);
    this.visible = true;
    const call = this.openCall(this.innerCalls++, id, tool, argumentsText);
    this.turn.sink.emit(this.firstPieceOf(call));
    return { callId: call.callId, answer: (result) => event.answer(result) };
  }

  private openCall(position: number, id: string | undefined, tool: string, argumentsText: string): OpenCall {
    this.turn.spending.checkCallsOfAnswer(position + 1);
    if (!isTextOrNone(id)) throw violation('a call whose id is no text');
    checkLength(tool, argumentsText.length);
    return {
      position,
      callId: this.turn.ports.ids.next('call'),
      providerCallId: id === '' ? undefined : id,
      tool,
      argumentsText,
    };
  }

  /** Returns a signature together with its provider. An empty signature has no provider, because it only closes its block. */
  private signed(signature: string): Pick<ThinkingPart, 'signature' | 'signedBy' | 'owner'> {
    const { owner } = this;
    return signature === '' ? { signature } : { signature, signedBy: owner.provider, owner };
  }

  private toolCallPiece(event: Extract<ProviderEvent, { type: 'tool-call' }>): void {
    const { index, id, tool, hosted } = event;
    const delta = textOf(event);
    const { sink } = this.turn;
    if (!Number.isInteger(index)) throw violation(`a call with the index ${String(index)}`);
    const known = this.calls[index];
    if (known) {
      checkLength(known.tool, known.argumentsText.length + delta.length);
      known.argumentsText += delta;
      if (delta !== '') sink.emit(pieceOf(known, delta));
      return;
    }
    if (index !== this.calls.length) throw violation(`call ${index} in place of call ${this.calls.length}`);
    if (typeof tool !== 'string') throw violation(`call ${index} without the name of its tool`);
    const call = this.openCall(this.innerCalls + index, id, tool, delta);
    this.calls.push(call);
    sink.emit(hosted === true ? { ...pieceOf(call, delta), hosted } : this.firstPieceOf(call));
  }

  /** Returns the fact of the first fragment. Only this fragment has the title of the tool, so the log stores the title once per call. */
  private firstPieceOf(call: OpenCall): ToolCallPartial {
    const piece = pieceOf(call, call.argumentsText);
    const title = this.turn.tools.get(call.tool)?.tool.title;
    return title === undefined ? piece : { ...piece, title };
  }

  /** Called at the end of the stream. Throws `interrupted` if there was no `finish` event. */
  private close(): void {
    if (this.finish === null) throw this.interrupted();
    this.isWhole = true;
  }

  private interrupted(cause?: unknown): AgentSessionError {
    return new AgentSessionError(
      'interrupted',
      'The connection to the model ended before its answer was whole.',
      {
        cause,
      },
    );
  }
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

/** Returns the fact of a fragment. It uses no spread, which would take longer than all other steps of a fragment. */
function pieceOf(
  { position: index, callId, providerCallId, tool }: OpenCall,
  delta: string,
): ToolCallPartial {
  return providerCallId === undefined
    ? { type: 'toolCallPartial', callId, tool, index, delta }
    : { type: 'toolCallPartial', callId, providerCallId, tool, index, delta };
}
