/** The words of an empty chat, the same in every view. */
export const welcomeWords = {
  claim: 'An agent you can hold on to.',
  promise:
    'It works on this board. You see each change as it is written, answer before it matters, stop half-way, and undo whole turns.',
  watch: 'Watch a turn',
  watchHint: 'Half a minute. Any key or click takes over.',
  watchPlan: 'Watch a plan',
  model:
    'No model here: a set of rules in this page answers, without a key and without a network. A real one can be chosen at the top.',
} as const;
