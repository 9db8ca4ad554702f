import type { AttachedFile, FileInput } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { toSessionError } from '@banister/provider/internal/errors/to-session-error';
import { attachedFile, kindOf } from '@banister/provider/internal/messages/attachment';
import { attachmentOf } from '../conversation/attachment-of.js';
import { fromBase64, toBase64 } from '../conversation/base64.js';
import { bytesIn, sizeInWords } from '../conversation/byte-size.js';
import { mediaTypeOf } from '../conversation/media-type.js';
import type { Limits } from '../limits/limits.js';
import type { Attached } from '../operations/session-operations.js';
import { fetchTimeoutMs } from '../ports/lazy-code.js';
import type { Ports } from '../ports/ports.js';
import type { SessionState } from '../state/session-state.js';
import type { InputWithFiles, ReadInput } from './read-input.js';

/** The size limits of files. */
type FileLimits = Pick<Limits, 'maxImageBytes' | 'maxTextFileBytes' | 'maxFilesBytes'>;

interface ReadOptions {
  readonly limits: FileLimits;
  readonly ports: Pick<Ports, 'clock' | 'ids'>;
  /** The state of the session that receives the files. */
  state(): Pick<SessionState, 'attachments'>;
  /**
   * The contents already read for messages whose commands have not ended. Another message with the same content gets the same attachment.
   * The contents of this message are added.
   */
  readonly waiting: Set<Attached>;
  /** Stops the reading, which then rejects `cancelled`. */
  readonly signal: AbortSignal;
}

/** The bytes of a file, and its name if it has one. */
interface FileBytes {
  readonly name: string | undefined;
  readonly bytes: Uint8Array;
}

/** A file that was read, and whose type is known. */
interface ReadFile extends Omit<AttachedFile, 'id'> {
  readonly data: string;
}

/**
 * Reads the files of a message, each once.
 *
 * @throws AgentSessionError `unreadable-attachment` for a file that cannot be read; `unsupported` for a file that is not an image, PDF or
 *   text; `invalid-input` for a file that is too large, and for an attachment that the session does not have; `cancelled` if `signal` fires
 */
export async function readFiles(input: InputWithFiles, options: ReadOptions): Promise<ReadInput> {
  const { files = [] } = input;
  const { maxFilesBytes } = options.limits;
  const read: (ReadFile | AttachedFile)[] = [];
  let left = maxFilesBytes;
  for (const file of files) {
    const one = isAttached(file) ? knownFile(file, options) : await readFile(file, left, options);
    left -= one.size;
    if (left < 0) throw tooLarge(one, maxFilesBytes, 'maxFilesBytes');
    read.push(one);
  }
  const attached: Attached[] = [];
  const own = read.map((file) => ('id' in file ? file : attach(file, attached, options)));
  const sent = read.map((file) => ('id' in file ? file : { name: file.name, data: file.data }));
  return { sent: { ...input, files: sent }, own: { ...input, files: own }, attached };
}

function isAttached(file: FileInput): file is AttachedFile {
  return typeof file === 'object' && file !== null && 'id' in file && typeof file.id === 'string';
}

/** Returns the description of a file that the session already has, from the stored content. */
function knownFile(file: AttachedFile, { state }: ReadOptions): AttachedFile {
  const content = attachmentOf(state().attachments, file.id);
  if (content === undefined)
    throw new AgentSessionError('invalid-input', `The session has no attachment "${file.id}".`);
  const { mediaType, data } = content;
  return attachedFile({ id: file.id, name: nameFor(file.name, mediaType), mediaType, size: bytesIn(data) });
}

/** @param left how many more bytes the files of the message may have */
async function readFile(file: FileInput, left: number, options: ReadOptions): Promise<ReadFile> {
  const { signal } = options;
  if (signal.aborted) throw cancelledError();
  const { name, bytes } = await untilAborted(bytesOf(file, left, options), signal);
  const size = bytes.length;
  if (size === 0) throw unreadable(name, 'It is empty.');
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === undefined) throw unsupportedFile(name);
  const read = { name: nameFor(name, mediaType), mediaType, size };
  const kind = kindOf(mediaType);
  const { maxImageBytes, maxTextFileBytes } = options.limits;
  if (kind === 'image' && size > maxImageBytes) throw tooLarge(read, maxImageBytes, 'maxImageBytes');
  if (kind === 'text' && size > maxTextFileBytes) throw tooLarge(read, maxTextFileBytes, 'maxTextFileBytes');
  return { ...read, data: toBase64(bytes) };
}

async function bytesOf(file: FileInput, left: number, options: ReadOptions): Promise<FileBytes> {
  if (file instanceof URL) return { name: nameIn(file), bytes: await fetched(file, left, options) };
  if (file instanceof Uint8Array) return { name: undefined, bytes: file };
  if (file instanceof Blob) return blobBytes(file, left, options);
  const { name, data } = (file ?? {}) as { readonly name?: unknown; readonly data?: unknown };
  const given = typeof name === 'string' ? name : undefined;
  if (typeof data !== 'string') throw unreadable(given, 'It is no File, Blob, Uint8Array or URL.');
  try {
    return { name: given, bytes: fromBase64(data) };
  } catch (cause) {
    throw unreadable(given, 'Its data is not base64.', cause);
  }
}

async function blobBytes(file: Blob, left: number, { limits }: ReadOptions): Promise<FileBytes> {
  const name = 'name' in file && typeof file.name === 'string' ? file.name : undefined;
  // A file on disk may be larger than the memory, so its size is checked before it is read.
  if (file.size > left)
    throw tooLarge(
      { name: nameFor(name, file.type), size: file.size },
      limits.maxFilesBytes,
      'maxFilesBytes',
    );
  try {
    return { name, bytes: new Uint8Array(await file.arrayBuffer()) };
  } catch (cause) {
    throw unreadable(name, 'It could not be read.', cause);
  }
}

/** Fetches an address. Stops if there are more bytes than `left`. */
async function fetched(url: URL, left: number, { ports, limits, signal }: ReadOptions): Promise<Uint8Array> {
  const name = nameIn(url);
  const aborter = new AbortController();
  const abort = () => aborter.abort();
  const stopTimer = ports.clock.schedule(abort, fetchTimeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const response = await untilAborted(fetch(url, { signal: aborter.signal }), aborter.signal);
    if (!response.ok) throw unreadable(name, `Its server answered with the status ${response.status}.`);
    const reader = response.body?.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      chunks.push(part.value);
      size += part.value.length;
      if (size > left)
        throw tooLarge({ name: nameFor(name, ''), size }, limits.maxFilesBytes, 'maxFilesBytes', 'at least ');
    }
    return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  } catch (error) {
    if (error instanceof AgentSessionError && error.code !== 'cancelled') throw error;
    throw unreadable(name, `${url.protocol === 'data:' ? 'It' : url.href} could not be read.`, error);
  } finally {
    abort();
    stopTimer();
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the attachment of a file: an attachment of the session with the same content, or a new one, which is added to `added`. */
function attach(file: ReadFile, added: Attached[], { state, waiting, ports }: ReadOptions): AttachedFile {
  const { data, ...about } = file;
  const known = Object.entries(state().attachments).find(([, one]) => one.data === data)?.[0];
  if (known !== undefined) return { id: known, ...about };
  const isSame = (one: Attached) => one.data === data;
  const own = added.find(isSame);
  const attached = own ?? [...waiting].find(isSame) ?? newAttachment(file, ports);
  if (own === undefined) added.push(attached);
  waiting.add(attached);
  return { id: attached.id, ...about };
}

function newAttachment({ mediaType, data }: ReadFile, { ids }: ReadOptions['ports']): Attached {
  return { type: 'attached', id: ids.next('attachment'), mediaType, data };
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(cancelledError());
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the last part of the path of an address; undefined if the path has none, or if the address contains the content itself. */
function nameIn({ protocol, pathname }: URL): string | undefined {
  if (protocol === 'data:' || protocol === 'blob:') return undefined;
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last;
  }
}

const endings: Readonly<Record<string, string>> = { pdf: 'file.pdf', text: 'file.txt' };

/** The longest file name in common file systems. */
const LONGEST_NAME = 255;

/**
 * Returns the name of a file in one line, without invisible characters. If there is no name, returns a name for the media type. A name that
 * is too long is replaced as a whole and not shortened, because a filter of requests could not recognise half of a word that it looks for.
 */
function nameFor(name: string | undefined, mediaType: string): string {
  const clean = String(name ?? '')
    .replace(/[\t-\r\u2028\u2029]/g, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .trim();
  if (clean !== '' && clean.length <= LONGEST_NAME) return clean;
  return endings[kindOf(mediaType)] ?? `image.${mediaType.slice('image/'.length)}`;
}

function tooLarge(
  { name, size }: Pick<AttachedFile, 'name' | 'size'>,
  bound: number,
  limit: keyof FileLimits,
  about = '',
): AgentSessionError {
  const isSum = limit === 'maxFilesBytes';
  return new AgentSessionError(
    'invalid-input',
    `The file "${name}" has ${about}${sizeInWords(size)}, and ${isSum ? 'the files of a message' : 'it'} may have ${sizeInWords(bound)}${isSum ? ' together' : ''}.`,
    { details: { name, size, limit, bound } },
  );
}

function unreadable(name: string | undefined, why: string, cause?: unknown): AgentSessionError {
  const error = cause === undefined ? undefined : toSessionError(cause, 'unreadable-attachment', why);
  return new AgentSessionError('unreadable-attachment', `${cannotBeAttached(name)}. ${why}`, {
    cause: error,
    ...(name === undefined ? {} : { details: { name } }),
  });
}

function unsupportedFile(name: string | undefined): AgentSessionError {
  return new AgentSessionError(
    'unsupported',
    `${cannotBeAttached(name)}: it is no JPEG, PNG, GIF or WebP image, no PDF, and no text in UTF-8.`,
    name === undefined ? {} : { details: { name } },
  );
}

function cannotBeAttached(name: string | undefined): string {
  return `The file${name === undefined ? '' : ` "${name}"`} cannot be attached`;
}
