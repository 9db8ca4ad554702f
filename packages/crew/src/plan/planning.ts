import {
  AgentSessionError,
  defineGuard,
  defineTool,
  failed,
  type Domain,
  type Guard,
  type Tool,
} from '@banister/session';
import { carryOut } from './carry-out.js';
import { problemOf } from './check-plan.js';
import { CARRY_OUT, type PlanStep } from './plan-of.js';

/** Options of {@link planning}. */
export interface PlanningOptions {
  /** The ids of the agents that may do steps. The session has them in its option `agents`. */
  readonly agents: readonly string[];
  /** The highest number of steps that run at the same time. Default 4. */
  readonly concurrency?: number | undefined;
  /** The highest number of steps of a plan. Default 12. */
  readonly maxSteps?: number | undefined;
}

/** The parts of a session that carry out plans. */
export interface Planning {
  /** The domain `plan`, with the tool `carry_out`. */
  readonly domain: Domain;
  /** Asks the user about each plan, and denies a plan that cannot be carried out. */
  readonly guard: Guard;
}

/**
 * Returns a domain whose only tool carries out a plan, and the guard that asks the user about it. The arguments of the call are the plan: it
 * grows while they stream, the user edits them in the question, and what was approved runs, step by step, each as a child turn of its agent.
 *
 * @throws AgentSessionError `invalid-configuration` for no agent, and for a number that is no whole number from 1 on
 *
 * @example
 * const { domain, guard } = planning({ agents: ['scout', 'writer'] });
 * const session = createAgentSession({ provider, agents: [scout, writer], domains: [board, domain], guards: [guard] });
 */
export function planning({ agents, concurrency = 4, maxSteps = 12 }: PlanningOptions): Planning {
  const given: unknown = agents;
  if (!Array.isArray(given) || given.length === 0 || given.some((id) => typeof id !== 'string' || id === ''))
    throw refused('planning needs the ids of agents.');
  for (const [name, value] of Object.entries({ concurrency, maxSteps }))
    if (!Number.isInteger(value) || value < 1)
      throw refused(`The option ${name} of planning is ${String(value)}, no whole number from 1 on.`);
  const ids = [...agents];
  return {
    domain: { id: 'plan', tools: [planTool(ids, concurrency, maxSteps)] },
    guard: planGuard(),
  };
}

function planTool(agents: readonly string[], concurrency: number, maxSteps: number): Tool {
  return defineTool({
    name: 'carry_out',
    title: 'Carry out a plan',
    description: `Carries out a plan that the user approves. An agent does a step: it reads its task and the results of the steps before. At most ${maxSteps} steps.`,
    parameters: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1 },
        steps: {
          type: 'array',
          minItems: 1,
          maxItems: maxSteps,
          items: {
            type: 'object',
            properties: {
              id: { type: 'string', minLength: 1 },
              title: { type: 'string', minLength: 1 },
              task: { type: 'string', minLength: 1, description: 'All that the agent has to know.' },
              agent: { type: 'string', enum: agents },
              after: {
                type: 'array',
                items: { type: 'string' },
                description: 'Ids of steps.',
              },
            },
            required: ['id', 'title', 'task', 'agent'],
            additionalProperties: false,
          },
        },
      },
      required: ['title', 'steps'],
      additionalProperties: false,
    } as const,
    // The tool itself changes nothing: the steps do, under their own guards. So an interrupted plan goes on at its open steps.
    capabilities: ['readOnly'],
    execute: async ({ steps }, { run }) => {
      // The user may have edited the plan since the guard read it.
      const problem = problemOf(steps as readonly PlanStep[]);
      return problem === null
        ? await carryOut(steps as readonly PlanStep[], concurrency, run)
        : failed(problem);
    },
  }) as Tool;
}

function planGuard(): Guard {
  return defineGuard('planning', ({ tool, arguments: args }) => {
    if (tool !== CARRY_OUT) return 'allow';
    const { title, steps } = args as unknown as {
      readonly title: string;
      readonly steps: readonly PlanStep[];
    };
    const problem = problemOf(steps);
    if (problem !== null) return { deny: problem };
    return {
      confirm: `Carry out the plan "${title}" with ${steps.length === 1 ? 'one step' : `${steps.length} steps`}?`,
    };
  });
}

function refused(message: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', message);
}
