import { expect, onTestFinished, test } from 'vitest';
import { focusHome, keepFocus } from './keep-focus.js';

/**
 * A chat: a part with two questions and two buttons with a menu, whose focus is kept, and a message field
 * beside it.
 */
function showChat() {
  const chat = document.body.appendChild(document.createElement('section'));
  onTestFinished(() => chat.remove());
  chat.innerHTML = `
    <div class="part">
      <div class="first" tabindex="-1"><button>Deny</button><button>Approve</button></div>
      <div class="second" tabindex="-1"><button>Deny</button><button>Approve</button></div>
    </div>
    <div class="bar"><button class="undo">Undo</button><button class="redo">Redo</button>
      <div role="menu"><button role="menuitem" tabindex="-1">Shorter</button></div>
    </div>
    <textarea></textarea>`;
  const find = (selector: string) => chat.querySelector<HTMLButtonElement>(selector)!;
  const ends = [keepFocus(find('.part')), keepFocus(find('.bar'))];
  for (const end of [...ends, focusHome(find('textarea'))]) onTestFinished(end);
  return { chat, find, end: () => ends.forEach((end) => end()) };
}

const moment = () => new Promise((resolve) => setTimeout(resolve));

test('when the focused element is removed, the first element with `tabindex="-1"` gets the focus', async () => {
  const { find } = showChat();
  find('.first button').focus();
  find('.first').remove();
  await moment();
  expect(document.activeElement).toBe(find('.second'));
  find('.second').remove();
  await moment();
  expect(document.activeElement).toBe(find('textarea'));
});

test('when the focused button is disabled, the focus moves to the home element, never to another button', async () => {
  const { find } = showChat();
  find('.undo').focus();
  find('.undo').disabled = true;
  await moment();
  expect(document.activeElement).toBe(find('textarea'));
});

test("two chats on a page do not take each other's focus", async () => {
  const { find: inFirst } = showChat();
  const { find: inSecond } = showChat();
  for (const find of [inSecond, inFirst]) {
    find('.undo').focus();
    find('.undo').remove();
    await moment();
    expect(document.activeElement).toBe(find('textarea'));
  }
});

test('focus outside the part, or nowhere, does not move', async () => {
  const { find } = showChat();
  find('.redo').focus();
  find('.first').remove();
  await moment();
  expect(document.activeElement).toBe(find('.redo'));
  find('.second button').focus();
  find('.second button').blur();
  await moment();
  find('.second').remove();
  await moment();
  expect(document.activeElement).toBe(document.body);
});

test('focus that other code has moved meanwhile does not move', async () => {
  const { find } = showChat();
  find('.first button').focus();
  find('.first').remove();
  find('.redo').focus();
  await moment();
  expect(document.activeElement).toBe(find('.redo'));
});

test('focus from before the call of `keepFocus` is kept too, and after its end no focus is kept', async () => {
  const { find, end } = showChat();
  end();
  find('.undo').focus();
  onTestFinished(keepFocus(find('.bar')));
  find('.undo').remove();
  await moment();
  expect(document.activeElement).toBe(find('textarea'));
  find('.first button').focus();
  find('.first').remove();
  await moment();
  expect(document.activeElement).toBe(document.body);
});
