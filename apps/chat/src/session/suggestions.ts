/** Messages that a visitor can send with one press. Each shows another side of a turn. */
export const suggestions: readonly string[] = [
  'Plan a product launch',
  'Add 3 cards about onboarding to Todo',
  'Move “Decide on pricing” to Doing',
  'Delete three cards from Done',
  'Publish the board',
];
