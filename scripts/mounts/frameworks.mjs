// @ts-check
import { documentedMount } from './documented-mounts.mjs';

/**
 * An application with a gateway, written by hand in the form that its framework needs.
 *
 * @typedef {object} Framework
 * @property {string} name
 * @property {readonly string[]} packages what the application installs beside ours
 * @property {Readonly<Record<string, string>>} files by path; `gateway.mjs` in the root exports the gateway as `handle`
 * @property {string} path where the page asks
 * @property {readonly string[]} build the file of a program in `node_modules`, and its arguments
 * @property {readonly string[]} start a program of Node with its arguments; the port comes as PORT
 */

/** @type {readonly Framework[]} */
export const frameworks = [
  {
    name: 'Nitro',
    // A catch-all route does not match its own folder.
    path: '/agent/chat',
    packages: ['nitropack@^2', 'h3@^1'],
    files: {
      'nitro.config.mjs': "export default { srcDir: 'server', compatibilityDate: '2026-01-01' };",
      'server/routes/agent/[...path].js': mounted('../../../gateway.mjs', 'Nuxt and Nitro'),
    },
    build: ['node_modules/nitropack/dist/cli/index.mjs', 'build'],
    start: ['.output/server/index.mjs'],
  },
  {
    name: 'SvelteKit',
    path: '/agent',
    packages: [
      '@sveltejs/kit@^2',
      '@sveltejs/adapter-node@^5',
      '@sveltejs/vite-plugin-svelte@^7',
      'svelte@^5',
      'vite@^8',
    ],
    files: {
      'svelte.config.js':
        "import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };",
      'vite.config.js':
        "import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };",
      'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
      'src/routes/agent/[...path]/+server.js': mounted('../../../../gateway.mjs', 'SvelteKit'),
    },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: ['build/index.js'],
  },
  {
    name: 'Next',
    path: '/agent',
    packages: ['next@^16', 'react@^19', 'react-dom@^19'],
    files: {
      'app/agent/[[...path]]/route.js': mounted('../../../gateway.mjs', 'Next.js'),
    },
    build: ['node_modules/next/dist/bin/next', 'build'],
    start: ['node_modules/next/dist/bin/next', 'start', '--hostname', '127.0.0.1'],
  },
];

/** The module with the gateway of each application. Its model is the server at OPENAI_BASE_URL. */
export const gatewayModule = `import { gateway } from '@banister/gateway';
import { openai } from '@banister/openai';

export const handle = gateway({
  provider: openai({ model: 'm', apiKey: process.env.OPENAI_API_KEY, baseURL: process.env.OPENAI_BASE_URL }),
  authorize: () => ({ user: 'ada' }),
  policy: { free: true },
  seal: 'per-process',
});
`;

/**
 * @param {string} from the module with the gateway
 * @param {string} comment that of the mount in docs/gateway.md
 */
function mounted(from, comment) {
  return `import { handle } from '${from}';\n${documentedMount(comment)}`;
}
