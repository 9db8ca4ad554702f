import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** No inline code, no eval, nothing from elsewhere; only a model may be reached anywhere, since users choose its server. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  'connect-src *',
].join('; ');

export default defineConfig({
  plugins: [react(), strictPage()],
  resolve: { conditions: ['@handrail/source', ...defaultClientConditions] },
  optimizeDeps: {
    // Everything that is reached by a dynamic import only. A dependency found late makes the server bundle again and
    // reload the page, in the middle of a visitor's first tool call.
    include: [
      '@cfworker/json-schema',
      '@eslint-community/regexpp',
      '@preact/signals-core',
      'ajv',
      'openai',
      'react',
      'react-dom',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'react/jsx-runtime',
      'rxjs',
    ],
    // The packages' sources are read for what the list above forgot, such as a deep import.
    entries: ['index.html', '../../packages/*/src/**/!(*.test).{ts,tsx}'],
  },
  // Data URLs would need an exception in the policy.
  build: { target: 'es2022', assetsInlineLimit: 0 },
});

/** A strict policy for what is built. The development server needs inline code of its own, and goes without. */
function strictPage(): Plugin {
  return {
    name: 'strict-page',
    apply: 'build',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
        injectTo: 'head-prepend',
      },
    ],
  };
}
