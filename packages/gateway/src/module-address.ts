import { invalid } from './invalid.js';

interface NodePath {
  resolve(folder: string, file: string): string;
}

interface NodeUrl {
  pathToFileURL(path: string): URL;
}

interface NodeFiles {
  existsSync(path: string): boolean;
}

/**
 * Returns the URL with which Node imports a file. `#`, `?` and `%` in the names of folders are kept as characters.
 *
 * @throws AgentSessionError `invalid-configuration` if the file does not exist
 */
export async function moduleAddress(file: string, folder: string): Promise<string> {
  // Variables, because the packages are built without the types of Node.
  const [path, url, files]: readonly string[] = ['node:path', 'node:url', 'node:fs'];
  const { resolve } = (await import(/* @vite-ignore */ path!)) as NodePath;
  const { pathToFileURL } = (await import(/* @vite-ignore */ url!)) as NodeUrl;
  const { existsSync } = (await import(/* @vite-ignore */ files!)) as NodeFiles;
  const place = resolve(folder, file);
  if (!existsSync(place)) throw invalid(`--config: there is no file ${place}.`);
  return pathToFileURL(place).href;
}
