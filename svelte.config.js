import { vitePreprocess } from '@sveltejs/vite-plugin-svelte';

/** For the plugin of Vite and for svelte-check. */
export default { preprocess: vitePreprocess(), compilerOptions: { runes: true } };
