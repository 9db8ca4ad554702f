import { tellOutcomes } from './tell-outcomes.js';
import { call, type Plan } from './step.js';

/** Plans a topic that the rules do not know: adds three cards about it, and changes no existing card. */
export function* topicPlan(topic: string): Plan {
  const titles = [
    `Write down the goal of ${topic}`,
    `List what ${topic} needs`,
    `Choose the first step of ${topic}`,
  ];
  const outcomes = yield {
    thinking: `By heart I only know how a launch goes. ${topic.charAt(0).toUpperCase()}${topic.slice(1)} gets three cards to begin with.`,
    text: `I know nothing of ${topic}, but each plan begins alike.`,
    calls: titles.map((title) => call('add_card', { column: 'Todo', title })),
  };
  return tellOutcomes(outcomes);
}
