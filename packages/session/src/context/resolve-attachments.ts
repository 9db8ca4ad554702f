import type {
  AttachmentPart,
  Attachments,
  ContentPart,
  FilePart,
  ImagePart,
  Message,
  MessagePart,
  Provider,
  ProviderCapabilities,
  TextPart,
} from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import { kindOf } from '@banister/provider/internal/messages/attachment';
import { enclosed, quoted } from '@banister/provider/internal/messages/foreign-text';
import * as told from '../conversation/model-words.js';
import { attachmentOf } from '../conversation/attachment-of.js';
import { fromBase64 } from '../conversation/base64.js';
import { bytesIn, sizeInWords } from '../conversation/byte-size.js';
import { rememberedPlaces } from '../conversation/remembered-places.js';
import type { TurnRecord } from '../conversation/turn-record.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';

/** The messages of a request, and a diagnostic for each text that replaces an attachment. */
export interface ResolvedMessages {
  readonly messages: readonly Message[];
  readonly diagnostics: readonly ContextDiagnostic[];
}

/** The features of a provider that decide about attachments. */
interface Accepted {
  readonly images: boolean;
  readonly pdfs: boolean;
  readonly imagesInResults: boolean;
  /** Whether the server refused the request in which the files first were. Then no later request has them. */
  readonly refused: boolean;
}

/** A message as the model reads it, and descriptions of what is left out of it. */
interface ResolvedMessage {
  readonly message: Message;
  readonly left: readonly string[];
}

/**
 * Returns messages in the form that a provider accepts: attachments with their contents, and text files as text. A text replaces each
 * attachment that the model does not accept. A text also replaces each attachment with which a request was refused, because later requests
 * with it would be refused too. A message that needs no change stays the same object.
 *
 * @param turns the ended turns of the path
 */
export function resolveAttachments(
  messages: readonly Message[],
  attachments: Attachments,
  { model, capabilities }: Pick<Provider, 'model' | 'capabilities'>,
  turns: readonly TurnRecord[] = [],
): ResolvedMessages {
  const accepted = acceptedBy(capabilities);
  const refusing = refusedTurns(turns).map((index) => turns[index]!);
  const left = new Set<string>();
  let resolved: Message[] | null = null;
  for (const index of messagesWithFiles(messages)) {
    const message = messages[index]!;
    const refused = refusing.some((turn) => isRefused(turn, messages, index));
    const one = resolveMessage(message, attachments, { ...accepted, refused });
    const because = refused ? 'A request was refused with' : `The model ${model} does not accept`;
    for (const what of one.left) left.add(`${because} ${what}`);
    if (one.message !== message) (resolved ??= [...messages])[index] = one.message;
  }
  return {
    messages: resolved ?? messages,
    diagnostics: Array.from(left, (what) => ({
      source: 'attachments',
      message: `${what}: a text stands in its place.`,
    })),
  };
}

/** Finds the turns that failed because the server refused a request, including a request that was too large. */
export const refusedTurns: (turns: readonly TurnRecord[]) => readonly number[] = rememberedPlaces(
  ({ outcome }) => outcome?.error !== undefined && refusals.has(outcome.error.code),
);

const refusals: ReadonlySet<string> = new Set(['invalid-configuration', 'refused', 'context-length']);

/** Returns true if the message at an index was new in the last request of a turn: earlier messages of the turn have an answer. */
function isRefused({ messageIds }: TurnRecord, messages: readonly Message[], index: number): boolean {
  const own = (at: number) => messageIds.includes(messages[at]?.id ?? '');
  if (!own(index)) return false;
  while (own(index) && messages[index]!.role === 'user') index++;
  return !own(index);
}

function acceptedBy(capabilities: Partial<ProviderCapabilities> = {}): Omit<Accepted, 'refused'> {
  const { images = false, pdfs = false, imagesInResults = true } = capabilities;
  return { images, pdfs, imagesInResults: images && imagesInResults };
}

/** The changed messages, by the features of the provider, so that an earlier message is the same object in each request. */
const known = new WeakMap<Message, Map<string, ResolvedMessage>>();

function resolveMessage(message: Message, attachments: Attachments, accepted: Accepted): ResolvedMessage {
  const key = JSON.stringify(accepted);
  const before = known.get(message)?.get(key);
  if (before !== undefined) return before;
  const left: string[] = [];
  const parts = message.parts.map((part) => resolvePart(part, attachments, accepted, left));
  const isSame = parts.every((part, index) => part === message.parts[index]);
  const resolved = { message: isSame ? message : deepFreeze({ ...message, parts }), left };
  known.set(message, (known.get(message) ?? new Map<string, ResolvedMessage>()).set(key, resolved));
  return resolved;
}

/** Finds the indexes of the messages with files. They are remembered, because each round needs them and most conversations have none. */
export const messagesWithFiles: (messages: readonly Message[]) => readonly number[] =
  rememberedPlaces(hasFiles);

function hasFiles({ parts }: Message): boolean {
  for (const part of parts) if (isAttached(part)) return true;
  return false;
}

function isAttached(part: MessagePart): boolean {
  if (part.type === 'tool-result') return part.content.some(({ type }) => type === 'image');
  return part.type === 'attachment' || part.type === 'image' || part.type === 'file';
}

/** @param left receives a description of each part that the provider does not accept */
function resolvePart(
  part: MessagePart,
  attachments: Attachments,
  accepted: Accepted,
  left: string[],
): MessagePart {
  const { refused } = accepted;
  const leaveOut = (what: string, kind: string, where = ''): TextPart => {
    left.push(what + where);
    return standIn(refused ? told.notSentAgain(what) : told.notAccepted(what, kind));
  };
  switch (part.type) {
    case 'attachment': {
      if (refused) return leaveOut(nameOf(part), '');
      const content = contentOf(part, attachments);
      if (content === undefined) return standIn(told.missingContent(nameOf(part)));
      return resolvePart(content, attachments, accepted, left);
    }
    case 'image':
      return accepted.images && !refused ? part : leaveOut(imageInWords(part), 'images');
    case 'file':
      return accepted.pdfs && !refused ? part : leaveOut(fileInWords(part), 'PDFs');
    case 'tool-result': {
      if (accepted.imagesInResults && !refused) return part;
      const content = part.content.map((one): ContentPart =>
        one.type === 'image'
          ? leaveOut(imageInWords(one), 'images in results of tools', ' in the result of a tool')
          : one,
      );
      return { ...part, content };
    }
    default:
      return part;
  }
}

/** The content of each attachment as a part, so that it is the same object in each request. */
const contents = new WeakMap<AttachmentPart, TextPart | ImagePart | FilePart>();

function contentOf(
  part: AttachmentPart,
  attachments: Attachments,
): TextPart | ImagePart | FilePart | undefined {
  const attachment = attachmentOf(attachments, part.id);
  if (attachment === undefined) return undefined;
  let content = contents.get(part);
  if (content === undefined) contents.set(part, (content = partOf(part.name, attachment)));
  return content;
}

function partOf(name: string, { mediaType, data }: Attachments[string]): TextPart | ImagePart | FilePart {
  switch (kindOf(mediaType)) {
    case 'image':
      return { type: 'image', mediaType, data, name };
    case 'pdf':
      return { type: 'file', name, mediaType, data };
    case 'text': {
      const text = new TextDecoder().decode(fromBase64(data));
      return { type: 'text', text: enclosed('file', text, ` name=${quoted(name)}`) };
    }
  }
}

function standIn(words: string): TextPart {
  return { type: 'text', text: `[${words}]` };
}

function imageInWords({ name, mediaType, data }: ImagePart): string {
  const called = name === undefined ? '' : ` ${quoted(name)}`;
  return `the image${called} (${mediaType}, ${sizeInWords(bytesIn(data))})`;
}

function fileInWords({ name, mediaType, data }: FilePart): string {
  return `the file ${quoted(name)} (${mediaType}, ${sizeInWords(bytesIn(data))})`;
}

function nameOf({ name, mediaType, size }: AttachmentPart): string {
  return `the file ${quoted(name)} (${mediaType}, ${sizeInWords(size)})`;
}
