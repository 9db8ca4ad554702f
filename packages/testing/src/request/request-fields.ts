/** Fields of JSON that are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Notes what is wrong at a place of a request. */
export type Say = (place: string, problem: string) => void;

/** The fields of an object; none for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The items of a list; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Whether it is text with more than white space. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether it is the text of a JSON object. */
export function isObjectText(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Whether it is base64 without a prefix. */
export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** Whether it is a PDF as a data URL. */
export function isPdfUrl(value: unknown): boolean {
  const data = typeof value === 'string' ? /^data:application\/pdf;base64,(.*)$/s.exec(value) : null;
  return data !== null && isBase64(data[1]);
}

/** Whether it is an address of an image, or the image itself. */
export function isImageUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const data = /^data:image\/[a-z0-9.+-]+;base64,(.*)$/s.exec(value);
  return data ? isBase64(data[1]) : /^https?:\/\//.test(value);
}
