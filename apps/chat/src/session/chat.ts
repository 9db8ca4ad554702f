import {
  compaction,
  createAgentSession,
  effect,
  stagedDiscovery,
  type AgentSession,
  type LocalAgentSession,
  type Provider,
  type SessionLog,
} from '@banister/session';
import { batch, computed, signal, type ReadonlySignal } from '@banister/session/signals';
import { memory } from '@banister/crew/memory';
import { messageOf } from '@banister/provider';
import { indexedDbGrants } from '@banister/storage/grants';
import { indexedDbMemory } from '@banister/storage/memory';
import { createBoardContext } from '../board/board-context.js';
import { createBoardDomain, type BoardPace } from '../board/board-domain.js';
import { createBoardGuards } from '../board/board-guards.js';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardHistory } from '../board/board-history.js';
import type { BoardStore } from '../board/board-store.js';
import { cardPickers } from '../board/card-pickers.js';
import { describeCall, type DescribeCall } from '../board/describe-call.js';
import { previewCall, previewedBoard } from '../board/preview-call.js';
import type { FaultKind } from '../offline/fault.js';
import { offline, type OfflineOptions } from '../offline/offline-provider.js';
import type { CarriedOver } from '../chats/carry-over.js';
import { createChatList, type ChatList } from '../chats/chat-list.js';
import type { ChatPlace } from '../chats/chat-place.js';
import { describeChat } from '../chats/describe-chat.js';
import { download, exportChat } from '../chats/export-chat.js';
import { keepSessions } from '../chats/kept-sessions.js';
import { listChats } from '../chats/listed-chats.js';
import type { Removals } from '../chats/removals.js';
import { createSavedMarks, onlineSignal, type SavedMark } from '../chats/saved-mark.js';
import { watchWrites } from '../chats/slow-writes.js';
import { createGuideLine, type GuideLine } from '../guide/guide-line.js';
import type { ReadingPace } from '../guide/reading-pace.js';
import { pageClock } from '../guide/page-clock.js';
import { createScenario, type Scenario } from '../guide/scenario.js';
import { createTypedCommands } from '../guide/typed-commands.js';
import type { WatchInput } from '../guide/watch-input.js';
import { createMemoryDrawer, type MemoryDrawer } from '../memory/memory-drawer.js';
import { changeOfMemoryCall, describeMemoryCall, withTextAlone } from '../memory/memory-words.js';
import { releaseAgentIds, releaseAgents } from '../release/release-agents.js';
import { createReleaseDomain } from '../release/release-domain.js';
import { releaseNotes, releasePlanning } from '../release/release-planning.js';
import { createBranching, type Branching } from './branching.js';
import { createCompacting, type Compacting } from './compacting.js';
import { createCommandOffers, type CommandOffers } from './command-offers.js';
import { createComposer, type Composer } from './composer.js';
import { createCues, type Cues } from './cues.js';
import { createDeviceModel, type DeviceModel } from './device-model.js';
import { sessionModes } from './modes.js';
import { announceLanes } from './lane-announcer.js';
import { createPastChanges, type PastChanges } from './past-changes.js';
import { createPermissions, type Permissions } from './permissions.js';
import { gatewayKind, isGateway, type GatewayOffer } from './gateway-offer.js';
import { isServer, makeProvider, type ProviderKind, type ServerSettings } from './provider-choice.js';
import { createGrip, type Grip } from './grip.js';
import { createGripClock } from './grip-clock.js';
import { createInterruption, type Interruption } from './interruption.js';
import { createQueue, type Queue } from './queue.js';
import { announceQuestions } from './question-announcer.js';
import { createQuestions, type Questions } from './questions.js';
import { createReview, type Review } from './review.js';
import { helper } from '../tasks/helper-agent.js';
import { createTaskDesks } from '../tasks/task-desks.js';
import { createTaskStrip, type TaskStrip } from '../tasks/task-strip.js';
import { noneAsked } from './turn-rows.js';
import { createThinkingTimes, type ThinkingTimes } from './thinking-times.js';
import { createTurnTimes, type TurnTimes } from './turn-figures.js';
import { createTelling, type Telling } from './telling.js';
import { createTurnUndo, type TurnUndo } from './turn-undo.js';
import { createYourEdits, type YourEdits } from './your-edits.js';

export interface ChatOptions {
  readonly board: BoardStore;
  readonly history: BoardHistory;
  readonly editor: Pick<BoardEditor, 'startFresh' | 'undo' | 'redo'>;
  /** The log of all chats. */
  readonly log: SessionLog;
  readonly place: ChatPlace;
  readonly removals: Removals;
  /** The conversation of an earlier release; null if there is none. */
  readonly carriedOver: CarriedOver | null;
  readonly offline: OfflineOptions;
  readonly pace: BoardPace;
  /**
   * The gateway of the page's server, with the model to begin with, unless its code could not be loaded; null
   * if there is no gateway.
   */
  readonly gateway: { readonly offer: GatewayOffer; readonly provider: Provider | null } | null;
  /** How long the lines of the first minute are shown, and which input ends it. */
  readonly scenario: { readonly pace: ReadingPace; readonly watchInput: WatchInput };
}

/**
 * The chat without a view. It owns the session and everything that a user has begun, so that views can be
 * exchanged while a turn runs or a message is half written.
 */
export interface Chat {
  /** The session of the shown chat. */
  readonly session: ReadonlySignal<LocalAgentSession>;
  readonly chats: ChatList;
  readonly saved: ReadonlySignal<SavedMark>;
  readonly composer: Composer;
  readonly offers: CommandOffers;
  readonly branching: Branching;
  readonly compacting: Compacting;
  readonly queue: Queue;
  readonly telling: Telling;
  readonly cues: Cues;
  readonly questions: Questions;
  readonly interruption: Interruption;
  readonly turnUndo: TurnUndo;
  readonly yourEdits: YourEdits;
  readonly thinkingTimes: ThinkingTimes;
  readonly turnTimes: TurnTimes;
  readonly review: Review;
  readonly grip: Grip;
  readonly gripClock: ReadonlySignal<string>;
  readonly guide: GuideLine;
  readonly scenario: Scenario;
  readonly pastChanges: PastChanges;
  readonly permissions: Permissions;
  readonly tasks: TaskStrip;
  /** The facts that all chats and all tabs share. */
  readonly memory: MemoryDrawer;
  readonly describe: DescribeCall;
  /** The fault in the page's address, which the model will have once. */
  readonly fault: FaultKind | null;
  readonly provider: ReadonlySignal<ProviderKind>;
  /** The gateway beside the page; null if its server has no key. */
  readonly gateway: GatewayOffer | null;
  /** The browser's own model. */
  readonly device: DeviceModel;
  /** Why the chosen provider cannot be used; the previous provider stays. */
  readonly providerProblem: ReadonlySignal<string | null>;
  /** Why the shown chat cannot continue, or why an earlier chat could not be read. */
  readonly storageProblem: ReadonlySignal<string | null>;
  /** Takes effect with the next turn. The model of this device is chosen only if it can be used. */
  chooseProvider(kind: ProviderKind, settings?: ServerSettings): Promise<void>;
  /** Offers the shown chat as a file. */
  exportShown(): Promise<void>;
}

export function createChat(options: ChatOptions): Chat {
  const { board, history, place, removals, carriedOver } = options;
  const { log, isSlow } = watchWrites(options.log);
  const { offer, provider: model } = options.gateway ?? { offer: null, provider: null };
  const provider = signal<ProviderKind>(offer && model ? gatewayKind(offer.models[0]!) : 'offline');
  const providerProblem = signal<string | null>(null);
  const carryProblem = signal(carriedOver?.problem ?? null);
  const domain = createBoardDomain(board, options.pace);
  const release = createReleaseDomain();
  const facts = indexedDbMemory();
  const remembered = memory(facts);
  const domains = [domain, release, releasePlanning.domain, releaseNotes, remembered.domain];
  const guards = [releasePlanning.guard, remembered.guard, ...createBoardGuards(board)];
  const grants = indexedDbGrants();
  const device = createDeviceModel();
  const yourEdits = createYourEdits(board);
  const thinkingTimes = createThinkingTimes();
  const turnTimes = createTurnTimes();
  let current: Provider = model ?? offline(options.offline);
  /** Counts the choices, so that a slow choice never overrides a later choice. */
  let choices = 0;

  const isKept = place.first !== null && !(place.first in removals.all());
  const carried = carriedOver?.problem === null ? carriedOver : null;
  const first = isKept && carried === null ? place.first : newId();

  const reportOf = (session: AgentSession) => (error: unknown) => marks.meet(session, error);
  const desks = createTaskDesks(log, ({ id }) => {
    const task: LocalAgentSession = createAgentSession({
      id,
      log,
      provider: current,
      domains: [domain],
      guards: createBoardGuards(board),
      grants,
      context: [createBoardContext(board, () => false)],
      role: helper.role,
      // The user may be at something else, so a question waits.
      limits: { maxToolCalls: 15, confirmationTimeoutMs: Infinity },
      onInterrupted: 'resume',
      ports: { reportError: (error) => reportOf(task)(error) },
    });
    return task;
  });

  const open = (id: string): LocalAgentSession => {
    const session: LocalAgentSession = createAgentSession({
      id,
      log: id === first && carried !== null ? carried.into(log, id) : log,
      provider: current,
      domains: [...domains, desks.of(id).domain],
      discovery: stagedDiscovery(),
      agents: releaseAgentIds.map((agent) => releaseAgents[agent].agent),
      guards,
      modes: sessionModes,
      grants,
      context: [
        createBoardContext(board, () => session.liveTurn.peek()?.structured !== undefined),
        remembered.context,
      ],
      history,
      compaction: compaction(),
      role: 'You help with a board of cards. Use the tools; say briefly what you did.',
      // Several agents share the time and the calls of one turn. The plan for a release makes twelve calls, and
      // a reload repeats at most three of them.
      limits: { maxToolCalls: 15, timeoutMs: 120_000, confirmationTimeoutMs: 120_000, onTrip: 'ask' },
      ports: { reportError: (error) => reportOf(session)(error) },
    });
    yourEdits.follow(session);
    thinkingTimes.follow(session);
    turnTimes.follow(session);
    describeChat({ log, id, session, changed: () => listed.changed() });
    desks.attach(id, session);
    return session;
  };

  const sessions = keepSessions(first, open);
  const { session } = sessions;
  effect(() => place.remember(sessions.id.value));
  const listed = listChats({
    log,
    removals,
    sessions: {
      async retire(id) {
        // In this order: the session closes before anything else can close it.
        await Promise.all([sessions.retire(id), desks.stopAll(id)]);
      },
      async discard(id) {
        await desks.close(id);
        await sessions.discard(id);
      },
    },
  });
  void listed.refresh();
  const isLocal = computed(() => !isServer(provider.value) && !isGateway(provider.value));
  const marks = createSavedMarks({ session, isSlow, isOnline: onlineSignal(), isLocal });
  const cues = createCues();
  const turnUndo = createTurnUndo(session, cues);
  const guide = createGuideLine(session);
  const say = (message: string) => composer.say(message);
  const typed = createTypedCommands({ session, turnUndo, guide, say });
  const isRules = () => provider.peek() === 'offline';
  const composer = createComposer(session, cues, (message) => isRules() && typed.take(message));
  const describe: DescribeCall = ({ tool, ranWith, arguments: given }) =>
    describeMemoryCall(remembered.items.peek(), tool, ranWith ?? given) ??
    describeCall(board, tool, ranWith ?? given);
  const tasks = createTaskStrip({ desks, id: sessions.id, session, cues });
  const questions = createQuestions({
    session: tasks.asked,
    signed: tasks.signed,
    changeOf: ({ tool, ranWith, arguments: given }) =>
      changeOfMemoryCall(tool, ranWith ?? given) ??
      previewCall(previewedBoard(board), tool, ranWith ?? given),
    pickersOf: (tool, args) => cardPickers(board.columns.value, tool, args),
    toolOf: (id) => {
      const [of, name] = id.split('.');
      const tool = domains.find((one) => one.id === of)?.tools.find((one) => one.name === name);
      return tool && withTextAlone(id, tool);
    },
    cues,
    clock: pageClock,
  });
  announceQuestions(questions, describe, cues);
  announceLanes(session, cues);
  const scenario = createScenario({
    session,
    questions,
    turnUndo,
    guide,
    clock: pageClock,
    ...options.scenario,
  });
  const list = createChatList({ sessions, listed, cues, newId });
  const pastChanges = createPastChanges({ board, editor: options.editor, session, turnUndo, chats: list });

  const review = createReview(session);
  const interruption = createInterruption(session, composer);
  const branching = createBranching({ session, cues });
  const grip = createGrip({
    session,
    questions,
    turnUndo,
    review,
    interruption,
    pastChanges,
    branching,
    history: history.list,
    describe,
    edits: options.editor,
  });

  return {
    session,
    chats: {
      ...list,
      startNew() {
        if (carryProblem.peek() !== null) carriedOver?.forget();
        carryProblem.value = null;
        list.startNew();
      },
    },
    saved: marks.current,
    composer,
    offers: createCommandOffers({
      session,
      isRules: () => provider.value === 'offline',
      columns: board.columns,
      say,
    }),
    branching,
    compacting: createCompacting({ session, cues }),
    queue: createQueue({ session, composer, cues }),
    telling: createTelling({ session, composer, guide, cues }),
    cues,
    questions: {
      ...questions,
      // The calls of a task are not calls of a turn of this chat.
      callIds: computed(() => (tasks.asking.value === null ? questions.callIds.value : noneAsked)),
    },
    tasks,
    interruption,
    turnUndo,
    yourEdits,
    thinkingTimes,
    turnTimes,
    review,
    grip,
    gripClock: createGripClock(session, questions.isHeld),
    guide,
    scenario,
    pastChanges,
    permissions: createPermissions({ session, describe, cues }),
    memory: createMemoryDrawer({ memory: remembered, store: facts, cues }),
    describe,
    fault: options.offline.fault.kind,
    provider,
    gateway: offer,
    device,
    providerProblem,
    storageProblem: computed(() => readOnlyWords(marks.current.value) ?? carryProblem.value),

    async chooseProvider(kind, settings) {
      const choice = ++choices;
      if (kind === 'device') {
        await device.know();
        if (choice !== choices || device.state.peek() !== 'available') return;
      }
      try {
        const chosen = await makeProvider(kind, settings, options.offline, device, offer);
        if (choice !== choices) return;
        current = chosen;
        batch(() => {
          for (const one of sessions.all.peek().values()) one.configure({ provider: current });
          provider.value = kind;
          providerProblem.value = null;
        });
      } catch (error) {
        if (choice === choices) providerProblem.value = messageOf(error);
      }
    },

    async exportShown() {
      const title = list.title.peek();
      download(await exportChat(session.peek(), sessions.id.peek(), title), `${title}.jsonl`);
    },
  };
}

/** Ids are random, because they must differ from the ids of all chats of this browser. */
function newId(): string {
  return crypto.randomUUID?.() ?? `chat-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
}

function readOnlyWords({ kind, reason }: SavedMark): string | null {
  if (kind !== 'read-only') return null;
  return `${reason ?? 'This chat is open in another tab. It can be read here, and not be changed.'} You can start a new chat.`;
}
