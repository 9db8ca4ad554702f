const general = [
  'Write the changelog',
  'Thank the beta testers',
  'Check how the page prints',
  'Answer the oldest open question',
  'Book a review with the team',
  'Remove one unused feature',
  'Time the slowest page',
  'Read last week’s feedback',
];

const about: readonly ((topic: string) => string)[] = [
  (topic) => `Collect what we know about ${topic}`,
  (topic) => `Sketch a better ${topic.replace(/^(?:an?|the|my|our|your|this)\s+/i, '')}`,
  (topic) => `Ask three people about ${topic}`,
  (topic) => `Write down the goal of ${topic}`,
  (topic) => `Find the weakest part of ${topic}`,
  (topic) => `Test ${topic} on a phone`,
  (topic) => `Show ${topic} to the team`,
  (topic) => `Decide what ${topic} leaves out`,
];

/**
 * Returns titles for cards that the user did not name. The same message gives the same titles, because the
 * model has no memory.
 */
export function cardTitles(count: number, topic: string | null): readonly string[] {
  return (topic === null ? general : about.map((title) => title(topic))).slice(0, count);
}
