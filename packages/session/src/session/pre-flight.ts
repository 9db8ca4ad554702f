import type { Message, Provider, ToolChoice } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { checked, refusal } from '@banister/provider/internal/errors/checked';
import {
  any,
  filled,
  func,
  having,
  list,
  oneOf,
  only,
  optional,
  type Read,
} from '@banister/provider/internal/json/shape';
import { kindOf } from '@banister/provider/internal/messages/attachment';
import { withTurnLimits } from '../limits/limits.js';
import { isReadable } from '../context/is-readable.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { NextSettings } from '../turn/turn-parts.js';
import type { SendOptions } from './agent-session.js';
import { providerShape } from './session-options.js';
import type { SessionSettings } from './session-settings.js';
import { unsupported } from './unsupported.js';

// `{ tool }` only appears in the error message; `checkSupport` checks a choice that names a tool.
const choiceKind = oneOf('auto', 'required', 'none' satisfies ToolChoice, '{ tool }');

const optionsShape = only({
  signal: optional(having({ addEventListener: func, removeEventListener: func })),
  // `withTurnLimits` checks the values.
  limits: any,
  toolChoice: optional((value, at) =>
    (value as { tool?: unknown } | null)?.tool ? value : choiceKind(value, at),
  ),
  directives: optional(list(filled)),
  use: optional(list(filled)),
  provider: optional(providerShape),
  commit: optional(oneOf('review')),
} satisfies Record<keyof SendOptions, Read>);

interface ConfiguredSession {
  readonly settings: Pick<SessionSettings, 'current' | 'tools'>;
}

/** Returns the settings of one turn. Throws `unsupported`, `invalid-configuration` or `cancelled`. */
export function turnSettings(
  { settings: { current: settings, tools } }: ConfiguredSession,
  parts: Message['parts'],
  options: SendOptions,
): NextSettings {
  checked(optionsShape, options, 'The options of a turn');
  const { provider = settings.provider } = options;
  checkAttachments(provider, parts);
  const { toolChoice = 'auto', use = [] } = options;
  checkSupport(provider, toolChoice);
  if (typeof toolChoice === 'object' && !tools.get(toolChoice.tool))
    throw refusal(
      `There is no tool "${toolChoice.tool}". Tools: ${tools.definitions.map(({ name }) => name).join(', ')}.`,
    );
  if (toolChoice === 'required' && tools.definitions.length === 0)
    throw refusal('toolChoice "required" needs a tool.');
  const unknown = use.find((id) => !tools.domains.some((domain) => domain.id === id));
  if (unknown !== undefined) throw refusal(`There is no domain "${unknown}".`);
  const limits = withTurnLimits(settings.limits, options.limits);
  if (options.signal?.aborted)
    throw new AgentSessionError('cancelled', 'The turn was cancelled before it started.');
  const turn = { ...settings, provider, limits };
  checkToolCount(turn, tools);
  return turn;
}

/** Throws `unsupported` if there are more tools than the model accepts in one request, and no discovery offers them in stages. */
export function checkToolCount(
  { provider, discovery, context }: NextSettings,
  { definitions }: Pick<ToolRegistry, 'definitions'>,
): void {
  const { maxTools = Infinity } = provider.capabilities ?? {};
  const count = definitions.length + (context.some(isReadable) ? 1 : 0);
  if (count > maxTools && !discovery)
    throw unsupported(
      provider.model,
      `${count} tools, but ${maxTools}, without discovery: stagedDiscovery()`,
    );
}

/** Throws `unsupported` for an image or a PDF if the model does not accept it. */
function checkAttachments({ model, capabilities }: Provider, parts: Message['parts']): void {
  for (const part of parts) {
    const kind = part.type === 'attachment' ? kindOf(part.mediaType) : part.type;
    if (kind === 'image' && !capabilities?.images) throw unsupported(model, 'images');
    if (kind === 'pdf' && !capabilities?.pdfs) throw unsupported(model, 'PDFs');
  }
}

/** Throws `unsupported` for a tool choice that the model does not accept. */
export function checkSupport({ model, capabilities }: Provider, choice: ToolChoice): void {
  const kind = typeof choice === 'string' ? choice : 'tool';
  if (kind !== 'auto' && !capabilities?.toolChoices?.includes(kind))
    throw unsupported(model, 'this tool choice');
}
