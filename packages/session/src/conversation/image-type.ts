/** Returns true if a value is the media type of an image in the form that servers accept: without parameters. */
export function isImageType(value: unknown): value is string {
  return typeof value === 'string' && /^image\/[\w.+-]+$/.test(value);
}

/** Returns a media type without parameters: `image/png` for `image/png; charset=binary`. */
export function withoutParameters(mediaType: string): string {
  return mediaType.split(';', 1)[0]!.trimEnd();
}
