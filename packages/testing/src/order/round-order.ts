import type { Message, OperationOf } from '@banister/session';

/** Called with each problem of the checked operation. */
export type Complain = (problem: string) => void;

interface CallOrder {
  readonly tool: string;
  readonly index: number;
  /** The deltas up to now. They are joined only once, because joining them at each delta takes quadratic time. */
  readonly deltas: string[];
  /** `unstarted`: the executor was not called; a resumed turn may still start the call. */
  stage: 'assembling' | 'requested' | 'started' | 'unstarted' | 'over';
  asked: boolean;
  /** Whether the user has approved the call with a preview: then the user may be asked once more, even while calls run. */
  previewed: 'no' | 'approved' | 'again';
  /** A grant allowed the call: the user may still be asked when it is about to start. */
  granted: boolean;
  /** A guard or the user refused the call: it must not start. */
  refused: boolean;
  edited: boolean;
  /** Whether it was interrupted, is to run again, and has not started since. */
  isToRunAgain: boolean;
}

/** An open confirmation. */
interface OpenRequest {
  readonly callId: string;
  readonly hasPreview: boolean;
}

/** The rules for a round: its model calls, then its batch of tool calls. */
export class RoundOrder {
  readonly number: number;
  private attempt = 0;
  private modelCall: 'none' | 'open' | 'whole' | 'broken' = 'none';
  /** The attempt that `retrying` announced. */
  private announced = 1;
  /** True after a piece of the answer was shown: then the attempt must not be repeated. */
  private shown = false;
  private readonly calls = new Map<string, CallOrder>();
  /** Ids of the requested calls in call order: first the calls inside the answer, then the batch at its end. */
  private batch: readonly string[] = [];
  private requested = false;
  private appended = false;
  /** Ids of the calls that were made inside the answer. */
  private readonly inner: string[] = [];
  private withheld = false;
  /** Whether the conversation was compacted after the last attempt: then the next attempt has a different request. */
  private compacted = false;
  private checked = false;
  /** The pieces of structured output of the last attempt. */
  private output: string[] = [];
  /** The index of the call that started last; -1 while the batch is being decided. */
  private lastStarted = -1;
  /** Open confirmations by request id. */
  private readonly open = new Map<string, OpenRequest>();

  /** Whether the turn was interrupted in this round. */
  private wasInterrupted = false;

  /** Whether the mode was changed in this round. */
  private isSwitched = false;

  constructor(number: number) {
    this.number = number;
  }

  /** Called after `ownerChanged`: an open answer is broken, and the batch is decided again. */
  interrupted(): void {
    this.wasInterrupted = true;
    this.lastStarted = -1;
    if (this.modelCall === 'open') this.modelCall = 'broken';
    for (const call of this.calls.values()) call.asked = false;
  }

  /** Called after `modeChanged`: calls that have not started are decided again. */
  modeChanged(): void {
    this.isSwitched = true;
  }

  /** Whether the user is asked about a call. */
  get isAsking(): boolean {
    return this.open.size > 0;
  }

  /** Whether a call has started and not ended. */
  isRunning(callId: string): boolean {
    return this.calls.get(callId)?.stage === 'started';
  }

  /** Whether an interrupted call is to run again and has not started since: it waits, or was refused. */
  isToRunAgain(callId: string): boolean {
    return this.calls.get(callId)?.isToRunAgain === true;
  }

  /** The round is requested again: its answer up to now is removed. */
  private restored(complain: Complain): void {
    if (!this.wasInterrupted) complain('the turn was not interrupted');
    if (this.modelCall === 'whole') complain('the round already has its answer');
    if (this.batch.length > 0) complain('calls of the answer were requested');
    this.modelCall = 'none';
    this.attempt = 0;
    this.announced = 1;
    this.shown = false;
    this.calls.clear();
  }

  followModelCall(
    operation: OperationOf<'modelCallStarted' | 'modelCallFinished' | 'retrying' | 'providerSwitched'>,
    complain: Complain,
  ): void {
    switch (operation.type) {
      case 'modelCallStarted':
        return this.modelCallStarted(operation, complain);
      case 'modelCallFinished':
        return this.modelCallFinished(operation, complain);
      case 'retrying':
        return this.retrying(operation, complain);
      case 'providerSwitched':
        return this.providerSwitched(operation, complain);
    }
  }

  private modelCallStarted({ attempt }: OperationOf<'modelCallStarted'>, complain: Complain): void {
    if (this.modelCall === 'open') complain('the attempt before it has not finished');
    if (this.modelCall === 'whole') complain('the round already has its answer');
    if (attempt !== this.attempt + 1) complain(`attempt ${attempt} after attempt ${this.attempt}`);
    if (attempt !== this.announced) complain(`attempt ${attempt} was not announced by retrying`);
    this.attempt = attempt;
    this.output = [];
    this.modelCall = 'open';
    this.compacted = false;
  }

  private modelCallFinished({ attempt, error }: OperationOf<'modelCallFinished'>, complain: Complain): void {
    if (this.modelCall !== 'open') complain('no model call is open');
    else if (attempt !== this.attempt) complain(`attempt ${attempt} finishes while ${this.attempt} is open`);
    this.modelCall = error === null ? 'whole' : 'broken';
    // A shorter request starts the answer again, unless a call inside it has run.
    if (error?.code === 'context-length' && this.inner.length === 0) this.shown = false;
  }

  private retrying({ attempt, reason }: OperationOf<'retrying'>, complain: Complain): void {
    if (reason === 'restored') return this.restored(complain);
    if (this.modelCall !== 'broken') complain('only an attempt that broke is made again');
    if (attempt !== this.attempt + 1) complain(`attempt ${attempt} is announced after ${this.attempt}`);
    if (this.shown) complain('the broken attempt has shown something, and cannot be repeated unseen');
    this.calls.clear();
    this.announced = attempt;
  }

  private providerSwitched({ attempt }: OperationOf<'providerSwitched'>, complain: Complain): void {
    if (this.modelCall !== 'broken' && this.modelCall !== 'none')
      complain('the attempt before it has not failed');
    if (attempt !== this.attempt + 1) complain(`attempt ${attempt} is announced after ${this.attempt}`);
    if (attempt === this.announced && attempt > 1) complain('the attempt was announced by retrying');
    if (this.shown) complain('the broken attempt has shown something, and cannot be repeated unseen');
    this.announced = attempt;
    // The request is built again for another model, and the hooks are called again.
    this.modelCall = 'none';
  }

  /** Checks a piece of the answer: text, thinking, an opaque part, or a piece of a call. */
  answerArrived(complain: Complain): void {
    if (this.modelCall !== 'open') complain('outside of a model call');
    this.shown = true;
  }

  /** Checks a piece of structured output. */
  outputArrived({ delta }: OperationOf<'outputArrived'>, complain: Complain): void {
    this.answerArrived(complain);
    this.output.push(delta);
  }

  /** Checks a text that repeats the output of an answer that does not fit. */
  outputSaid(text: string, complain: Complain): void {
    if (this.checked) complain('the output of the round was checked before');
    if (text === '' || text !== this.output.join('')) complain('it is not the output that arrived');
  }

  /** Whether the round has its answer. */
  get isWhole(): boolean {
    return this.modelCall === 'whole';
  }

  /** Checks that the answer is complete and its output is accepted or rejected only once. */
  outputChecked(complain: Complain): void {
    if (this.modelCall !== 'whole') complain('there is no whole answer');
    if (this.checked) complain('the output of the round was checked before');
    this.checked = true;
  }

  toolCallPartial(operation: OperationOf<'toolCallPartial'>, complain: Complain): void {
    this.answerArrived(complain);
    const { callId, tool, index, delta } = operation;
    const known = this.calls.get(callId);
    if (known === undefined) {
      if (index !== this.calls.size) complain(`a new call must have index ${this.calls.size}, not ${index}`);
      this.calls.set(callId, newCall(tool, index, delta));
      return;
    }
    if (known.tool !== tool) complain(`call ${callId} was for ${known.tool}, not ${tool}`);
    if (known.index !== index) complain(`call ${callId} had index ${known.index}, not ${index}`);
    if (known.stage !== 'assembling') complain(`call ${callId} was complete`);
    known.deltas.push(delta);
  }

  toolsRequested({ calls, inner }: OperationOf<'toolsRequested'>, complain: Complain): void {
    if (inner) {
      // The model waits for the result of a call inside its answer, so these calls are requested one at a time.
      if (this.modelCall !== 'open') complain('outside of a model call');
      if (calls.length !== 1) complain('a call inside an answer comes alone');
      this.complainOfOpenCalls(complain);
      this.inner.push(...calls.map((call) => call.callId));
    } else {
      if (this.modelCall !== 'whole') complain('there is no whole answer that could ask for tools');
      if (this.requested) complain('the round has asked for its tools already');
      this.requested = true;
    }
    if (calls.length === 0) complain('no calls');
    const before = this.batch.length;
    this.batch = [...this.batch, ...calls.map((call) => call.callId)];
    this.lastStarted = -1;
    if (new Set(this.batch).size < this.batch.length) complain('a call is listed twice');
    calls.forEach(({ callId, tool, argumentsText }, place) => {
      const position = before + place;
      const known = this.calls.get(callId);
      if (known === undefined) {
        complain(`call ${callId} was never seen arriving`);
        this.calls.set(callId, { ...newCall(tool, position, argumentsText), stage: 'requested' });
        return;
      }
      if (known.index !== position)
        complain(`call ${callId} has index ${known.index} and stands at ${position}`);
      if (known.tool !== tool) complain(`call ${callId} arrived for ${known.tool}, not ${tool}`);
      if (known.deltas.join('') !== argumentsText)
        complain(`the arguments of ${callId} are not those that arrived`);
      known.stage = 'requested';
    });
  }

  guardDecided({ callId, verdict, grant }: OperationOf<'guardDecided'>, complain: Complain): void {
    const call = this.deciding(callId, complain, this.decidable);
    if (grant !== undefined && verdict !== 'allow') complain(`the grant ${grant} allows the call`);
    if (call && grant !== undefined) call.granted = true;
    // A guard may also deny after the user's decision, because guards are called again for edited arguments.
    if (call && verdict === 'deny') call.refused = true;
  }

  /** The stages in which guards and the user decide about a call. After an interruption, a started call is decided before it runs again. */
  private get decidable(): readonly CallOrder['stage'][] {
    return this.wasInterrupted ? ['requested', 'started'] : ['requested'];
  }

  followConfirmation(
    operation: OperationOf<
      'confirmationRequested' | 'previewRenewed' | 'confirmationAttended' | 'confirmationResolved'
    >,
    complain: Complain,
  ): void {
    if (operation.type === 'confirmationRequested') this.confirmationRequested(operation, complain);
    else if (operation.type === 'confirmationResolved') this.confirmationResolved(operation, complain);
    else this.confirmationChanged(operation, complain);
  }

  private confirmationRequested({ request }: OperationOf<'confirmationRequested'>, complain: Complain): void {
    const { id, call: asked, preview } = request;
    const call = this.deciding(asked.id, complain, this.decidable);
    const isAgain = call?.previewed === 'approved' && preview !== undefined;
    if (call?.asked && !isAgain) complain(`the user was asked about ${asked.id} already`);
    if (call?.refused) complain(`call ${asked.id} is refused, there is nothing to ask`);
    if ((preview === undefined) !== (request.digest === undefined))
      complain('a preview and its digest come together');
    if (call) call.asked = true;
    if (call && isAgain) call.previewed = 'again';
    this.open.set(id, { callId: asked.id, hasPreview: preview !== undefined });
  }

  private confirmationResolved(operation: OperationOf<'confirmationResolved'>, complain: Complain): void {
    const { requestId, callId, decision } = operation;
    const asked = this.openFor(requestId, callId, complain);
    this.open.delete(requestId);
    const call = this.calls.get(callId);
    if (call === undefined) return;
    // If the user is asked again about a call, edited arguments are kept.
    call.edited = decision === 'edited' || (call.edited && call.previewed === 'again');
    call.refused = decision !== 'approved' && decision !== 'edited';
    if (asked?.hasPreview && !call.refused && call.previewed === 'no') call.previewed = 'approved';
  }

  /** Checks an operation that changes an open request. */
  private confirmationChanged(
    operation: OperationOf<'previewRenewed' | 'confirmationAttended'>,
    complain: Complain,
  ): void {
    const { type, requestId, callId } = operation;
    const asked = this.openFor(requestId, callId, complain);
    if (type === 'previewRenewed' && asked?.hasPreview === false) complain('the request has no preview');
  }

  private openFor(requestId: string, callId: string, complain: Complain): OpenRequest | undefined {
    const open = this.open.get(requestId);
    if (open === undefined) complain(`request ${requestId} is not open`);
    else if (open.callId !== callId) complain(`request ${requestId} is about ${open.callId}, not ${callId}`);
    return open;
  }

  toolsRejected({ calls }: OperationOf<'toolsRejected'>, complain: Complain): void {
    for (const { callId } of calls) {
      const call = this.inStage(callId, ['requested'], complain);
      if (call) call.stage = 'over';
    }
  }

  toolStarted({ callId, edited }: OperationOf<'toolStarted'>, complain: Complain): void {
    const call = this.inStage(callId, ['requested', 'unstarted'], complain);
    if (this.open.size > 0) complain('a call starts while the user is still asked about its batch');
    if (this.withheld && !this.inner.includes(callId)) complain('the answer was withheld');
    if (call === undefined) return;
    if (call.refused) complain(`call ${callId} was refused`);
    if (edited !== call.edited) complain(`call ${callId} was ${call.edited ? '' : 'not '}edited by the user`);
    if (call.index < this.lastStarted) complain(`call ${callId} starts after a later one`);
    call.stage = 'started';
    call.isToRunAgain = false;
    this.lastStarted = call.index;
  }

  reported({ callId }: OperationOf<'toolProgress' | 'changesUnattributed'>, complain: Complain): void {
    this.inStage(callId, ['started'], complain);
  }

  toolSettled({ callId }: OperationOf<'toolCompleted' | 'toolFailed'>, complain: Complain): void {
    const call = this.inStage(callId, ['started'], complain);
    if (call) call.stage = 'over';
  }

  toolInterrupted({ callId, decision }: OperationOf<'toolInterrupted'>, complain: Complain): void {
    const call = this.inStage(callId, ['requested', 'started', 'unstarted'], complain);
    if (call === undefined) return;
    if (decision === 'rerun') {
      call.stage = 'requested';
      call.isToRunAgain = true;
    } else call.stage = decision === 'not-started' ? 'unstarted' : 'over';
  }

  contextCompacted(complain: Complain): void {
    if (this.modelCall !== 'none' && this.modelCall !== 'broken') complain('the round has its request');
    if (this.shown) complain('the broken attempt has shown something');
    this.compacted = true;
  }

  middlewareActed({ hook, calls = [] }: OperationOf<'middlewareActed'>, complain: Complain): void {
    if (hook === 'beforeRequest' && this.modelCall !== 'none' && !this.compacted && !this.wasInterrupted)
      complain('the round has sent its request');
    if (hook === 'afterTurn' && this.modelCall !== 'whole') complain('the round has no whole answer');
    if (hook === 'beforeToolCalls') for (const callId of calls) this.deciding(callId, complain);
    if (hook === 'afterToolCall' || hook === 'onToolError')
      for (const callId of calls) this.inStage(callId, ['over'], complain);
  }

  answerWithheld({ round }: OperationOf<'answerWithheld'>, complain: Complain): void {
    if (round !== this.number) complain(`round ${this.number} is open, not ${round}`);
    if (this.withheld) complain('the answer was withheld already');
    if (this.appended) complain('the exchange of this round was appended already');
    this.withheld = true;
  }

  messagesAppended(messages: readonly Message[], complain: Complain): void {
    // If a limit cut the answer, its incomplete exchange may be appended; such a round is not completed.
    if (this.appended) complain('the exchange of this round was appended already');
    this.appended = true;
    if (this.batch.length === 0) return;
    this.complainOfOpenCalls(complain);
    const answered = messages.flatMap(({ parts }) =>
      parts.filter((part) => part.type === 'tool-result').map((part) => part.callId),
    );
    const kept = this.withheld ? this.inner : this.batch;
    if (answered.join() !== kept.join()) complain('the results are not one for each call, in call order');
  }

  roundCompleted({ round, toolCalls }: OperationOf<'roundCompleted'>, complain: Complain): void {
    if (round !== this.number) complain(`round ${this.number} is open, not ${round}`);
    if (this.modelCall !== 'whole' && !this.wasInterrupted) complain('the round has no whole answer');
    if (toolCalls !== this.batch.length)
      complain(`${toolCalls} calls are counted, ${this.batch.length} were requested`);
    if (this.open.size > 0) complain('the user is still asked');
    const kept = this.withheld ? this.inner : this.batch;
    if (kept.length > 0 && !this.appended) complain('the calls and their results were not appended');
    this.complainOfOpenCalls(complain);
  }

  /** Calls that arrived but were never requested. That is a fault if the answer is complete. */
  get forgotten(): readonly string[] {
    if (this.modelCall !== 'whole') return [];
    return [...this.calls].filter(([, call]) => call.stage === 'assembling').map(([callId]) => callId);
  }

  private complainOfOpenCalls(complain: Complain): void {
    for (const callId of this.batch) {
      const stage = this.calls.get(callId)?.stage;
      if (stage !== 'over' && stage !== 'unstarted')
        complain(`call ${callId} is ${stage}: neither rejected, completed, failed nor interrupted`);
    }
  }

  /** Returns the call that is decided. Complains if a call of its batch has started, because all calls are decided before. */
  private deciding(
    callId: string,
    complain: Complain,
    stages: readonly CallOrder['stage'][] = ['requested'],
  ): CallOrder | undefined {
    const known = this.calls.get(callId);
    const isAgain =
      this.isSwitched || known?.granted === true || (known !== undefined && known.previewed !== 'no');
    if (this.lastStarted >= 0 && !isAgain)
      complain('calls of this batch run already: decide first, then act');
    return this.inStage(callId, stages, complain);
  }

  private inStage(
    callId: string,
    stages: readonly CallOrder['stage'][],
    complain: Complain,
  ): CallOrder | undefined {
    const call = this.calls.get(callId);
    if (call === undefined) complain(`call ${callId} is none of this round`);
    else if (!stages.includes(call.stage))
      complain(`call ${callId} is ${call.stage}, not ${stages.join(' or ')}`);
    return call;
  }
}

function newCall(tool: string, index: number, delta: string): CallOrder {
  return {
    tool,
    index,
    deltas: [delta],
    stage: 'assembling',
    asked: false,
    previewed: 'no',
    granted: false,
    refused: false,
    edited: false,
    isToRunAgain: false,
  };
}
