import { indexedDbLog } from '@banister/storage';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBoardEditor } from './board/board-editor.js';
import { BoardHistory } from './board/board-history.js';
import { BoardStore } from './board/board-store.js';
import { createCardTraces } from './board/card-traces.js';
import { firstBoard } from './board/first-board.js';
import { newCardId } from './board/new-card-id.js';
import { SharedBoard } from './board/shared-board.js';
import { carryOver } from './chats/carry-over.js';
import { withEarlierSnapshots } from './chats/earlier-form.js';
import { createChatPlace } from './chats/chat-place.js';
import { moveChats, moveItems } from './chats/earlier-name.js';
import { pageStorage } from './chats/page-storage.js';
import { createRemovals } from './chats/removals.js';
import { readingPaceIn } from './guide/reading-pace.js';
import { pageClock } from './guide/page-clock.js';
import { watchInputOf } from './guide/watch-input.js';
import { createOperationRecorder } from './how/operation-recorder.js';
import { createFault, faultIn } from './offline/fault.js';
import { preloadRules, windowIn } from './offline/offline-provider.js';
import { App } from './react/App.js';
import { BackContext } from './react/back-layer.js';
import { createChat } from './session/chat.js';
import { hurry, paceIn } from './session/demo-pace.js';
import { gatewayIn, gatewayKind } from './session/gateway-offer.js';
import { keepDraft } from './session/kept-draft.js';
import { gatewayProvider } from './session/provider-choice.js';
import { preloadSkills } from './release/release-planning.js';
import { startServiceWorker } from './service-worker.js';
import { preloadMarkdown } from './text/show-markdown.js';
import { createBackLayers } from './view/back-layers.js';
import { createViewChoice } from './view/view-choice.js';
import './styles/index.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const query = new URLSearchParams(location.search);
const pace = paceIn(query);
const fault = createFault(faultIn(query));

// The app owns its state and its session. React, Vue and Svelte only show them.
const tab = pageStorage(() => sessionStorage);
const origin = pageStorage(() => localStorage);
moveItems(tab);
moveItems(origin);
const back = createBackLayers({ history: window.history, location, addEventListener });
const shared = new SharedBoard(origin, newCardId());
const board = new BoardStore(firstBoard, shared);
shared.follow(board);
const history = new BoardHistory(board);
const editor = createBoardEditor(board, history);
await moveChats(origin);
// All chats and all tabs share one log and one board.
const log = withEarlierSnapshots(indexedDbLog());
const offer = gatewayIn(document);
const [usual] = offer?.models ?? [];
// If its code cannot be loaded, the rules answer, and the provider list says why when the user selects the
// model.
const model = usual ? await gatewayProvider(gatewayKind(usual), offer).catch(() => null) : null;
const chat = createChat({
  board,
  history,
  editor,
  log,
  place: createChatPlace({ location, history: back.history, storage: origin }),
  removals: createRemovals(origin),
  carriedOver: await carryOver(tab),
  offline: { pace: pace.model, fault, contextWindow: windowIn(query) },
  pace: pace.board,
  gateway: offer && { offer, provider: model },
  scenario: { pace: readingPaceIn(query), watchInput: watchInputOf(window) },
});
keepDraft(chat.composer, tab, window);
const traces = createCardTraces(board, chat.session);
// Records from the start of the page, because How it works also shows what happened before it was opened.
const recorder = createOperationRecorder(chat.session, pageClock);
const views = createViewChoice({ location, history: back.history, storage: tab });

const fetchAhead = (): void => {
  // The session itself fetches the code of turns. With this line, a page that was loaded once needs no
  // network.
  void preloadMarkdown();
  void preloadRules();
  void preloadSkills();
  void startServiceWorker(import.meta.env.PROD);
};
// The awaits above may take longer than the page needs to load.
if (document.readyState === 'complete') fetchAhead();
else addEventListener('load', fetchAhead, { once: true });

// For the console and for tests; not in a production build.
if (import.meta.env.DEV)
  Object.assign(window, { __banister: { chat, board, history, log, hurry: () => hurry(pace) } });

createRoot(root).render(
  <StrictMode>
    <BackContext value={back}>
      <App
        board={board}
        history={history}
        editor={editor}
        traces={traces}
        chat={chat}
        recorder={recorder}
        views={views}
      />
    </BackContext>
  </StrictMode>,
);
