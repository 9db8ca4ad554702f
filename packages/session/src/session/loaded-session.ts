import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { contextWindowOf } from '@banister/provider/internal/port/context-window';
import { openConversation, readConversation } from '../conversation/open-conversation.js';
import type { TurnOptions } from '../conversation/turn-record.js';
import { endedTurn } from '../conversation/turn-tree.js';
import { untracked } from '../signals/signals-core.js';
import type { FoldState, SessionState } from '../state/session-state.js';
import { readAhead } from '../turn/read-ahead.js';
import { QuestionDesk } from '../turn/question-desk.js';
import type { TurnHost } from '../turn/turn-request.js';
import type { AgentSession } from './agent-session.js';
import type { CommandName } from './command-table.js';
import { showConsent } from '../consent/consent-commands.js';
import { DomainReports } from './domain-reports.js';
import { heldTurns, type HeldTurns } from './held-turns.js';
import { hereLine } from './here-line.js';
import { MessageFiles } from './message-files.js';
import { logCode } from './log-code.js';
import { openedState } from './opened-state.js';
import { Queue } from '../queue/queue-commands.js';
import { SessionCommands } from './session-commands.js';
import { SessionCore } from './session-core.js';
import { SessionJournal, type JournalEvents } from '../log/session-journal.js';
import { SessionLane } from './session-lane.js';
import type { LocalLine, SessionHandle } from './session-handle.js';
import type { SessionLog } from '../log/session-log.js';

import type { SessionOptions } from './session-options.js';
import type { SessionSettings } from './session-settings.js';
import { sendOptions } from './send-options.js';
import { TurnRunner } from './turn-runner.js';

/** The parts of a session that exist before its code is loaded. */
interface SessionFrame {
  readonly options: SessionOptions;
  readonly settings: SessionSettings;
  readonly handle: Pick<SessionHandle, 'ports' | 'outputs' | 'link'>;
  /** The session that `createAgentSession` returned. Its calls wait until it is open. */
  readonly session: AgentSession;
}

/** A session whose code is loaded, without its outputs and the calls that wait for it. */
export interface LoadedSession extends HeldTurns {
  readonly core: SessionCore;
  readonly line: LocalLine;
  /**
   * From now on publishes the state, and reads the log if the session has one.
   *
   * @param opened called synchronously at the moment when commands can be carried out
   */
  open(opened: () => void): Promise<void>;
}

/**
 * Creates the session for the outputs of a frame. Throws `invalid-configuration` if the option `conversation` is not a saved conversation,
 * or if the log has a wrong `leaseMs`; throws `unsupported` if a newer release saved the conversation.
 */
export function loadSession(frame: SessionFrame): LoadedSession {
  const { options, settings, handle } = frame;
  const { ports, outputs, link } = handle;
  const { history } = options;
  checkLease(options.log);
  const journal = journalOf(frame, {
    fenced: (error) => {
      runner.leave(error);
      queue.leave(error);
    },
    putDown: (error) => runner.leave(error),
    savedAgain: (epoch) =>
      logCode.loaded!.interruptPutDown({ ...parts, options, session: frame.session }, epoch),
  });
  const core = new SessionCore(ports, stateOf(frame), outputs, { journal });
  const lane: SessionLane = new SessionLane(core, link, () => runner);
  const host = turnHost(core, lane, settings, options.id);
  const runner = new TurnRunner({ core, ports, history, host, settings });
  const commands = new SessionCommands({ core, ports, history, host, settings, lane, runner });
  const queue = new Queue({ core, ports, lane, runner });
  const files = new MessageFiles({
    core,
    ports,
    signal: lane.signal,
    limits: () => settings.current.limits,
    hold: (read, run) => commands.reading(read, run),
    carried: (run) => lane.carried(run),
    kept: (name, id) => sendOptions(keptOptions(core.current, name, id)),
  });
  const reports = domainReports(core, lane, commands);
  reports.follow(settings.tools.domains);
  const parts = { lane, core, ports, settings, host, runner, commands, queue, files, reports };
  const line = hereLine(parts);
  return {
    core,
    line,
    ...heldTurns(parts, line),
    async open(opened) {
      core.showState();
      const isOpened = () => {
        lane.line ??= null;
        opened();
      };
      if (options.restored === undefined && options.log === undefined) isOpened();
      else
        await logCode.loaded!.openSession({
          ...parts,
          options,
          session: frame.session,
          readSaved: readConversation,
          opened: isOpened,
        });
      readAhead(core.state);
      lane.enter('configure', [], () => showConsent(parts)).catch(() => {});
    },
  };
}

function checkLease({ leaseMs }: Partial<Pick<SessionLog, 'leaseMs'>> = {}): void {
  if (leaseMs === undefined || (Number.isFinite(leaseMs) && leaseMs > 0)) return;
  const message = `The field leaseMs of the log must be a positive number of milliseconds, not ${leaseMs}.`;
  throw new AgentSessionError('invalid-configuration', message);
}

/** Returns the state before the session's first operation, and before it reads a log. */
function stateOf({ options, settings, handle: { outputs } }: SessionFrame): SessionState {
  const { conversation, provider, history } = options;
  if (conversation === undefined) return outputs.shown.empty;
  const window = contextWindowOf(provider) ?? null;
  return openedState({ ...openConversation(conversation), window }, settings.tools, history);
}

function journalOf(
  { options, handle: { ports, link } }: SessionFrame,
  events: JournalEvents,
): SessionJournal | undefined {
  if (ports.journal === undefined && options.log === undefined) return undefined;
  return new SessionJournal(
    (...args) => new logCode.loaded!.JournalWriter(...args, options.whenUnsaved === 'stop'),
    ports.journal ?? null,
    ports,
    link,
    events,
  );
}

/** Returns the options of the turn or of the message in the queue that a command changes. */
function keptOptions(state: FoldState, name: CommandName, id: unknown): TurnOptions | undefined {
  const kept = name === 'edit' ? endedTurn(id as string, state) : state.queue.find((item) => item.id === id);
  return kept?.options;
}

/**
 * Returns the subscriptions to the domains. While another session owns the log, the reports of the domains are ignored here, because that
 * session has its own.
 */
function domainReports(core: SessionCore, lane: SessionLane, commands: SessionCommands): DomainReports {
  const changed = (domain: string) => {
    if (lane.isHere) untracked(() => commands.touch(domain, true));
  };
  return new DomainReports(changed, (error) => core.reportError(error));
}

/** Returns the functions and fields of a session that its turns use. */
function turnHost(
  core: SessionCore,
  lane: SessionLane,
  settings: SessionSettings,
  id: string | undefined,
): TurnHost {
  return {
    tools: () => settings.tools,
    liveTurn: () => core.current.liveTurn,
    modes: () => settings.current.modes,
    id: id ?? null,
    emit: (fact) => {
      // A store of grants may answer after another session has become the owner of the log.
      if (lane.isHere) core.emitSession(fact);
    },
    failedWith: (data, error) => core.errors.remember(data, error),
    owned: () => core.journal?.owned(),
    isLeft: false,
    runningCalls: 0,
    shared: null,
    sink: null,
    putDown: null,
    desk: new QuestionDesk(),
  };
}
