// @ts-check
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../run-process.mjs';

/**
 * Returns the code of docs/gateway.md that mounts a gateway in a framework, without its comment.
 *
 * @param {string} comment the beginning of the comment above it
 */
export function documentedMount(comment) {
  const page = readFileSync(path.join(root, 'docs', 'gateway.md'), 'utf8');
  const [, section = ''] = page.split('\n## Mounts\n');
  const [, block = ''] = /```js\n(.*?)```/s.exec(section) ?? [];
  const mount = block.split('\n\n').find((part) => part.startsWith(`// ${comment}`));
  if (mount === undefined) throw new Error(`docs/gateway.md has no mount "${comment}".`);
  return mount.slice(mount.indexOf('\n') + 1).trim();
}
