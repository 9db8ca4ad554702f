import { checked, refusal } from '@banister/provider/internal/errors/checked';
import { filled, func, having, optional } from '@banister/provider/internal/json/shape';
import type { HookContext, Middleware, ModelAnswer } from './middleware.js';

/** The options of {@link outputGuard}. */
export interface OutputGuardOptions {
  /** The name in operations and errors. Unique in a session. Default `output-guard`. */
  readonly name?: string | undefined;
  /**
   * Returns why an answer must not be kept, as a sentence for the user; null to keep the answer. If it throws, or takes longer than
   * `hookTimeoutMs`, the answer is withheld.
   */
  readonly check: (answer: ModelAnswer, context: HookContext) => string | null | Promise<string | null>;
  /** The note for the model with which a withheld answer is requested again, once per turn. Default: the turn stops. */
  readonly again?: string | undefined;
}

const shape = having({ name: optional(filled), check: func, again: optional(filled) });

/**
 * Returns a middleware that withholds answers. The text and the thinking of a withheld answer are removed from the text of the turn, its
 * record and the conversation, and its calls are rejected. If a view has already shown the text, it cannot take it back.
 *
 * @throws AgentSessionError `invalid-configuration` for invalid options
 *
 * @example
 * const noPrices = outputGuard({
 *   check: ({ text }) => (text.includes('€') ? 'The answer named a price.' : null),
 *   again: 'Answer again, without prices.',
 * });
 * const session = createAgentSession({ provider, middleware: [noPrices] });
 */
export function outputGuard(options: OutputGuardOptions): Middleware {
  checked(shape, options, 'The options of outputGuard');
  const { name = 'output-guard', check, again } = options;
  return {
    name,
    afterResponse: async (answer, context) => {
      const reason: unknown = await check(answer, context);
      if (reason === null) return 'keep';
      if (typeof reason !== 'string' || reason === '')
        throw refusal('check returned neither a reason nor null');
      return { withhold: reason, again };
    },
  };
}
