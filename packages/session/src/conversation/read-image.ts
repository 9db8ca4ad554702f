import type { ImageInput } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { isBase64, toBase64 } from './base64.js';
import { isImageType, withoutParameters } from './image-type.js';

/**
 * Reads an image file for `send`.
 *
 * @param file an image, for example of a file input; its `type` must begin with `image/`
 * @throws AgentSessionError `unreadable-attachment` if the file cannot be read, or is not an image
 *
 * @example
 * const images = await Promise.all([...input.files].map(readImage));
 * await session.send({ text: 'What is on these?', images });
 */
export async function readImage(file: Blob): Promise<ImageInput> {
  if (!file.type.startsWith('image/')) throw unreadable(`It is of type "${file.type || 'unknown'}".`);
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await file.arrayBuffer());
  } catch (error) {
    throw unreadable('It could not be read.', error);
  }
  return { mediaType: withoutParameters(file.type), data: toBase64(bytes) };
}

/** Throws `unreadable-attachment` unless the type is an image type and the data is base64. */
export function checkImage(image: ImageInput): void {
  const { mediaType, data } = (image ?? {}) as Partial<ImageInput>;
  if (!isImageType(mediaType)) throw unreadable(`Its type is "${mediaType}".`);
  if (!isBase64(data)) throw unreadable('Its data is not base64.');
}

function unreadable(why: string, cause?: unknown): AgentSessionError {
  return new AgentSessionError('unreadable-attachment', `The attachment cannot be sent as an image. ${why}`, {
    cause,
  });
}
