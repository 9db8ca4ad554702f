/** Unchecked fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reports a problem at a place of a request. */
export type Say = (place: string, problem: string) => void;

/** Returns the fields of an object; no fields for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** Returns the items of a list; no items for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** Whether the value is a string with more than white space. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether the value is a string with a JSON object. */
export function isObjectText(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Whether the value is base64 without a prefix. */
export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** Whether the value is a PDF as a data URL. */
export function isPdfUrl(value: unknown): boolean {
  const data = typeof value === 'string' ? /^data:application\/pdf;base64,(.*)$/s.exec(value) : null;
  return data !== null && isBase64(data[1]);
}

/** Whether the value is the URL of an image, or an image as a data URL. */
export function isImageUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const data = /^data:image\/[a-z0-9.+-]+;base64,(.*)$/s.exec(value);
  return data ? isBase64(data[1]) : /^https?:\/\//.test(value);
}
