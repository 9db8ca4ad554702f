import { afterAll, beforeAll, vi } from 'vitest';

/** The smallest PNG. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

export const png = { bytes: bytesOf(pixel), data: pixel };

const document = '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n';

export const pdf = { bytes: new TextEncoder().encode(document), data: btoa(document) };

export const pdfFile = (name = 'report.pdf') => new File([pdf.bytes], name, { type: 'application/pdf' });

export const pngFile = (name = 'photo.png') => new File([png.bytes], name, { type: 'image/png' });

export const textFile = (text: string, name = 'notes.txt') => new File([text], name);

/** Loads the code that reads files, for which a virtual clock cannot wait. */
export function filesLoaded(): Promise<unknown> {
  return import('../src/session/files-code.js').then(({ filesCode }) =>
    filesCode.get({ now: () => 0, schedule: () => () => {} }),
  );
}

/** Answers `fetch` for the tests of a file. */
export function answerFetch(answer: (url: string, init: RequestInit) => Promise<Response>): void {
  beforeAll(() => {
    vi.stubGlobal('fetch', (url: URL, init: RequestInit = {}) => answer(url.href, init));
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });
}
