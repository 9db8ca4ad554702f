interface NodePath {
  resolve(folder: string, file: string): string;
}

interface NodeUrl {
  pathToFileURL(path: string): URL;
}

/** Returns the address by which Node imports a file; `#`, `?` and `%` in the name of a folder are characters of it. */
export async function moduleAddress(file: string, folder: string): Promise<string> {
  // Variables, since the packages are built without the types of Node.
  const [path, url]: readonly string[] = ['node:path', 'node:url'];
  const { resolve } = (await import(/* @vite-ignore */ path!)) as NodePath;
  const { pathToFileURL } = (await import(/* @vite-ignore */ url!)) as NodeUrl;
  return pathToFileURL(resolve(folder, file)).href;
}
