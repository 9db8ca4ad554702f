import type { Ask, Steer } from './read-ask.js';
import type { Outcome, Plan } from './step.js';
import { tellOutcomes } from './tell-outcomes.js';

/** Makes the plan of one message. */
type PlanOf = (text: string) => Plan;

/**
 * A plan that follows messages that join it: "stop" ends it, "instead …" replaces the rest of it, and any
 * other message is done before the plan continues.
 */
export function* steeredPlan(ask: Ask, planOf: PlanOf): Plan {
  const course: Course = { steers: [...ask.steers], rounds: 0, outcomes: [], isCut: false };
  return yield* follow(planOf(ask.text), course, planOf);
}

/** How far a turn has come. */
interface Course {
  /** Messages that joined and have not been followed yet. */
  readonly steers: Steer[];
  rounds: number;
  readonly outcomes: Outcome[];
  /** Whether a message that joined has ended or replaced the plan. */
  isCut: boolean;
}

function* follow(plan: Plan, course: Course, planOf: PlanOf): Plan {
  const answers: string[] = [];
  let next = plan.next();
  while (!next.done) {
    const outcomes = yield next.value;
    course.rounds++;
    course.outcomes.push(...outcomes);
    while (course.steers[0] && course.steers[0].after <= course.rounds) {
      const answer = yield* heed(course.steers.shift()!.text, course, planOf);
      if (course.isCut) return answer;
      answers.push(answer);
    }
    next = plan.next(outcomes);
  }
  return [next.value, ...answers].join('\n\n');
}

function* heed(text: string, course: Course, planOf: PlanOf): Plan {
  const instead = INSTEAD.exec(text)?.[1];
  if (STOP.test(text)) {
    course.isCut = true;
    return `As you say, I stop here. ${tellOutcomes(course.outcomes)}`;
  }
  const answer = yield* follow(planOf(instead ?? text), course, planOf);
  if (instead === undefined) return answer;
  course.isCut = true;
  return `I left the rest, as you said. ${answer}`;
}

const STOP =
  /^(?:please\s+)?(?:stop|enough|that(?:’|')?s? (?:is )?enough|that will do|leave (?:it|the rest))\b/i;
const INSTEAD = /^(?:no,?\s+|rather\s+|instead,?\s+)(.+)$/is;
