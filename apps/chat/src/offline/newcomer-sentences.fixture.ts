import type { Sentence } from './visitor-sentences.fixture.js';

/** Sentences about a new card with details, about one detail, and with a greeting before the command. */
export const newcomerSentences: readonly Sentence[] = [
  // A detail is not the title of a card.
  ['add Ana to logo'],
  ['add Ana to the search card'],
  ['add estimate 3 to logo'],
  ['add label Design'],
  ['add deadline friday'],
  ['add comments to pricing'],
  ['add reminder for friday'],
  // A new card with details is a question.
  ['add a task for Ben: renew the certificate, due Friday'],
  ['add card Tea for Ben due Friday'],
  ['add task buy milk due friday'],
  ['add a card "Tea" for Ana'],
  ['add a card for Ana'],
  ['add a card assigned to Ana: buy paper'],
  ['new task buy stamps by monday'],
  ['make a card called Tea for Mai'],
  ['create a task for tomorrow'],
  ['assign everyone to the logo card'],
  ['assign nobody to the logo card'],
  ['add a card by the river', 'add: Todo, by the river'],
  ['add "Tea for Ben"', 'add: Todo, Tea for Ben'],
  // The value of a detail is not a new title.
  ['change the logo card to Doing'],
  ['change the logo card to Ben'],
  ['change the pricing card to friday'],
  ['change the pricing card to 5 days'],
  ['change the pricing card to Marketing'],
  ['edit the logo card to “Emblem”', 'edit: Draw the logo, Emblem'],
  ['change owner of logo to Ben', 'edit: Draw the logo, Ben'],
  ['set estimate of the landing page to 5d', 'edit: Sketch the landing page, 5'],
  ['assign the search card to nobody', 'edit: Fix search on mobile, owner'],
  ['remove label from the logo card', 'edit: Draw the logo, label'],
  ['assign Mai and Ben to the search card'],
  ['remove Ana from the interviews card'],
  ['take Ben off the search card'],
  // A plan of a column is not a plan.
  ['plan my todo'],
  // A command after a greeting or thanks.
  ['hello, move the logo to doing', 'move: Draw the logo, Doing'],
  ['Hi there! Add “Tea”', 'add: Todo, Tea'],
  ['hey can you add “Tea”?', 'add: Todo, Tea'],
  ['thank you, now delete the logo card', 'delete: Draw the logo'],
  ['nice, clear done', 'clear: Done'],
  ['pls create a task "Call" in doing and give it to Ben', 'add: Doing, Call', 'edit: Call, Ben'],
  ['great idea: publish the board'],
  ['thanks but please leave Done alone'],
  // Titles that are invented for a topic with an article.
  [
    'create 2 tasks for the mobile app in Doing',
    'add: Doing, Collect what we know about the mobile app',
    'add: Doing, Sketch a better mobile app',
  ],
  // Sentences that ask for no change.
  ['what is overdue?'],
  ['which tasks belong to Mai'],
  ['put it back'],
  ['bring back what you deleted'],
  ['oops, undo please'],
  ['what did you just do?'],
  ['lösche “Draw the logo”'],
  ['mueve el logo a Doing'],
  [
    'complete pricing and landing page',
    'move: Decide on pricing, Done',
    'move: Sketch the landing page, Done',
  ],
];
