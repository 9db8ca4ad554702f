import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBoardEditor } from './board/board-editor.js';
import { BoardHistory } from './board/board-history.js';
import { keepBoard, restoreBoard } from './board/board-storage.js';
import { BoardStore } from './board/board-store.js';
import { createFault, faultIn } from './offline/fault.js';
import { hurry, paceIn } from './session/demo-pace.js';
import { App } from './react/App.js';
import { createChat } from './session/chat.js';
import { createChatStorage } from './session/chat-storage.js';
import { preloadMarkdown } from './text/show-markdown.js';
import { createViewChoice } from './view/view-choice.js';
import './styles/index.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const query = new URLSearchParams(location.search);
const pace = paceIn(query);
const fault = createFault(faultIn(query));

// The app owns its state and its session; React, Vue and Svelte only look at them.
const saved = restoreBoard(sessionStorage);
const board = new BoardStore(saved.columns, saved);
const history = new BoardHistory(board);
const editor = createBoardEditor(board, history);
const chat = createChat({
  board,
  history,
  editor,
  storage: createChatStorage(sessionStorage),
  offline: { pace: pace.model, fault },
  pace: pace.board,
});
const views = createViewChoice({ location, history: window.history, storage: sessionStorage });
keepBoard(board, sessionStorage);

// The session fetches the code of turns by itself. With this, a page that was loaded once needs no network.
addEventListener('load', () => void preloadMarkdown(), { once: true });

// For the console and for tests; not part of a build.
if (import.meta.env.DEV)
  Object.assign(window, { __handrail: { chat, board, history, hurry: () => hurry(pace) } });

createRoot(root).render(
  <StrictMode>
    <App board={board} history={history} editor={editor} chat={chat} views={views} />
  </StrictMode>,
);
