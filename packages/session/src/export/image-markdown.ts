import type { AttachedFile, ImagePart } from '@banister/provider';
import { bytesIn, sizeInWords } from '../conversation/byte-size.js';
import { inWords } from './markdown-syntax.js';

/** `embedded`: the image with its bytes, as a data URL. `named`: only its type and its size. */
export type ImageForm = 'embedded' | 'named';

/** Returns an image in one line. If its type or its data is malformed and does not fit into a data URL, the image is only named. */
export function imageMarkdown({ mediaType, data, name }: ImagePart, form: ImageForm): string {
  const fitsUrl = /^image\/[a-z\d.+-]+$/i.test(mediaType) && /^[a-z\d+/]+={0,2}$/i.test(data);
  if (form === 'embedded' && fitsUrl)
    return `![${inWords(name ?? '') || 'Image'}](data:${mediaType};base64,${data})`;
  return `Image: ${name === undefined ? '' : `${inWords(name)}, `}${inWords(mediaType)}, ${sizeInWords(bytesIn(data))}`;
}

/** Returns a file in one line: its name, its type and its size. */
export function fileMarkdown({ name, mediaType, size }: Omit<AttachedFile, 'id'>): string {
  return `File: ${inWords(name)}, ${inWords(mediaType)}, ${sizeInWords(size)}`;
}
