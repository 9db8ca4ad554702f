import {
  batch,
  createAgentSession,
  messageOf,
  signal,
  type LocalAgentSession,
  type Provider,
  type ReadonlySignal,
  type ToolCallView,
} from '@handrail/session';
import { createBoardContext } from '../board/board-context.js';
import { createBoardDomain, type BoardPace } from '../board/board-domain.js';
import { createBoardGuards } from '../board/board-guards.js';
import type { BoardEditor } from '../board/board-editor.js';
import type { BoardHistory } from '../board/board-history.js';
import type { BoardStore } from '../board/board-store.js';
import { describeCall } from '../board/describe-call.js';
import type { FaultKind } from '../offline/fault.js';
import { offline, type OfflineOptions } from '../offline/offline-provider.js';
import type { ChatStorage, SavedOptions } from './chat-storage.js';
import { createBranching, type Branching } from './branching.js';
import { createComposer, type Composer } from './composer.js';
import { createCues, type Cues } from './cues.js';
import { createDeviceModel, type DeviceModel } from './device-model.js';
import { createPastChanges, type PastChanges } from './past-changes.js';
import { makeProvider, type ProviderKind, type ServerSettings } from './provider-choice.js';
import { createInterruption, type Interruption } from './interruption.js';
import { createQueue, type Queue } from './queue.js';
import { createQuestions, type Questions } from './questions.js';
import { createTurnUndo, type TurnUndo } from './turn-undo.js';

export interface ChatOptions {
  readonly board: BoardStore;
  readonly history: BoardHistory;
  readonly editor: Pick<BoardEditor, 'startFresh'>;
  readonly storage: ChatStorage;
  readonly offline: OfflineOptions;
  readonly pace: BoardPace;
}

/** Puts a call in words for the user, by the arguments that it runs with. */
export type DescribeCall = (call: Pick<ToolCallView, 'tool' | 'arguments' | 'ranWith'>) => string;

/**
 * The chat, without a view: it owns the one session, and all that a user has begun, so that views can come and go while
 * a turn runs or a message is half written.
 */
export interface Chat {
  /** Replaced by New chat; otherwise the same for the life of the page. */
  readonly session: ReadonlySignal<LocalAgentSession>;
  readonly composer: Composer;
  readonly branching: Branching;
  readonly queue: Queue;
  readonly cues: Cues;
  readonly questions: Questions;
  readonly interruption: Interruption;
  readonly turnUndo: TurnUndo;
  readonly pastChanges: PastChanges;
  readonly describe: DescribeCall;
  /** The fault that the model will have once, because the page's address asks for it. */
  readonly fault: FaultKind | null;
  readonly provider: ReadonlySignal<ProviderKind>;
  /** The browser's own model. */
  readonly device: DeviceModel;
  /** Why the chosen provider cannot be used; the one before stays. */
  readonly providerProblem: ReadonlySignal<string | null>;
  /** Why the conversation could not be restored or saved. */
  readonly storageProblem: ReadonlySignal<string | null>;
  /** Takes effect with the next turn. The model of this device is only chosen when it can be used. */
  chooseProvider(kind: ProviderKind, settings?: ServerSettings): Promise<void>;
  /** Forgets the conversation and starts a new one; the board stays. */
  startOver(): Promise<void>;
}

export function createChat(options: ChatOptions): Chat {
  const { board, history, storage } = options;
  const provider = signal<ProviderKind>('offline');
  const providerProblem = signal<string | null>(null);
  const domain = createBoardDomain(board, options.pace);
  const guards = createBoardGuards(board);
  const context = [createBoardContext(board)];
  const device = createDeviceModel();
  let current: Provider = offline(options.offline);
  /** Counts the choices, so that a slow one never overrules a later one. */
  let choices = 0;

  const create = (saved: SavedOptions): LocalAgentSession =>
    createAgentSession({
      ...saved,
      provider: current,
      domains: [domain],
      guards,
      context,
      history,
      role: 'You help with a board of cards. Use the tools; say briefly what you did.',
      limits: { confirmationTimeoutMs: 120_000 },
    });

  const session = signal(storage.open(create));
  const turnUndo = createTurnUndo(session);
  const cues = createCues();
  const composer = createComposer(session);
  const pastChanges = createPastChanges({ board, editor: options.editor, session, turnUndo });

  const describe: DescribeCall = ({ tool, ranWith, arguments: given }) =>
    describeCall(board, tool, ranWith ?? given);

  return {
    session,
    composer,
    branching: createBranching({ session, cues }),
    queue: createQueue({ session, composer, cues }),
    cues,
    questions: createQuestions(session),
    interruption: createInterruption(session, describe),
    turnUndo,
    pastChanges,
    describe,
    fault: options.offline.fault.kind,
    provider,
    device,
    providerProblem,
    storageProblem: storage.problem,

    async chooseProvider(kind, settings) {
      const choice = ++choices;
      if (kind === 'device') {
        await device.know();
        if (choice !== choices || device.state.peek() !== 'available') return;
      }
      try {
        const chosen = await makeProvider(kind, settings, options.offline, device);
        if (choice !== choices) return;
        current = chosen;
        batch(() => {
          session.peek().configure({ provider: current });
          provider.value = kind;
          providerProblem.value = null;
        });
      } catch (error) {
        if (choice === choices) providerProblem.value = messageOf(error);
      }
    },

    async startOver() {
      const before = session.peek();
      await before.dispose();
      // After a double press, the second call finds that the session was replaced already.
      if (session.peek() !== before) return;
      storage.clear();
      pastChanges.chatEnded(before.turns.peek());
      session.value = storage.open(create);
    },
  };
}
