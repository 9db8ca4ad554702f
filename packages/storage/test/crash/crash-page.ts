// The page that is killed: a session over `indexedDbLog`, and an app with its own database.
import {
  confirmTools,
  createAgentSession,
  effect,
  immediate,
  type AgentSession,
  type Operation,
  type Provider,
  type SessionLog,
} from '@banister/session';
import type { LogRecord } from '@banister/session/log';
import { indexedDbLog } from '@banister/storage';
import { scriptedProvider } from '@banister/testing';
import type { Acknowledged, CrashPage, Cut, OpenedPage, OpenOptions, Stop } from './crash-page-api.js';
import { answers, script, until, type Note } from './crash-script.js';
import { StoredBoard } from './stored-board.js';

const id = 'chat';
const records: LogRecord[] = [];
const acknowledged: Acknowledged[] = [];
const reported: string[] = [];
const taken: string[] = [];
/** Calls whose start the log has acknowledged. */
const started = new Set<string>();

/**
 * Stops the page at its cut, so that no more code of it runs. The server does not answer the request, unless
 * another page has stopped before.
 */
class Stopper {
  private cut: Cut | null = null;
  private last = 0;
  private events = 0;

  constructor(
    private readonly name: string,
    private readonly tab: number,
  ) {}

  aim(cut: Cut | null): void {
    this.cut = cut;
    this.events = 0;
  }

  stored({ revision }: LogRecord): void {
    this.last = revision;
    this.event();
  }

  readonly event = (): void => {
    const { cut } = this;
    if (cut === null || this.last < cut.revision || this.events++ < cut.plus) return;
    this.cut = null;
    const request = new XMLHttpRequest();
    request.open('POST', `/stopped?name=${this.name}`, false);
    const account = page.account();
    const stop: Stop = { tab: this.tab, account };
    request.send(JSON.stringify(stop));
    // Another page of this run has stopped first. This page continues and keeps its account.
    records.unshift(...account.records);
    acknowledged.unshift(...account.acknowledged);
    reported.unshift(...account.reported);
    taken.unshift(...account.taken);
  };
}

function watched(log: SessionLog): SessionLog {
  return {
    ...log,
    async append(lease, record, options) {
      const copy = structuredClone(record);
      await log.append(lease, record, options);
      records.push(copy);
      for (const operation of copy.operations)
        if (operation.type === 'toolStarted') started.add(operation.callId);
      stopper.stored(record);
    },
    // A snapshot replaces records. The last owner may have stored one of them without an answer.
    async snapshot(lease, revision, state) {
      records.push(...(await log.load(id)).records);
      await log.snapshot(lease, revision, state);
    },
  };
}

/** A provider whose answer is a function of the message and of the round. */
function providerOf(): Provider {
  const provider = scriptedProvider([], {
    otherwise: (request) => {
      const texts = request.messages.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (role === 'user' && part.type === 'text' ? [part.text] : [])),
      );
      // If a message joined the turn, the turn still answers the earlier message.
      const text = texts.findLast((one) => one in answers && one !== 'Also') ?? 'Also';
      const key = request.idempotencyKey ?? '';
      const round = Number(key.slice(key.lastIndexOf('-') + 1));
      const rounds = answers[text]!;
      return rounds[Math.min(round, rounds.length) - 1]!;
    },
  });
  return {
    ...provider,
    async *stream(request, signal) {
      stopper.event();
      let pieces = 0;
      for await (const event of provider.stream(request, signal)) {
        if (event.type === 'text' && pieces++ > 0) await new Promise((resolve) => setTimeout(resolve));
        yield event;
      }
      if (provider.faults.length > 0) reported.push(...provider.faults);
    },
  };
}

/** Answers each question of a turn that runs. */
function answerQuestions(session: AgentSession): void {
  effect(() => {
    const [question] = session.pendingConfirmations.value;
    if (question === undefined || session.interrupted.value !== null) return;
    const { id: requestId, call } = question;
    const isDeclined = JSON.stringify(call.arguments).includes('No');
    const answer = () =>
      session.respond(requestId, isDeclined ? { approve: false, reason: 'No.' } : { approve: true });
    queueMicrotask(() =>
      note(answer(), (outcome) =>
        outcome === 'accepted' ? { of: 'confirmationResolved', id: requestId } : null,
      ),
    );
  });
}

const note: Note = (promise, acknowledge) =>
  promise.then(
    (value) => {
      const one = acknowledge(value);
      if (one !== null) acknowledged.push(one);
    },
    () => {},
  );

let stopper: Stopper;
let session: AgentSession;
let board: StoredBoard;
let log: SessionLog;

/** Notes a call whose executor runs before the log has acknowledged the call's record. */
function executing(callId: string): void {
  if (!started.has(callId)) reported.push(`${callId} runs before its record is stored`);
}

async function open({ name, tab, cut }: OpenOptions): Promise<OpenedPage> {
  stopper = new Stopper(name, tab);
  stopper.aim(cut);
  log = indexedDbLog({ name });
  board = await StoredBoard.open(`${name} board`, {
    executing,
    took: (callId) => taken.push(callId),
    changed: stopper.event,
  });
  const loaded = await log.load(id);
  session = createAgentSession({
    provider: providerOf(),
    domains: [board.domain()],
    guards: [confirmTools('board.once')],
    id,
    log: watched(log),
    ports: { scheduler: immediate(), reportError: (error) => void reported.push(String(error)) },
  });
  const operations: Operation[] = [];
  session.operations$.subscribe((operation) => operations.push(operation));
  answerQuestions(session);
  await until(() => session.link.value.open);
  return { loaded, state: session.state, operations: [...operations] };
}

/** How often an interrupted turn may be resumed before it is abandoned. */
const RESUMES = 4;

/** How long a page that follows waits for its queue to continue, in looks of 20 ms. */
const LOOKS = 500;

/** Ends the work that an earlier page left open, until the session is idle. */
async function settleOpen(by: 'resume' | 'abandon'): Promise<void> {
  let resumes = 0;
  for (let looks = 0; looks < LOOKS; looks++) {
    await until(() => !session.isRunning.value);
    if (session.interrupted.value !== null)
      await (by === 'resume' && resumes++ < RESUMES ? session.resume() : session.abandon()).catch(() => {});
    else if (session.queue.value.length > 0) await session.resumeQueue().catch(() => {});
    else return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(
    `The session is stuck: ${session.phase.value} ${JSON.stringify(session.interrupted.value)}.`,
  );
}

const page: CrashPage = {
  open,
  aim: (cut) => stopper.aim(cut),
  account: () => ({
    records: records.splice(0),
    acknowledged: acknowledged.splice(0),
    reported: reported.splice(0),
    taken: taken.splice(0),
  }),
  async step(index, by) {
    await settleOpen(by);
    let isMade = false;
    const made = script[index]!(session, note)
      .catch(() => {})
      .then(() => (isMade = true));
    // If the writer is killed, this page becomes the writer. The promise of the turn waits until the
    // interrupted work has ended.
    while (!isMade) {
      await Promise.race([made, new Promise((resolve) => setTimeout(resolve, 20))]);
      if (!isMade && session.interrupted.value !== null) await settleOpen(by);
    }
  },
  async end(by) {
    await settleOpen(by);
    const { messages } = await session.send('Add');
    acknowledged.push({ of: 'turn', messages: messages.map((message) => message.id) });
    await until(() => !session.isRunning.value);
    const loaded = await log.load(id);
    return { ...page.account(), state: session.state, world: await board.world(), loaded };
  },
};

Object.assign(window, { page });
