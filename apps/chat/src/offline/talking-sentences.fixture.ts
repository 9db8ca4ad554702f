import type { Sentence } from './visitor-sentences.fixture.js';

/**
 * What visitors say beside plain commands: questions, complaints, half sentences, corrections, slips, other
 * languages.
 */
export const talkingSentences: readonly Sentence[] = [
  ['who owns the logo card?'],
  ['when is the landing page due?'],
  ['why is the search card still not done'],
  ['is there anything due this week?'],
  ['who are you assigning this to'],
  ['this board is way too empty'],
  ['the logo looks awful'],
  ['I already finished the onboarding mail'],
  ['Ana is sick, give her cards to Ben'],
  ['assign the logo card to Ana and the domain to Ben'],
  ['if the pricing is decided then start the landing page'],
  ['once the logo is done, publish'],
  ['no, the other one'],
  ['no, I meant the domain card'],
  ['move it back'],
  ['put the logo card back to Todo', 'move: Draw the logo, Todo'],
  ['don’t delete the logo, move it to Todo'],
  ['don’t publish yet'],
  ['please do not touch Done'],
  ['mach die Karte “Draw the logo” fertig'],
  ['ajoute une carte acheter du lait'],
  ['verschiebe das Logo nach Doing'],
  ['borra todo'],
  ['asign the logo card to ana'],
  ['lable the search card as Design'],
  ['mvoe logo to doing'],
  ['make the logo card'],
  ['set the logo card'],
  ['assign'],
  ['due friday'],
  ['swap the logo and the domain'],
  ['give the logo card a better name'],
  ['mark the logo card as done'],
  ['undo the assignment'],
];
