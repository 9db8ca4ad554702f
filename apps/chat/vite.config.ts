import { svelte } from '@sveltejs/vite-plugin-svelte';
import react from '@vitejs/plugin-react';
import vue from '@vitejs/plugin-vue';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { sourceCondition } from '../../scripts/product.mjs';

/**
 * No inline code, no eval, nothing from other origins. Only connections are allowed everywhere, because users
 * choose the model's server.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  'connect-src *',
  // The pictures that the user attaches.
  "img-src 'self' blob: data:",
  // No text becomes code, and only the views' own templates become markup.
  "require-trusted-types-for 'script'",
  'trusted-types vue svelte-trusted-html service-worker',
].join('; ');

/**
 * No page may frame this page, because a user could be tricked into answering a question. A `meta` element
 * cannot say so, only a header.
 */
const headers = { 'content-security-policy': "frame-ancestors 'none'" };

export default defineConfig(({ mode }) => ({
  plugins: [
    react(),
    vue(),
    svelte({ configFile: '../../svelte.config.js' }),
    strictPage(),
    offlinePage(mode),
  ],
  resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
  // Feature flags of Vue: a bundler may leave these parts out.
  define: {
    __VUE_OPTIONS_API__: false,
    __VUE_PROD_DEVTOOLS__: false,
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: false,
  },
  optimizeDeps: {
    // Everything that only a dynamic import reaches. If a dependency is found late, the server bundles again
    // and reloads the page, in the middle of a visitor's first tool call.
    include: [
      '@cfworker/json-schema',
      '@eslint-community/regexpp',
      '@preact/signals-core',
      'ajv',
      'markdown-it',
      'openai',
      'react',
      'react-dom',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'react/jsx-runtime',
      'remend',
      'rxjs',
      'vue',
    ],
    // The packages' sources are scanned for dependencies that the list above lacks, such as deep imports.
    entries: ['index.html', '../../packages/*/src/**/!(*.test).{ts,tsx}'],
  },
  server: { headers },
  preview: { headers },
  // Data URLs would need an exception in the policy.
  build: { target: 'es2022', assetsInlineLimit: 0 },
}));

/** Adds a strict policy to the built page. The development server needs inline code and has no policy. */
function strictPage(): Plugin {
  return {
    name: 'strict-page',
    apply: (_, { command, mode }) => command === 'build' && mode === 'production',
    transformIndexHtml: () => [
      {
        tag: 'meta',
        attrs: { 'http-equiv': 'Content-Security-Policy', content: contentSecurityPolicy },
        injectTo: 'head-prepend',
      },
    ],
  };
}

/**
 * Adds a service worker that stores the whole build, so that the page works without a network after the first
 * visit. The worker of a new build waits until the last page of the old build is closed, so that a page never
 * mixes chunks of two builds.
 */
function offlinePage(mode: string): Plugin[] {
  return VitePWA({
    disable: mode !== 'production',
    injectRegister: false,
    manifest: false,
    workbox: {
      globPatterns: ['**/*.{html,js,css,svg}'],
      navigateFallback: 'index.html',
      clientsClaim: true,
      skipWaiting: false,
      cleanupOutdatedCaches: true,
      inlineWorkboxRuntime: true,
      sourcemap: false,
    },
  });
}
