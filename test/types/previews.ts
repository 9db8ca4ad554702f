// The preview of a tool, the question that shows it, and the commands about both.
import {
  createAgentSession,
  defineTool,
  type AgentSession,
  type CallPreview,
  type Confirmation,
  type ConfirmHandler,
  type JsonValue,
  type PreviewContext,
  type PreviewOutcome,
  type Provider,
  type RespondOutcome,
  type Tool,
} from '@banister/session';
import { confirmationOf } from '@banister/session/view';

declare const provider: Provider;
declare const confirmation: Confirmation;

interface Card {
  readonly title: string;
}
declare const card: Card | undefined;

const rename = defineTool({
  name: 'rename',
  description: 'Renames a card.',
  parameters: {
    type: 'object',
    properties: { id: { type: 'string' }, title: { type: 'string' } },
    required: ['id', 'title'],
  },
  preview: ({ id, title }, { signal }: PreviewContext) =>
    signal.aborted ? `${id.toUpperCase()}: ${title}` : { before: card, after: { title } },
  execute: () => {},
});
const plain: Tool = { ...rename, preview: undefined };
export const later: Tool = { ...plain, preview: async () => ({ before: 1, after: 2 }) };

export const wrong = defineTool({
  name: 'wrong',
  description: 'Has a preview of other arguments.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  // @ts-expect-error -- a text has no such method
  preview: ({ id }) => id.toFixed(),
  execute: () => {},
});

export function textOf(preview: CallPreview): string | JsonValue {
  switch (preview.kind) {
    case 'text':
      return preview.text;
    case 'change':
      return [preview.before, preview.after];
    case 'json':
      return preview.value;
    case 'failed':
      return preview.reason;
  }
}

const { preview, digest, changed, attended } = confirmation;
export const flags: readonly (true | undefined)[] = [changed, attended];
export const shown: CallPreview | undefined = preview;
export const approved: Promise<RespondOutcome> = confirmation.approve({ digest, remember: 'turn' });
export const typed: Promise<RespondOutcome> | undefined = confirmationOf(rename, confirmation)?.approve({
  arguments: { id: '7', title: 'Plan' },
  digest,
  scope: 'tool',
});

const session: AgentSession = createAgentSession({ provider });
export const release: () => void = session.attend(confirmation.id);
// @ts-expect-error -- the session itself names the view
session.attend(confirmation.id, 'view');

const outcome: PreviewOutcome = await session.previewOf(confirmation.id, { title: 'Plan' });
if (outcome !== 'already-settled') {
  if ('errors' in outcome) console.log(outcome.errors.join());
  else void session.respond(confirmation.id, { approve: true, digest: outcome.digest });
}

export const handler: ConfirmHandler = (request) => ({ approve: true, digest: request.digest });
