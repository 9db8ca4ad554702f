import { svelte } from '@sveltejs/vite-plugin-svelte';
import react from '@vitejs/plugin-react';
import vue from '@vitejs/plugin-vue';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { sourceCondition } from '../../scripts/product.mjs';

/** No inline code, no eval, nothing from elsewhere; only a model may be reached anywhere, since users choose its server. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  'connect-src *',
  // The pictures that the user attaches.
  "img-src 'self' blob: data:",
  // No text becomes code, and none becomes markup but the views' own templates.
  "require-trusted-types-for 'script'",
  'trusted-types vue svelte-trusted-html service-worker',
].join('; ');

/** No page may frame this one: a user could be led to click an answer to a question unseen. A `meta` element cannot say so, only a header. */
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
    // Everything that is reached by a dynamic import only. A dependency found late makes the server bundle again and
    // reload the page, in the middle of a visitor's first tool call.
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
    // The packages' sources are read for what the list above forgot, such as a deep import.
    entries: ['index.html', '../../packages/*/src/**/!(*.test).{ts,tsx}'],
  },
  server: { headers },
  preview: { headers },
  // Data URLs would need an exception in the policy.
  build: { target: 'es2022', assetsInlineLimit: 0 },
}));

/** A strict policy for what is built. The development server needs inline code of its own, and goes without. */
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
 * A service worker that keeps the whole build, so that the page works without a network after the first visit. The worker of a new build waits
 * until the last page of the old one is closed: a page never gets chunks of two builds.
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
