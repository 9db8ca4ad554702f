import type { Locator } from '@playwright/test';
import { viewNames, type ViewName } from '../../src/view/chat-views.js';
import { expectAccessible } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

/** Width and height in CSS pixels. 640x400 is 1280x800 at a zoom of 200 %, 320x256 is 1280x1024 at 400 %. */
const sizes = [
  [320, 256],
  [640, 400],
  [740, 360],
  [360, 740],
  [1280, 600],
] as const;

/** Four lines of text. */
const READABLE = 90;

/**
 * Scrolls an element into view as a user would, and expects that all of it is on the screen with nothing over
 * it.
 */
function expectInSight(element: Locator): Promise<void> {
  return expectUncovered(element, { scroll: true });
}

/**
 * Expects that an element is on the screen at its current place, with nothing over its middle or its corners.
 */
async function expectUncovered(element: Locator, options = { scroll: false }): Promise<void> {
  const problem = await element.evaluate((node, { scroll }) => {
    if (scroll) node.scrollIntoView({ block: 'center' });
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const inset = 3;
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      [left + inset, top + inset],
      [right - inset, bottom - inset],
    ] as const;
    for (const [x, y] of points) {
      const hit = document.elementFromPoint(x, y);
      if (!hit || !(node.contains(hit) || hit.contains(node)))
        return `${node.textContent} at ${x},${y}: ${hit?.className ?? 'off the screen'}`;
    }
    return null;
  }, options);
  expect(problem).toBeNull();
}

/**
 * Expects that the whole open question, and every control that answers it, can be brought onto the screen.
 */
async function expectAnswerable(question: Locator): Promise<void> {
  const answers = [
    question.locator('.remember > summary'),
    question.getByRole('button', { name: 'Refuse', exact: true }),
    question.locator('.question-approve'),
  ];
  const parts = [
    question.locator('.question-title'),
    question.locator('.change'),
    question.getByRole('combobox', { name: 'Card' }),
    question.getByRole('button', { name: 'As JSON' }),
  ];
  for (const part of parts) {
    await expectInSight(part);
    // The foot of the question never scrolls away.
    for (const answer of answers) await expectUncovered(answer);
  }
  // With the keyboard: the browser scrolls to the button that takes the focus.
  for (const part of answers) {
    await part.focus();
    await expectUncovered(part);
  }
}

async function expectReadableConversation(demo: Demo): Promise<void> {
  await expectInSight(demo.conversation);
  const box = (await demo.conversation.boundingBox())!;
  expect(box.height).toBeGreaterThanOrEqual(READABLE);
}

/** Every view has the same styles. The full run checks that each view's markup fits them. */
const tagOf = (view: ViewName) => (view === viewNames[0] ? [] : ['@full']);

/** Lower or narrower than the other sizes. The other sizes are checked in the full run. */
const isTight = (width: number, height: number) => Math.min(width, height) < 400;

for (const [width, height] of sizes) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    for (const view of viewNames) {
      test(
        `V1: three questions can be read and answered, and the conversation can be read, in ${view}`,
        {
          tag: isTight(width, height) ? tagOf(view) : ['@full'],
        },
        async ({ demo }) => {
          await demo.goTo(`/?view=${view}&pace=fast`);
          await demo.say('Delete three cards from Done');
          const open = demo.page.locator('.question[data-open]');
          const stop = demo.page.getByRole('button', { name: 'Stop', exact: true });
          await expect(open.locator('.question-title')).toBeInViewport({ ratio: 1 });
          const next = demo.button('Next question');
          const isOneByOne = await next.isVisible();
          for (let number = 1; number <= 3; number++) {
            await expect(open).toHaveAccessibleName(new RegExp(`^Question ${number} of 3: Delete`));
            await expectAnswerable(open);
            await expectInSight(stop);
            if (number < 3) await (isOneByOne ? next.click() : open.press('ArrowDown'));
          }
          if (!isOneByOne) {
            await expectReadableConversation(demo);
            await expectInSight(demo.button('Approve all 3'));
            await expectInSight(demo.message);
          }
          const [scroll, client] = await demo.page.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          expect(scroll).toBeLessThanOrEqual(client!);

          await open.getByRole('button', { name: 'Refuse', exact: true }).click();
          await expect(open).toHaveAccessibleName(/^Question 1 of 3/);
          await open.locator('.question-approve').click();
          await expect(open).toHaveAccessibleName(/^Question 2 of 3/);
          await open.locator('.question-approve').click();
          await demo.idle();
          await expect(demo.cards('Done')).toHaveCount(1);
          await expectInSight(demo.undo);
          await expectInSight(demo.button('New chat'));
          await expectInSight(demo.message);
        },
      );
    }
  });
}

/**
 * Expects that the focused control is in sight, with nothing over its middle. Returns its class or the name
 * of its element.
 */
async function focusInSight({ page }: Demo): Promise<string> {
  const { name, over } = await page.evaluate(() => {
    const control = document.activeElement!;
    // The label of a radio button shows the button.
    const shown = control.matches('[type=radio]') ? control.closest('label')! : control;
    const { left, right, top, bottom } = shown.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isSeen = hit !== null && (shown.contains(hit) || hit.contains(shown));
    return { name: control.className || control.tagName, over: isSeen ? '' : shown.outerHTML };
  });
  expect(over).toBe('');
  return name;
}

for (const [width, height] of sizes) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    for (const view of viewNames) {
      test(
        `V1: each control of a question with a cost, a date and an object is in sight when Tab reaches it, in ${view}`,
        { tag: isTight(width, height) ? tagOf(view) : ['@full'] },
        async ({ demo, page }) => {
          await demo.goTo(`/?view=${view}&pace=fast`);
          await demo.say('Get the board ready and publish it');
          const open = page.locator('.question[data-open]');
          await expect(open).toHaveAccessibleName(/^Question 1 of 3/);
          const next = demo.button('Next question');
          if (await next.isVisible()) for (const _ of ['second', 'third']) await next.click();
          else await page.getByRole('button', { name: /^Open: Publish/ }).click();
          await expect(open).toHaveAccessibleName(/^Question 3 of 3: Publish/);
          await expectInSight(open.getByText('Costs €0.24'));

          await open.focus();
          const names: string[] = [];
          for (let presses = 0; presses < 20; presses++) {
            await page.keyboard.press('Tab');
            names.push(await focusInSight(demo));
            if (names.at(-1)!.includes('question-approve')) break;
          }
          expect(names.filter((name) => ['INPUT', 'TEXTAREA'].includes(name)).length).toBeGreaterThanOrEqual(
            4,
          );
          await page.keyboard.press('Enter');
          await expect(open).toHaveAccessibleName(/^Question 1 of 3/);
        },
      );
    }
  });
}

for (const [width, height] of [...sizes, [2560, 1440]] as const) {
  test.describe(`at ${width}x${height}`, { tag: width === 320 ? [] : ['@full'] }, () => {
    test.use({ viewport: { width, height } });

    test('the menu beside Stop can be seen and reached', { tag: '@full' }, async ({ demo }) => {
      await demo.goTo('/?pace=fast&work=slow');
      await demo.say('Add cards "One", "Two", "Three" and "Four" to Todo');
      await demo.grip.locator('summary').press('Enter');
      await expectUncovered(demo.button('Stop and keep what is done'));
      await demo.button('Stop and keep what is done').press('Enter');
      await demo.idle();
    });

    test(
      'the shortcuts, the list of chats and How it works are in sight when they are opened',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.goTo('/?pace=fast');
        await page.keyboard.press('Tab');
        const shortcuts = demo.button('Shortcuts');
        await shortcuts.focus();
        await expectUncovered(shortcuts);
        await page.keyboard.press('Enter');
        await expectInSight(demo.board.getByText('Rename the card'));
        await shortcuts.press('Enter');

        await demo.button('All chats').click();
        await expectUncovered(demo.chatList.getByRole('searchbox'));
        await page.keyboard.press('Escape');

        const more = demo.button('More');
        if (await more.isVisible()) await more.click();
        await demo.button('How it works').click();
        await expectUncovered(page.getByRole('heading', { name: 'How it works' }));
      },
    );

    test('the marks of the steps are on the rail', { tag: '@full' }, async ({ demo, page }) => {
      await demo.goTo('/?pace=fast');
      await demo.ask('Add a card "Tea" to Todo');
      const away = await page.evaluate(() => {
        const chat = document.querySelector('.chat')!;
        const mark = document.querySelector('.conversation .mark')!.getBoundingClientRect();
        const axis =
          chat.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(chat, '::before').left) + 1;
        return Math.abs((mark.left + mark.right) / 2 - axis);
      });
      expect(away).toBeLessThanOrEqual(1);
    });

    test('every choice about a version can be seen and reached', { tag: '@full' }, async ({ demo, page }) => {
      await demo.goTo('/?pace=fast');
      await demo.say('Publish the board');
      await demo.approval().click();
      await demo.idle();
      await demo.button('Regenerate').press('Enter');
      await expect(demo.notice).toContainText('Published the board for the team');
      for (const name of ['Leave it', 'Keep them and go on', 'Go on anyway']) {
        await expectInSight(demo.button(name));
        await demo.button(name).focus();
        await expect(() => expectUncovered(demo.button(name))).toPass({ timeout: 30_000 });
      }
      await expectInSight(demo.message);
      await demo.button('Leave it').press('Enter');

      await demo.message.press('ArrowUp');
      await expectInSight(page.getByRole('textbox', { name: 'Your message' }));
      await expectInSight(demo.button('Save'));
    });

    test(
      'a message that is edited is in sight, in a conversation that follows its end',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.goTo('/?pace=fast');
        await demo.ask('Add a card "Tea" to Todo');
        await demo.button('Edit message').press('Enter');
        const editor = page.getByRole('textbox', { name: 'Your message' });
        await expect(editor).toBeFocused();
        // Waits for the frames in which the conversation adapts to its size.
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        await expectUncovered(editor);
      },
    );

    test('every queued message, and its controls, can be seen and reached', async ({ demo }) => {
      await demo.goTo('/?pace=fast&fault=stall');
      await demo.say('Add a card "The first of all cards" to Todo');
      await demo.phase('streaming');
      for (const [index, text] of ['One', 'Two', 'Three', 'Four', 'Five'].entries()) {
        await demo.message.fill(`Add a card "${text}" to Todo`);
        await demo.message.press('Enter');
        await expect(demo.queue).toHaveCount(index + 1);
      }
      for (const row of [demo.queue.nth(2), demo.queue.last()]) {
        const remove = await demo.action(row, 'Remove');
        await expect(() => expectUncovered(remove)).toPass({ timeout: 30_000 });
        await demo.page.keyboard.press('Escape');
        await expect(() => expectUncovered(row.getByRole('button', { name: /^Actions/ }))).toPass({
          timeout: 30_000,
        });
      }
      await demo.message.fill('One more');
      for (const name of ['Queue', 'Steer', 'Stop']) await expectInSight(demo.button(name));
      // The editor of a queued message leaves room for the unsent message below it.
      await (await demo.action(demo.queue.last(), 'Edit')).press('Enter');
      await expect(demo.page.getByRole('textbox', { name: 'Queued message' })).toBeFocused();
      await expectInSight(demo.button('Save'));
      for (const name of ['Queue', 'Steer', 'Stop']) {
        // The smallest page scrolls. All other pages have no scroll bar of their own.
        if (height < 300) await expectInSight(demo.button(name));
        else await expect(demo.button(name)).toBeInViewport({ ratio: 0.95 });
      }
      await demo.stop.click();
      await expectInSight(demo.page.getByRole('button', { name: 'Continue the queue' }));
    });
  });
}

for (const view of viewNames) {
  test.describe(`in ${view}`, { tag: tagOf(view) }, () => {
    test.beforeEach(({ demo }) => demo.goTo(`/?view=${view}&pace=fast`));

    test.describe('at 740x360', () => {
      test.use({ viewport: { width: 740, height: 360 } });

      test(
        'V1: the reason why arguments were refused is on the screen',
        { tag: '@full' },
        async ({ demo }) => {
          await demo.say('Delete "Draw the logo"');
          const asked = demo.confirmations;
          await demo.writeArguments(asked, '{ "card": 7 }');
          await demo.approval(asked).click({ force: true });
          const reason = asked.locator('.form-errors').filter({ hasText: 'card' });
          await expect(reason).toBeInViewport({ ratio: 1 });
          await expect(() => expectUncovered(reason)).toPass({ timeout: 30_000 });
        },
      );

      test('V1: by keyboard, the title of the next question is on the screen', async ({ demo }) => {
        await demo.say('Delete three cards from Done');
        await demo.page.locator('.question-approve').press('Enter');
        const next = demo.page.locator('.question[data-open]');
        await expect(next).toHaveAccessibleName(/^Question 2 of 3/);
        await expect(next).toBeFocused();
        const title = next.locator('.question-title');
        await expect(title).toBeInViewport({ ratio: 1 });
        await expect(() => expectUncovered(title)).toPass({ timeout: 30_000 });
      });
    });

    test.describe('at 1280x600', () => {
      test.use({ viewport: { width: 1280, height: 600 } });

      test('V1: after several questions were approved together, the title of the remaining question is on the screen', async ({
        demo,
        page,
      }) => {
        await demo.say('Get the board ready and publish it');
        await demo.button('Approve 2 of 3').click();
        const open = page.locator('.question[data-open]');
        await expect(open).toHaveAccessibleName(/Publish/);
        // Waits until the rows of the answered questions have shrunk.
        await page.evaluate(() =>
          Promise.all(
            document
              .querySelector('.questions')!
              .getAnimations({ subtree: true })
              .map((one) => one.finished),
          ),
        );
        await expect(() => expectUncovered(open.locator('.question-title'))).toPass({ timeout: 30_000 });
        await expect(() => expectUncovered(open.getByText('Cannot be taken back'))).toPass({
          timeout: 30_000,
        });
      });
    });

    test.describe('on a phone', () => {
      test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

      for (const way of ['its button', 'Escape'] as const)
        test(`V2: a turn whose question was open at a reload says that it is interrupted, and is undone by ${way}`, async ({
          demo,
          page,
        }) => {
          await demo.say('Delete three cards from Done');
          await expect(demo.confirmations).toBeVisible();
          await demo.recorded('confirmationRequested', 3);
          const head = page.locator('.questions-head');
          await demo.reload(head);
          await expect(head).toContainText('interrupted, no time runs');
          if (way === 'Escape') await page.keyboard.press('Escape');
          else await head.getByRole('button', { name: 'Take back' }).tap();
          await demo.idle();
          await expect(demo.confirmations).toHaveCount(0);
          await expect(demo.grip).toContainText('Taken back');
          expect(await demo.titles('Done')).toHaveLength(3);
        });

      test(
        'the buttons of the list of chats are large enough for a finger',
        { tag: '@full' },
        async ({ demo }) => {
          await demo.ask('hello');
          await demo.button('All chats').tap();
          for (const name of ['Close', 'Rename', 'Delete', 'Put the board back to the start']) {
            const { height, width } = (await demo.button(name).boundingBox())!;
            expect(Math.min(height, width), name).toBeGreaterThanOrEqual(40);
          }
        },
      );
    });

    test.describe('at 320x256', () => {
      test.use({ viewport: { width: 320, height: 256 } });

      test(
        'the conversation can be read while a message is being written, and after it is sent',
        { tag: '@full' },
        async ({ demo, page }) => {
          const readable = () =>
            page.evaluate(() => {
              const rect = (part: string) => document.querySelector(part)!.getBoundingClientRect();
              const { top, bottom } = rect('.conversation');
              return Math.min(bottom, rect('.composer').top) - Math.max(top, 0);
            });
          await demo.message.click();
          await page.keyboard.type('hello');
          await page.keyboard.press('Enter');
          await demo.idle();
          await expect.poll(readable).toBeGreaterThanOrEqual(READABLE);
          await page.keyboard.type('thanks');
          await expect(demo.send).toBeEnabled();
          expect(await readable()).toBeGreaterThanOrEqual(READABLE);
        },
      );

      test('V1: a question says how long it waits and what happens then, and has no accessibility violation', async ({
        demo,
        page,
      }) => {
        await demo.say('Delete three cards from Done');
        await expect(page.locator('.questions-head')).toContainText(/\d:\d\d left, then no/);
        await expectUncovered(page.locator('.questions-head').getByText(/then no/));
        await expectAccessible(page);
      });

      test('V1: a question does not take keys from a message that is being written; otherwise the conversation gets the focus', async ({
        demo,
        page,
      }) => {
        await demo.goTo(`/?view=${view}&pace=slow`);
        await demo.message.fill('Delete three cards from Done');
        await demo.message.press('Enter');
        await page.keyboard.type('not');
        await demo.hurry();
        await expect(demo.confirmations).toBeVisible();
        await page.keyboard.type(' now');
        await expect(demo.message).toHaveValue('not now');
        await expect(demo.confirmations).toHaveCount(1);
        await page.keyboard.press('F6');
        await expect(demo.confirmations).toBeFocused();
        await expect(demo.message).toBeHidden();
        await page.keyboard.press('Escape');
        await demo.idle();

        await demo.message.fill('Delete three cards from Done');
        await demo.message.press('Enter');
        await expect(demo.confirmations).toBeVisible();
        await expect(demo.conversation).toBeFocused();
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.closest('.questions') !== null)).toBe(true);
      });

      test(
        'V1: after the last answer the conversation is on the screen',
        { tag: '@full' },
        async ({ demo }) => {
          await demo.say('Delete "Draw the logo"');
          await demo.approval().click();
          await demo.idle();
          await expect(demo.conversation).toBeInViewport({ ratio: 0.9 });
          await expect(demo.conversation.getByText('Deleted “Draw the logo”')).toBeInViewport();
        },
      );
    });
  });
}
