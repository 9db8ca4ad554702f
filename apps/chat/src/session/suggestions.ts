/** A message that a visitor can send with one press, and what it shows. */
export interface Suggestion {
  readonly text: string;
  readonly hint: string;
}

/** Each shows a different aspect of a turn. */
export const suggestions: readonly Suggestion[] = [
  { text: 'Plan the launch week', hint: 'Then stop it half-way' },
  { text: 'Tidy up Done', hint: 'It asks before it deletes' },
  { text: 'Plan the release', hint: 'Change the plan, and agents carry it out' },
  { text: 'Publish the board', hint: 'Costs money, and cannot be taken back' },
];
